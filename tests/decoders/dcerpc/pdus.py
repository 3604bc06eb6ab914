"""DCE/RPC PDUs as bytes, written from [C706] 12.6 and not from the code under test."""

from __future__ import annotations

import struct
import uuid
from dataclasses import dataclass
from typing import Literal

ByteOrder = Literal["<", ">"]
REQUEST, RESPONSE, FAULT, BIND, BIND_ACK, BIND_NAK, ALTER, ALTER_RESP, AUTH3 = 0, 2, 3, 11, 12, 13, 14, 15, 16
SHUTDOWN, CO_CANCEL, ORPHANED = 17, 18, 19
FIRST, MIDDLE, LAST, ONLY = 1, 0, 2, 3
NDR = ("8a885d04-1ceb-11c9-9fe8-08002b104860", 2, 0)
NDR64 = ("71710533-beba-4937-8319-b5dbef9ccc36", 1, 0)
QM2QM = ("1088a980-eae5-11d0-8d9b-00a02453c337", 1, 0)
SAMR = ("12345778-1234-abcd-ef00-0123456789ac", 1, 0)
Syntax = tuple[str, int, int]


@dataclass(frozen=True)
class Auth:
    """A security trailer to be; `claimed_pad` overrides what it says of its padding."""

    token: bytes = b"\x01\0\0\0SIGNATURE..."
    type: int = 10
    level: int = 5
    context_id: int = 0
    pad: int = 0
    claimed_pad: int | None = None


def pdu(
    kind: int,
    body: bytes = b"",
    order: ByteOrder = "<",
    *,
    flags: int = 3,
    call_id: int = 1,
    minor: int = 0,
    auth: Auth | None = None,
) -> bytes:
    drep = b"\x10\0\0\0" if order == "<" else bytes(4)
    size = 0
    if auth is not None:
        pad = auth.pad if auth.claimed_pad is None else auth.claimed_pad
        trailer = struct.pack(f"{order}BBBBI", auth.type, auth.level, pad, 0, auth.context_id)
        body, size = body + b"\xbb" * auth.pad + trailer + auth.token, len(auth.token)
    return (
        struct.pack("BBBB", 5, minor, kind, flags)
        + drep
        + struct.pack(f"{order}HHI", 16 + len(body), size, call_id)
        + body
    )


def bind(
    *contexts: tuple[Syntax, tuple[Syntax, ...]],
    order: ByteOrder = "<",
    kind: int = BIND,
    claimed: int | None = None,
    first_id: int = 0,
    call_id: int = 1,
    group: int = 0,
    auth: Auth | None = None,
) -> bytes:
    """`claimed` overrides the number of contexts."""
    elements = b"".join(
        struct.pack(f"{order}HBB", number, len(transfers), 0)
        + b"".join(_syntax(syntax, order) for syntax in (abstract, *transfers))
        for number, (abstract, transfers) in enumerate(contexts, first_id)
    )
    count = len(contexts) if claimed is None else claimed
    body = struct.pack(f"{order}HHIBBH", 5_840, 4_280, group, count, 0, 0) + elements
    return pdu(kind, body, order, call_id=call_id, auth=auth)


def ack(
    *results: tuple[int, int, Syntax],
    order: ByteOrder = "<",
    kind: int = BIND_ACK,
    address: bytes = b"2103\0",
    call_id: int = 1,
    auth: Auth | None = None,
) -> bytes:
    body = struct.pack(f"{order}HHIH", 5_840, 4_280, 0xABCD, len(address)) + address
    body += bytes(-len(body) % 4) + struct.pack("BBH", len(results), 0, 0)
    for result, reason, syntax in results:
        body += struct.pack(f"{order}HH", result, reason) + _syntax(syntax, order)
    return pdu(kind, body, order, call_id=call_id, auth=auth)


def request(
    stub: bytes = b"stub",
    order: ByteOrder = "<",
    opnum: int = 0,
    *,
    flags: int = 3,
    call_id: int = 1,
    ctx: int = 0,
    object_uuid: str | None = None,
    auth: Auth | None = None,
) -> bytes:
    body = struct.pack(f"{order}IHH", len(stub), ctx, opnum)
    if object_uuid is not None:
        name = uuid.UUID(object_uuid)
        body, flags = body + (name.bytes_le if order == "<" else name.bytes), flags | 0x80
    return pdu(REQUEST, body + stub, order, flags=flags, call_id=call_id, auth=auth)


def response(
    stub: bytes = b"stub",
    order: ByteOrder = "<",
    *,
    flags: int = 3,
    call_id: int = 1,
    ctx: int = 0,
    cancels: int = 0,
    auth: Auth | None = None,
) -> bytes:
    body = struct.pack(f"{order}IHBB", len(stub), ctx, cancels, 0) + stub
    return pdu(RESPONSE, body, order, flags=flags, call_id=call_id, auth=auth)


def fault(
    status: int = 0x1C010003,
    order: ByteOrder = "<",
    *,
    flags: int = 3,
    call_id: int = 1,
    ctx: int = 0,
    extended: bytes | None = None,
    auth: Auth | None = None,
) -> bytes:
    size, more = (32, b"") if extended is None else (32 + len(extended), extended)
    body = struct.pack(f"{order}IHBBII", size, ctx, 0, extended is not None, status, 0) + more
    return pdu(FAULT, body, order, flags=flags, call_id=call_id, auth=auth)


def bind_ack(order: ByteOrder = "<") -> bytes:
    return pdu(BIND_ACK, bytes(44), order)


def verification(*commands: tuple[int, bytes]) -> bytes:
    """[MS-RPCE] 2.2.2.13 with the end flag on the last command."""
    last = len(commands) - 1
    return bytes.fromhex("8ae3137102f43671") + b"".join(
        struct.pack("<HH", kind | (0x4000 if n == last else 0), len(payload)) + payload
        for n, (kind, payload) in enumerate(commands)
    )


def pcontext(interface: Syntax, transfer: Syntax) -> tuple[int, bytes]:
    return 2, _syntax(interface, "<") + _syntax(transfer, "<")


def header2(call_id: int = 1, ctx: int = 0, opnum: int = 0) -> tuple[int, bytes]:
    return 3, struct.pack("<BBH4sIHH", 0, 0, 0, b"\x10\0\0\0", call_id, ctx, opnum)


def _syntax(syntax: Syntax, order: ByteOrder) -> bytes:
    name, major, minor = syntax
    raw = uuid.UUID(name).bytes_le if order == "<" else uuid.UUID(name).bytes
    return raw + struct.pack(f"{order}I", minor << 16 | major)
