"""Each type of PDU from its bytes: [C706] 12.6.4 with [MS-RPCE] 2.2.2. Every PDU's own drep gives its byte order."""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from decoders.dcerpc.bind import ContextResult, PresentationContext, parse_contexts, parse_results
from decoders.dcerpc.header import FIXED_BYTES, PacketType, PduFlag, PduHeader
from decoders.dcerpc.security_trailer import TRAILER_BYTES, Body, SecurityTrailer, split_body
from decoders.errors import Malformed, Truncated

if TYPE_CHECKING:
    from collections.abc import Callable

_EXTENDED_ERROR: Final = uuid.UUID("90740320-fad0-11d3-82d7-009027b130ab")
"""[MS-RPCE] 2.2.1.1.2."""
_FAULT_EXTENDED_AT: Final = 32
_OBJECT_UUID: Final = int(PduFlag.OBJECT_UUID)
_REQUEST: Final = {"<": struct.Struct("<IHH"), ">": struct.Struct(">IHH")}
_RESPONSE: Final = {"<": struct.Struct("<IHB"), ">": struct.Struct(">IHB")}
_CALL_TYPES: Final = (PacketType.REQUEST, PacketType.RESPONSE, PacketType.FAULT)


@dataclass(frozen=True, slots=True)
class _Pdu:
    header: PduHeader
    security: SecurityTrailer | None
    problem: str | None
    """A security trailer that cannot be as it says."""


class Request(NamedTuple):
    # Not a _Pdu: most PDUs are requests and responses, and a named tuple is made in a third of the time.
    header: PduHeader
    security: SecurityTrailer | None
    problem: str | None
    alloc_hint: int
    p_cont_id: int
    opnum: int
    object_uuid: str | None
    stub: bytes
    """Without authentication padding; a verification trailer is still in it."""


class Response(NamedTuple):
    header: PduHeader
    security: SecurityTrailer | None
    problem: str | None
    alloc_hint: int
    p_cont_id: int
    cancel_count: int
    stub: bytes


@dataclass(frozen=True, slots=True)
class Fault(_Pdu):
    alloc_hint: int
    p_cont_id: int
    cancel_count: int
    status: int
    extended_error: bytes | None
    """[MS-EERR] bytes where bit 0 of the reserved field announces them, [MS-RPCE] 2.2.2.8."""

    @property
    def did_not_execute(self) -> bool:
        return bool(self.header.flags & PduFlag.DID_NOT_EXECUTE)


@dataclass(frozen=True, slots=True)
class Bind(_Pdu):
    """bind or alter_context."""

    max_xmit_frag: int
    max_recv_frag: int
    assoc_group_id: int
    contexts: tuple[PresentationContext, ...]


@dataclass(frozen=True, slots=True)
class BindAck(_Pdu):
    """bind_ack or alter_context_resp."""

    max_xmit_frag: int
    max_recv_frag: int
    assoc_group_id: int
    sec_addr: str
    results: tuple[ContextResult, ...]


@dataclass(frozen=True, slots=True)
class BindNak(_Pdu):
    provider_reject_reason: int
    versions: tuple[tuple[int, int], ...]
    """(major, minor) that the server supports."""
    extended_error: bytes | None


@dataclass(frozen=True, slots=True)
class Control(_Pdu):
    """auth3, shutdown, co_cancel, orphaned: nothing but a header and, for most, a security trailer."""


Pdu: TypeAlias = Request | Response | Fault | Bind | BindAck | BindNak | Control


def parse_pdu(data: bytes, header: PduHeader) -> Pdu:
    """A whole PDU. Raises Truncated or Malformed and nothing else."""
    if len(data) != header.frag_length:
        raise Truncated(f"{len(data)} bytes of {header.frag_length}", len(data))
    fixed = FIXED_BYTES[header.packet_type]
    if header.packet_type is PacketType.REQUEST and header.flags & _OBJECT_UUID:
        fixed += 16
    if len(data) < fixed:
        raise Truncated(f"{header.packet_type.name.lower()} of {len(data)} bytes, {fixed} are fixed", len(data))
    return _PARSERS[header.packet_type](data, header, split_body(data, header, fixed))


def parse_beginning(data: bytes, header: PduHeader) -> Pdu | None:
    """What the beginning of a cut request, response or fault tells; None where it tells nothing.

    The stub is what was captured of it: the trailer, which would say how much of that is padding, is missing.
    """
    if header.packet_type not in _CALL_TYPES or len(data) < FIXED_BYTES[header.packet_type]:
        return None
    trailer = header.auth_length + TRAILER_BYTES if header.auth_length else 0
    end = min(len(data), header.frag_length - trailer)
    if header.flags & _OBJECT_UUID and len(data) < 40:
        header = header._replace(flags=header.flags & ~_OBJECT_UUID)
        end = 24
    return _PARSERS[header.packet_type](data, header, Body(end, None))


