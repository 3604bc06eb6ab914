"""The conversations of the story, held in a process of their own: `python -m tests.live.talk`.

Says on which ports it listens, waits for a line, talks, says what it sent. Both sides of a connection are in it.
"""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tests.live import impacket_peers, scapy_client, scapy_server
from tests.live.report import Told
from tests.live.story import MAPPER, TALKS
from tests.second_opinion.stubs.corrections import corrected

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.live.model import Talk

_SERVERS: dict[str, Callable[[Talk, Told], Any]] = {"scapy": scapy_server.Server, "impacket": impacket_peers.Server}
_CLIENTS = {"scapy": scapy_client.talk_to, "impacket": impacket_peers.talk_to}


def main() -> None:
    # What the libraries print must not get between the two lines of ours.
    out, sys.stdout = sys.stdout, sys.stderr
    told = {name: Told() for name in (*(talk.name for talk in TALKS), MAPPER)}
    for talk in TALKS:
        told[talk.name].server_port = _SERVERS[talk.server](talk, told[talk.name]).port
    wanted = TALKS[0].calls[0].interface.name
    told[MAPPER].server_port = scapy_server.Mapper(wanted, told[TALKS[0].name].server_port).port
    print(json.dumps([one.server_port for one in told.values()]), file=out, flush=True)
    sys.stdin.readline()
    scapy_client.ask_mapper(told[MAPPER].server_port, wanted, told[MAPPER])
    for talk in TALKS:
        with corrected() if talk.mended else nullcontext():
            _CLIENTS[talk.client](told[talk.name].server_port, talk, told[talk.name])
    print(json.dumps({name: asdict(one) for name, one in told.items()}), file=out, flush=True)


if __name__ == "__main__":
    main()
