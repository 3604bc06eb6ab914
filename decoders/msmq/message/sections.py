"""A message in the sections that RemoteRead sends it in: [MS-MQRR] 2.2.6, 2.2.7."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from decoders.interfaces.remoteread import SectionType
from decoders.msmq.message.packet import Message, parse_packet
from decoders.msmq.message.problems import MessageProblem
from decoders.msmq.message.reader import Form, Gap, aligned
from decoders.ndr.model import CutBytes

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Section:
    kind: int
    """SectionBufferType."""
    size_alloc: int
    """SectionSizeAlloc: its size, had the whole body been sent."""
    data: bytes | None
    """CutBytes where its end was not captured."""


_TYPES: Final = dict(SectionType.members)
_WHOLE: Final = _TYPES["stFullPacket"]
_FIRST: Final = frozenset({_TYPES["stBinaryFirstSection"], _TYPES["stSrmpFirstSection"]})
_SEQUENCES: Final = frozenset(
    {
        (_WHOLE,),
        (_TYPES["stBinaryFirstSection"],),
        (_TYPES["stBinaryFirstSection"], _TYPES["stBinarySecondSection"]),
        (_TYPES["stSrmpFirstSection"],),
        (_TYPES["stSrmpFirstSection"], _TYPES["stSrmpSecondSection"]),
    }
)
_MOST: Final = 2


def from_sections(sections: Sequence[Section]) -> Message:
    """Never raises: what does not belong together is left out, and `problems` says so."""
    count = len(sections)
    kinds = tuple(section.kind for section in sections[: _MOST + 1])
    problems = [] if kinds in _SEQUENCES else [f"{count} sections of the types {list(kinds)}"]
    problems += [problem for section in sections[:_MOST] if (problem := _size_problem(section))]
    data = sections[0].data or b"" if sections else b""
    missing = sections[0].size_alloc - len(data) if kinds[:1] and kinds[0] in _FIRST else 0
    gap = None
    if missing <= 0 or isinstance(data, CutBytes):
        missing = 0
    else:
        # The second section begins with a header, the first would end with the body: nothing says which of the two
        # counts the padding between them.
        gap = Gap(len(data), aligned(len(data) + missing) - len(data))
        if kinds in _SEQUENCES:
            data = b"".join(section.data or b"" for section in sections)
    message = parse_packet(data, Form.MQRR, missing, gap, count)
    told = (MessageProblem("message-sections", 0, problem) for problem in problems)
    return replace(message, problems=(*told, *message.problems))


def _size_problem(section: Section) -> str | None:
    size, told = len(section.data or b""), section.size_alloc
    may_be_less = section.kind in _FIRST or isinstance(section.data, CutBytes)
    if size > told or (size < told and not may_be_less):
        return f"{size} bytes in a section of type {section.kind} with SectionSizeAlloc {told}"
    return None