def _request(data: bytes, header: PduHeader, body: Body) -> Request:
    alloc_hint, p_cont_id, opnum = _REQUEST[header.byte_order].unpack_from(data, 16)
    object_uuid, stub_at = None, 24
    if header.flags & _OBJECT_UUID:
        object_uuid, stub_at = str(_uuid(data, 24, header)), 40
    stub = data[stub_at : body.end]
    return Request(header, body.security, body.problem, alloc_hint, p_cont_id, opnum, object_uuid, stub)


def _response(data: bytes, header: PduHeader, body: Body) -> Response:
    alloc_hint, p_cont_id, cancel_count = _RESPONSE[header.byte_order].unpack_from(data, 16)
    return Response(header, body.security, body.problem, alloc_hint, p_cont_id, cancel_count, data[24 : body.end])


def _fault(data: bytes, header: PduHeader, body: Body) -> Fault:
    alloc_hint, p_cont_id, cancels, reserved, status = struct.unpack_from(f"{header.byte_order}IHBBI", data, 16)
    extended = None
    if reserved & 1:
        # Its length is alloc_hint - 0x20, which may say more than there is.
        extended = data[_FAULT_EXTENDED_AT : min(body.end, max(alloc_hint, _FAULT_EXTENDED_AT))]
    return Fault(header, body.security, body.problem, alloc_hint, p_cont_id, cancels, status, extended)


def _bind(data: bytes, header: PduHeader, body: Body) -> Bind:
    contexts = tuple(parse_contexts(data[: body.end], header.byte_order))
    return Bind(header, body.security, body.problem, *_sizes_and_group(data, header), contexts)


def _bind_ack(data: bytes, header: PduHeader, body: Body) -> BindAck:
    length = struct.unpack_from(f"{header.byte_order}H", data, 24)[0]
    if length > body.end - 26:
        raise Truncated("the PDU ends inside its secondary address", body.end)
    address = data[26 : 26 + length].rstrip(b"\0").decode("ascii", "backslashreplace")
    # port_any_t is padded so that the result list begins at a multiple of 4 from the start of the PDU.
    results = parse_results(data[: body.end], (26 + length + 3) & ~3, header.byte_order)
    return BindAck(header, body.security, body.problem, *_sizes_and_group(data, header), address, results)


def _bind_nak(data: bytes, header: PduHeader, body: Body) -> BindNak:
    reason = struct.unpack_from(f"{header.byte_order}H", data, 16)[0]
    count = data[18] if body.end > 18 else 0
    end = 19 + 2 * count
    if count and end > body.end:
        raise Truncated("the PDU ends inside its list of versions", body.end)
    versions = tuple(zip(data[19:end:2], data[20:end:2], strict=True))
    return BindNak(header, body.security, body.problem, reason, versions, _extended_error(data, end, header, body))


def _extended_error(data: bytes, at: int, header: PduHeader, body: Body) -> bytes | None:
    # [MS-RPCE] 2.2.2.9 says "following"; whether that is aligned to 4 it does not say, so both are looked at.
    for start in (at, (at + 3) & ~3):
        if body.end - start >= 16 and _uuid(data, start, header) == _EXTENDED_ERROR:
            return data[start + 16 : body.end]
    return None


def _control(data: bytes, header: PduHeader, body: Body) -> Control:
    if header.packet_type is PacketType.AUTH3 and body.security is None:
        raise Malformed("auth3 without a security trailer", min(len(data), 10))
    return Control(header, body.security, body.problem)


def _sizes_and_group(data: bytes, header: PduHeader) -> tuple[int, int, int]:
    max_xmit_frag, max_recv_frag, group = struct.unpack_from(f"{header.byte_order}HHI", data, 16)
    return max_xmit_frag, max_recv_frag, group


def _uuid(data: bytes, at: int, header: PduHeader) -> uuid.UUID:
    raw = data[at : at + 16]
    return uuid.UUID(bytes_le=raw) if header.byte_order == "<" else uuid.UUID(bytes=raw)


_PARSERS: Final[dict[PacketType, Callable[[bytes, PduHeader, Body], Pdu]]] = {
    PacketType.REQUEST: _request,
    PacketType.RESPONSE: _response,
    PacketType.FAULT: _fault,
    PacketType.BIND: _bind,
    PacketType.BIND_ACK: _bind_ack,
    PacketType.BIND_NAK: _bind_nak,
    PacketType.ALTER_CONTEXT: _bind,
    PacketType.ALTER_CONTEXT_RESP: _bind_ack,
    PacketType.AUTH3: _control,
    PacketType.SHUTDOWN: _control,
    PacketType.CO_CANCEL: _control,
    PacketType.ORPHANED: _control,
}
