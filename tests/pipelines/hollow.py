"""A client that is accused of not having asked, and other connections of the two hosts, at a port nobody announced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.builders.conversations import Ends, Talk, frames
from tests.builders.rpc import QM2QM, bind, bind_ack, request, response
from tests.scripts.player import play
from tests.scripts.tape import Timed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from tests.builders.conversations import Packet

RULE: Final = "mqqp-version-asked"
ENDS: Final = Ends(50_500, 49_664, "10.0.0.5", "10.0.0.9")
PAUSE_S: Final = 40 * 3600
_ACCUSED: Final = f"""
connect z port 2105
z: RemoteQMOpenQueue
z: RemoteQMCloseQueue
close z
wait {PAUSE_S}s
connect c port 2105
c: RemoteQMOpenQueue
c: RemoteQMStartReceive2
c: RemoteQMEndReceive
c: RemoteQMCloseQueue
close c
"""


def accused() -> list[Timed]:
    """The version was not asked for, as far as these packets tell."""
    return play(_ACCUSED)


def beside(packets: Iterable[Packet], ends: Ends = ENDS, *, after_s: int = 3600, step_us: int = 1_000) -> list[Timed]:
    """Packets of another connection, the first so long after the first of those that accuse."""
    first = accused()[0].ts_us + after_s * 1_000_000
    return [
        Timed(first + place * step_us, frame, 0, "beside")
        for place, packet in enumerate(packets)
        for frame in frames(ends, packet)
    ]


def together(*parts: Iterable[Timed]) -> list[Timed]:
    return sorted((one for part in parts for one in part), key=lambda one: one.ts_us)


def asked(talk: Talk | None = None) -> Talk:
    """The connection on which it was asked for, whole."""
    talk = (talk or Talk(ENDS)).open()
    talk.say(bind(QM2QM)).answer(bind_ack()).say(request(opnum=8, call_id=2)).answer(response(bytes(16), call_id=2))
    return talk.acknowledge(from_client=True).close()


def without_payload(packets: Iterable[Packet]) -> list[Packet]:
    return [packet for packet in packets if not packet.payload]


def is_accused(tables: Mapping[str, list[dict[str, Any]]]) -> bool:
    return any(row["rule_id"] == RULE and row["verdict"] == "violation" for row in tables["findings"])
