"""Presentation contexts of bind and alter_context: [C706] 12.6.4.3, 12.6.4.1."""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.errors import Truncated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Literal

_CONTEXTS_AT: Final = 28
_SYNTAX_BYTES: Final = 20


@dataclass(frozen=True, slots=True)
class SyntaxId:
    uuid: str
    major: int
    minor: int


@dataclass(frozen=True, slots=True)
class PresentationContext:
    context_id: int
    abstract_syntax: SyntaxId
    transfer_syntaxes: tuple[SyntaxId, ...]


def parse_contexts(pdu: bytes | bytearray, byte_order: Literal["<", ">"]) -> Iterator[PresentationContext]:
    """The contexts a bind or alter_context proposes. Raises Truncated behind the last of which there is enough.

    Of a cut one the abstract syntax is enough; transfer syntaxes may be missing then.
    """
    if len(pdu) < _CONTEXTS_AT:
        raise Truncated("the PDU ends before its context list", len(pdu))
    at = _CONTEXTS_AT
    for _ in range(pdu[24]):
        if len(pdu) - at < 4 + _SYNTAX_BYTES:
            raise Truncated("the PDU ends inside a context element", at)
        context_id, syntaxes = struct.unpack_from(f"{byte_order}HB", pdu, at)
        end = at + 4 + _SYNTAX_BYTES * (1 + syntaxes)
        whole = range(at + 4, min(end, len(pdu)) - _SYNTAX_BYTES + 1, _SYNTAX_BYTES)
        found = [_syntax(pdu, start, byte_order) for start in whole]
        yield PresentationContext(context_id, found[0], tuple(found[1:]))
        if end > len(pdu):
            raise Truncated("the PDU ends inside a list of transfer syntaxes", at)
        at = end


def _syntax(pdu: bytes | bytearray, at: int, byte_order: Literal["<", ">"]) -> SyntaxId:
    raw = bytes(pdu[at : at + 16])
    identifier = uuid.UUID(bytes_le=raw) if byte_order == "<" else uuid.UUID(bytes=raw)
    version = struct.unpack_from(f"{byte_order}I", pdu, at + 16)[0]
    return SyntaxId(str(identifier), version & 0xFFFF, version >> 16)
