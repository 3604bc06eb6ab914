"""DCE/RPC PDUs as bytes, written from [C706] 12.6 and not from the code under test."""

from __future__ import annotations

import struct
import uuid
from typing import Literal

ByteOrder = Literal["<", ">"]
REQUEST, RESPONSE, FAULT, BIND, BIND_ACK, BIND_NAK, ALTER, ALTER_RESP, AUTH3 = 0, 2, 3, 11, 12, 13, 14, 15, 16
NDR = ("8a885d04-1ceb-11c9-9fe8-08002b104860", 2, 0)
NDR64 = ("71710533-beba-4937-8319-b5dbef9ccc36", 1, 0)
QM2QM = ("1088a980-eae5-11d0-8d9b-00a02453c337", 1, 0)
SAMR = ("12345778-1234-abcd-ef00-0123456789ac", 1, 0)
Syntax = tuple[str, int, int]


def pdu(
    kind: int, body: bytes = b"", order: ByteOrder = "<", *, flags: int = 3, call_id: int = 1, minor: int = 0
) -> bytes:
    drep = b"\x10\0\0\0" if order == "<" else bytes(4)
    return (
        struct.pack("BBBB", 5, minor, kind, flags)
        + drep
        + struct.pack(f"{order}HHI", 16 + len(body), 0, call_id)
        + body
    )


def bind(
    *contexts: tuple[Syntax, tuple[Syntax, ...]], order: ByteOrder = "<", kind: int = BIND, claimed: int | None = None
) -> bytes:
    """`claimed` overrides the number of contexts."""
    elements = b"".join(
        struct.pack(f"{order}HBB", number, len(transfers), 0)
        + b"".join(_syntax(syntax, order) for syntax in (abstract, *transfers))
        for number, (abstract, transfers) in enumerate(contexts)
    )
    count = len(contexts) if claimed is None else claimed
    return pdu(kind, struct.pack(f"{order}HHIBBH", 5_840, 5_840, 0, count, 0, 0) + elements, order)


def request(stub: bytes = b"stub", order: ByteOrder = "<", opnum: int = 0) -> bytes:
    return pdu(REQUEST, struct.pack(f"{order}IHH", len(stub), 0, opnum) + stub, order)


def response(stub: bytes = b"stub", order: ByteOrder = "<") -> bytes:
    return pdu(RESPONSE, struct.pack(f"{order}IHBB", len(stub), 0, 0, 0) + stub, order)


def bind_ack(order: ByteOrder = "<") -> bytes:
    return pdu(BIND_ACK, bytes(44), order)


def _syntax(syntax: Syntax, order: ByteOrder) -> bytes:
    name, major, minor = syntax
    raw = uuid.UUID(name).bytes_le if order == "<" else uuid.UUID(name).bytes
    return raw + struct.pack(f"{order}I", minor << 16 | major)
