"""[MS-MQQP], the server: the message in the answer to a start."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, RESPONSE, Broken, Level, Party, Rule

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_SEQUENTIAL: Final = (1 << 56) - 1
_ENDS: Final = {
    **dict.fromkeys((v.LOOKUP_PEEK_NEXT, v.LOOKUP_RECEIVE_NEXT), 0),
    **dict.fromkeys((v.LOOKUP_PEEK_PREV, v.LOOKUP_RECEIVE_PREV), (1 << 64) - 1),
}
"""LookupId that stands for the end of the queue to begin at, and for no message."""


def _message_given(step: CallStep) -> Answer:
    if not step.succeeded or step.desc is None:
        return None
    buffer = (step.answered_desc or {}).get("lpBuffer")
    if buffer and buffer.get("size"):
        return True
    return Broken({"lpBuffer": "null" if buffer is None else "0 bytes"})


def _size_matches_buffer(step: CallStep) -> Answer:
    desc = step.answered_desc or {}
    buffer, size = desc.get("lpBuffer"), desc.get("dwSize", 0)
    if buffer is None:
        return None
    return buffer.get("size", 0) == size or Broken({"dwSize": size, "lpBuffer": f"{buffer.get('size', 0)} bytes"})


def _packet_size(step: CallStep) -> Answer:
    desc = step.answered_desc or {}
    buffer, size = desc.get("lpBuffer"), desc.get("dwSize", 0)
    if not step.succeeded or not buffer or not buffer.get("size"):
        return None
    told = buffer.get("packet_size")
    if told is None:
        return Reason.NOT_DECODED
    return told == size or Broken({"dwSize": size, "BaseHeader.PacketSize": told})


def _sequential_id(step: CallStep) -> int:
    return int((step.response.get("lpRemoteReadDesc2") or {}).get("SequentialId", 0))


def _sequential_id_range(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    found = _sequential_id(step)
    return found <= _SEQUENTIAL or Broken({"SequentialId": f"0x{found:x}"})


def _sequential_id_asked(step: CallStep) -> Answer:
    if not step.succeeded or (step.desc or {}).get("ulAction") not in v.LOOKUP_CURRENT:
        return None
    asked, found = step.request.get("LookupId", 0), _sequential_id(step)
    return found == asked & _SEQUENTIAL or Broken({"LookupId": f"0x{asked:x}", "SequentialId": f"0x{found:x}"})


def _lookup_neighbour(step: CallStep) -> Answer:
    asked, end = step.request.get("LookupId", 0), _ENDS.get((step.desc or {}).get("ulAction", 0))
    if not step.succeeded or end is None or asked == end:
        return None
    found = _sequential_id(step)
    return found != asked & _SEQUENTIAL or Broken({"LookupId": f"0x{asked:x}", "SequentialId": f"0x{found:x}"})


def _arrive_time(step: CallStep) -> Answer:
    desc = step.answered_desc
    if not step.succeeded or desc is None:
        return None
    return bool(desc.get("dwArriveTime")) or Broken({"dwArriveTime": 0})


_WITH_ID: Final = (v.START2, v.BY_LOOKUP)
_server = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqqp-message-given",
        "A start succeeded without a message",
        section="3.1.4.1, 3.1.4.10, 3.1.4.11",
        requirement="A start that succeeds returns the message in lpBuffer.",
        level=Level.MEDIUM,
        operations=v.STARTS,
        needs=BOTH,
        check=_message_given,
    ),
    _server(
        "mqqp-size-matches-buffer",
        "The size of a message is not that of its buffer",
        section="3.1.4.1, 3.1.4.10, 3.1.4.11",
        requirement="lpBuffer is the message and dwSize its size: dwSize is the number of bytes in lpBuffer.",
        level=Level.MEDIUM,
        operations=v.STARTS,
        needs=RESPONSE,
        check=_size_matches_buffer,
    ),
    _server(
        "mqqp-packet-size",
        "The size of a message is not the one that it tells of itself",
        section="3.1.4.1, 3.1.4.10, 3.1.4.11",
        requirement="dwSize is BaseHeader.PacketSize of the message.",
        level=Level.MEDIUM,
        operations=v.STARTS,
        needs=RESPONSE,
        check=_packet_size,
        undecidable_when="the buffer does not begin as a message does",
    ),
    _server(
        "mqqp-sequential-id-range",
        "A sequential identifier has more than seven bytes",
        section="3.1.4.10, 3.1.4.11",
        requirement="SequentialId is the low seven bytes of the message's lookup identifier, so it is below 2^56.",
        level=Level.LOW,
        operations=_WITH_ID,
        needs=RESPONSE,
        check=_sequential_id_range,
    ),
    _server(
        "mqqp-sequential-id-asked",
        "Another message was given than the lookup identifier names",
        section="3.1.4.11",
        requirement="With MQ_LOOKUP_*_CURRENT the message is the one that LookupId names: "
        "its SequentialId is the low seven bytes of that.",
        level=Level.MEDIUM,
        operations=(v.BY_LOOKUP,),
        needs=BOTH,
        check=_sequential_id_asked,
    ),
    _server(
        "mqqp-lookup-neighbour",
        "The message itself was given instead of its neighbour",
        section="3.1.4.11",
        requirement="With MQ_LOOKUP_*_NEXT and MQ_LOOKUP_*_PREV the message is the one after or before the one that "
        "LookupId names, and not that one.",
        level=Level.MEDIUM,
        operations=(v.BY_LOOKUP,),
        needs=BOTH,
        check=_lookup_neighbour,
    ),
    _server(
        "mqqp-arrive-time",
        "A message was given without the time of its arrival",
        section="2.2.2.1",
        requirement="dwArriveTime is the time at which the message entered the queue.",
        level=Level.LOW,
        operations=v.STARTS,
        needs=RESPONSE,
        check=_arrive_time,
    ),
)
