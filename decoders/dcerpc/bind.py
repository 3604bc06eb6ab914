"""Presentation contexts as bind and alter_context propose them ([C706] 12.6.4.3, 12.6.4.1) and their answers decide."""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.errors import Truncated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.dcerpc.header import ByteOrder

_CONTEXTS_AT: Final = 28
_SYNTAX_BYTES: Final = 20
_RESULT_BYTES: Final = 24
_FEATURES: Final = "6cb71c2c-9812-4540-"
"""[MS-RPCE] 3.3.1.5.3: a transfer syntax that begins so is none, its last eight bytes are a bitmask."""


@dataclass(frozen=True, slots=True)
class SyntaxId:
    uuid: str
    major: int
    minor: int

    @property
    def features(self) -> int | None:
        """BindTimeFeatureNegotiationBitmask, [MS-RPCE] 2.2.2.14; its first octet holds the lowest bits."""
        if not self.uuid.startswith(_FEATURES):
            return None
        return int.from_bytes(uuid.UUID(self.uuid).bytes[8:], "little")


@dataclass(frozen=True, slots=True)
class PresentationContext:
    context_id: int
    abstract_syntax: SyntaxId
    transfer_syntaxes: tuple[SyntaxId, ...]

    @property
    def features(self) -> int | None:
        """Of a bind time feature negotiation element; None where a real transfer syntax is proposed."""
        return self.transfer_syntaxes[0].features if len(self.transfer_syntaxes) == 1 else None


@dataclass(frozen=True, slots=True)
class ContextResult:
    """p_result_t: the answer to the element at the same place of the proposal."""

    result: int
    reason: int
    """With result negotiate_ack the server's feature bits, [MS-RPCE] 2.2.2.15."""
    transfer_syntax: SyntaxId


def parse_contexts(pdu: bytes | bytearray, byte_order: ByteOrder) -> Iterator[PresentationContext]:
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
        found = [read_syntax(pdu, start, byte_order) for start in whole]
        yield PresentationContext(context_id, found[0], tuple(found[1:]))
        if end > len(pdu):
            raise Truncated("the PDU ends inside a list of transfer syntaxes", at)
        at = end


def parse_results(pdu: bytes, at: int, byte_order: ByteOrder) -> tuple[ContextResult, ...]:
    """p_result_list_t at `at`. Raises Truncated."""
    if len(pdu) - at < 4:
        raise Truncated("the PDU ends before its result list", len(pdu))
    count = pdu[at]
    at += 4
    if len(pdu) - at < count * _RESULT_BYTES:
        raise Truncated(f"the PDU ends inside its {count} results", len(pdu))
    found: list[ContextResult] = []
    for start in range(at, at + count * _RESULT_BYTES, _RESULT_BYTES):
        result, reason = struct.unpack_from(f"{byte_order}HH", pdu, start)
        found.append(ContextResult(result, reason, read_syntax(pdu, start + 4, byte_order)))
    return tuple(found)


def read_syntax(pdu: bytes | bytearray, at: int, byte_order: ByteOrder) -> SyntaxId:
    raw = bytes(pdu[at : at + 16])
    identifier = uuid.UUID(bytes_le=raw) if byte_order == "<" else uuid.UUID(bytes=raw)
    version = struct.unpack_from(f"{byte_order}I", pdu, at + 16)[0]
    return SyntaxId(str(identifier), version & 0xFFFF, version >> 16)
