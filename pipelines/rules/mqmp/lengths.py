"""[MS-MQMP], the server: buffers that it fills, and the lengths that it tells of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqmp.objects import is_self_relative
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep


class _Told(NamedTuple):
    length: str
    room: str
    too_small: int
    """The error demanded where the room does not do."""


_LENGTHS: Final = {
    v.GET_SECURITY: _Told("lpnLengthNeeded", "nLength", 0xC00E_0023),
    v.WHEREABOUTS: _Told("pcbWhereabouts", "cbBufSize", 0xC00E_0028),
    v.AC_NAME: _Told("pdwLength", "dwFormatNameRPCBufferLen", 0xC00E_001F),
}
_DESCRIPTOR_BYTES: Final = 20


def _buffer_answer(step: CallStep) -> Answer:
    told = _LENGTHS[step.call.method]
    if step.call.status not in (v.MQ_OK, told.too_small):
        return None
    length, room = step.response.get(told.length, 0), step.request.get(told.room, 0)
    if step.call.method == v.AC_NAME and step.request.get("pdwLength", 0) != room:
        return None
    if step.succeeded != (length <= room):
        return Broken({told.room: room, told.length: length, "return_value": code_shown(step.call.status)})
    if step.call.method == v.AC_NAME:
        return _name_answer(step, length, room)
    if step.call.method == v.GET_SECURITY and step.succeeded and length >= _DESCRIPTOR_BYTES:
        fits = is_self_relative(step.response.get("pSecurityDescriptor") or {})
        return fits or Broken({"pSecurityDescriptor": "not self-relative"})
    return True


def _name_answer(step: CallStep, length: int, room: int) -> Answer:
    text = step.response.get("lpwcsFormatName")
    if not text:
        return True
    # Null characters at the end of a buffer are not part of the decoded text.
    name = text.partition("\0")[0]
    needed = len(name.encode("utf-16-le", "surrogatepass")) // 2 + 1
    if needed <= room and (needed == length or not step.succeeded):
        return True
    return Broken({"lpwcsFormatName": name, "pdwLength": length, "dwFormatNameRPCBufferLen": room})


RULES: Final = (
    Rule(
        "mqmp-buffer-answer",
        "A length or buffer that was returned does not fit the outcome",
        "MS-MQMP",
        "3.1.4.7, 3.1.4.12, 3.1.4.21",
        "With MQ_OK the length told is not above that of the buffer, with the error for a small buffer it is. A "
        "security descriptor is self-relative, a format name ends with a null.",
        "MUST",
        Party.SERVER,
        Level.LOW,
        operations=tuple(_LENGTHS),
        needs=BOTH,
        check=_buffer_answer,
    ),
)
