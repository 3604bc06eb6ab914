"""The conversations of the story, held in a process of their own: `python -m tests.live.talk`.

Says on which ports it listens, waits for a line, talks, says what it sent. Both sides of a connection are in it.
"""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from tests.live import impacket_side, scapy_side
from tests.live.report import Told
from tests.live.story import MAPPER, TALKS

_SIDES = {"scapy": scapy_side, "impacket": impacket_side}


def main() -> None:
    # What the libraries print must not get between the two lines of ours.
    out, sys.stdout = sys.stdout, sys.stderr
    told = {name: Told() for name in (*(talk.name for talk in TALKS), MAPPER)}
    servers = {talk.name: _SIDES[talk.server].Server(talk, told[talk.name]) for talk in TALKS}
    mapper = scapy_side.Server(None, told[MAPPER])
    first, interface = TALKS[0], TALKS[0].calls[0].interface
    mapper.announce(interface.name, servers[first.name].port)
    for name, server in (*servers.items(), (MAPPER, mapper)):
        told[name].server_port = server.port
    print(json.dumps([one.server_port for one in told.values()]), file=out, flush=True)
    sys.stdin.readline()
    scapy_side.ask_mapper(interface.name, mapper.port, told[MAPPER])
    for talk in TALKS:
        _SIDES[talk.client].talk_as_client(talk, servers[talk.name].port, told[talk.name])
    print(json.dumps({name: asdict(one) for name, one in told.items()}), file=out, flush=True)


if __name__ == "__main__":
    main()
