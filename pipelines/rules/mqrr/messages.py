"""[MS-MQRR], the server: the message in the answer to a read, in its sections."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from decoders.interfaces.remoteread import SectionType
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, RESPONSE, Broken, Level, Party, Rule

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_TYPES: Final = dict(SectionType.members)
_NAMES: Final = {number: name for name, number in SectionType.members}
_FULL: Final = _TYPES["stFullPacket"]
_BINARY: Final = (_TYPES["stBinaryFirstSection"], _TYPES["stBinarySecondSection"])
_SRMP: Final = (_TYPES["stSrmpFirstSection"], _TYPES["stSrmpSecondSection"])
_ORDERS: Final = frozenset(((_FULL,), _BINARY[:1], _BINARY, _SRMP[:1], _SRMP))
_FIRST: Final = (_BINARY[0], _SRMP[0])
"""Of which a part of the body may be missing."""
_BESIDE: Final = v.ACTIONS_BY_LOOKUP.keys() - v.LOOKUP_CURRENT
"""They ask for the message before or after the one named."""
_ALIGNMENT: Final = 4


def _sections(step: CallStep) -> list[dict[str, Any]]:
    """Of a read that succeeded."""
    return [one or {} for one in step.response.get("ppPacketSections") or ()] if step.succeeded else []


def _size(section: dict[str, Any]) -> int:
    return int((section.get("pSectionBuffer") or {}).get("size", 0))


def _message_given(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    sizes = [_size(section) for section in _sections(step)]
    return (bool(sizes) and all(sizes)) or Broken({"ppPacketSections": f"{len(sizes)} sections", "bytes": sizes})


def _section_order(step: CallStep) -> Answer:
    sections = _sections(step)
    if not sections:
        return None
    types = tuple(section.get("SectionBufferType", _FULL) for section in sections)
    told = step.response.get("pdwNumberOfSections", 0)
    srmp = (step.call.message or {}).get("srmp")
    fits = types == (_FULL,) or srmp is None or srmp == (types[0] in _SRMP)
    if types in _ORDERS and told == len(types) and fits:
        return True
    shown = {"SectionBufferType": ", ".join(str(_NAMES.get(one, one)) for one in types), "pdwNumberOfSections": told}
    return Broken(shown if srmp is None else shown | {"AH": int(srmp)})


def _section_sizes(step: CallStep) -> Answer:
    sections = _sections(step)
    if not sections:
        return None
    allocated = 0
    for number, section in enumerate(sections, 1):
        bytes_here, size, whole = _size(section), section.get("SectionSize", 0), section.get("SectionSizeAlloc", 0)
        allocated += whole
        cut = section.get("SectionBufferType", _FULL) in _FIRST
        if size != bytes_here or whole < size or (whole > size and not cut):
            shown = {"pSectionBuffer": f"{bytes_here} bytes", "SectionSize": size, "SectionSizeAlloc": whole}
            return Broken({"section": number, **shown})
    # The SessionHeader is not counted, and nobody says whether trailers are: it may be less. It may be more only by the
    # bytes that align a body, which is counted without them: [MS-MQMQ] 2.2.19.1, 2.2.19.3.
    told = (sections[0].get("pSectionBuffer") or {}).get("packet_size")
    fits = told is None or told <= allocated + -allocated % _ALIGNMENT
    return fits or Broken({"BaseHeader.PacketSize": told, "SectionSizeAlloc": allocated})


def _body_limit(step: CallStep) -> Answer:
    """Only one way: room kept behind a body may count as body, so that one which seems to fit may be cut."""
    sections, told = _sections(step), step.call.message or {}
    if [section.get("SectionBufferType", _FULL) for section in sections] != [_FULL]:
        return None
    body, limit = told.get("body_size"), step.request.get("dwMaxBodySize", 0)
    if body is None or told.get("srmp") is None:
        return Reason.NOT_DECODED
    if told["srmp"]:
        return None
    return body <= limit or Broken({"dwMaxBodySize": limit, "body": f"{body} bytes"})


def _sequence_id(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    asked, found = step.request.get("LookupId", 0), step.response.get("pSequenceId", 0)
    action = step.request.get("ulAction", 0)
    if found > v.SEQUENTIAL:
        return Broken({"pSequenceId": f"0x{found:x}"})
    if not found and action not in v.RECEIVING:
        # It is "received by this request": a server may think that a peek is not meant.
        return None
    if action in _BESIDE:
        named = asked & v.SEQUENTIAL
        return (
            not named
            or found != named
            or Broken({"ulAction": v.ACTIONS[action], "LookupId": f"0x{asked:x}", "pSequenceId": f"0x{found:x}"})
        )
    if action not in v.LOOKUP_CURRENT:
        return True
    return found == asked & v.SEQUENTIAL or Broken({"LookupId": f"0x{asked:x}", "pSequenceId": f"0x{found:x}"})


def _arrive_time(step: CallStep) -> Answer:
    # The server's steps set it for receives alone.
    if not step.succeeded or step.request.get("ulAction", 0) not in v.RECEIVING:
        return None
    return bool(step.response.get("pdwArriveTime")) or Broken({"pdwArriveTime": 0})


_server = partial(
    Rule,
    document="MS-MQRR",
    keyword="MUST",
    party=Party.SERVER,
    level=Level.MEDIUM,
    operations=v.REMOTE_STARTS,
    needs=RESPONSE,
)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqrr-message-given",
        "A read succeeded without a message",
        section="2.2.6, 3.1.4.7, 3.1.4.13",
        requirement="A read that succeeds returns the message in ppPacketSections, none of which is empty.",
        check=_message_given,
    ),
    _server(
        "mqrr-section-order",
        "The sections of a message do not make one message",
        section="2.2.5.1.1, 2.2.5.1.2, 2.2.6, 3.1.4.7, 3.1.4.13",
        requirement="A message is one full packet, or a first section and maybe a second of the same kind: of SRMP "
        "where UserHeader.Flags.AH is set, else binary; pdwNumberOfSections counts them.",
        check=_section_order,
    ),
    _server(
        "mqrr-section-sizes",
        "The sizes of a section contradict each other",
        section="2.2.6, 3.1.4.7, 3.1.4.13",
        requirement="SectionSize is the size of pSectionBuffer, and SectionSizeAlloc the same; of a first section it "
        "may be more. The message does not tell a PacketSize beyond what all sections would hold.",
        check=_section_sizes,
    ),
    _server(
        "mqrr-body-limit",
        "A message came longer than it was asked for",
        section="3.1.4.7, 3.1.4.13",
        requirement="A binary message with a body beyond dwMaxBodySize comes as a first section with so much of it, "
        "not as a full packet.",
        level=Level.LOW,
        needs=BOTH,
        check=_body_limit,
        undecidable_when="the sections do not hold a message that can be read",
    ),
    _server(
        "mqrr-sequence-id",
        "Another message was given than was asked for by its lookup identifier, or one of more than seven bytes",
        section="3.1.4.7, 3.1.4.13",
        requirement="pSequenceId is the low seven bytes of the message's lookup identifier: with MQ_LOOKUP_*_CURRENT "
        "of the one asked for, with *_NEXT and *_PREV of another one.",
        needs=BOTH,
        check=_sequence_id,
    ),
    _server(
        "mqrr-arrive-time",
        "A message was given without the time of its arrival",
        section="3.1.4.7, 3.1.4.13",
        requirement="pdwArriveTime of a receive is the time at which the message entered the queue.",
        level=Level.LOW,
        needs=BOTH,
        check=_arrive_time,
    ),
)
