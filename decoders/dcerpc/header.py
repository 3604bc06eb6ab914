"""The 16 bytes that every connection-oriented PDU begins with: [C706] 12.6.3.1, [MS-RPCE] 2.2.2.1."""

from __future__ import annotations

import enum
import struct
from typing import Final, Literal, NamedTuple, TypeAlias

ByteOrder: TypeAlias = Literal["<", ">"]

HEADER_BYTES: Final = 16
RPC_VERSION: Final = 5
MINOR_VERSIONS: Final = (0, 1)


class PacketType(enum.IntEnum):
    """[C706] 12.1; 16 is Microsoft's, [MS-RPCE] 2.2.2.10. The missing numbers are connectionless."""

    REQUEST = 0
    RESPONSE = 2
    FAULT = 3
    BIND = 11
    BIND_ACK = 12
    BIND_NAK = 13
    ALTER_CONTEXT = 14
    ALTER_CONTEXT_RESP = 15
    AUTH3 = 16
    SHUTDOWN = 17
    CO_CANCEL = 18
    ORPHANED = 19

    # Enum's own hashes the name, in Python; several tables are asked for the type of every PDU.
    __hash__ = int.__hash__


FIXED_BYTES: Final = {
    PacketType.REQUEST: 24,
    PacketType.RESPONSE: 24,
    PacketType.FAULT: 28,
    PacketType.BIND: 28,
    PacketType.BIND_ACK: 26,
    PacketType.BIND_NAK: 18,
    PacketType.ALTER_CONTEXT: 28,
    PacketType.ALTER_CONTEXT_RESP: 26,
    PacketType.AUTH3: 16,
    PacketType.SHUTDOWN: 16,
    PacketType.CO_CANCEL: 16,
    PacketType.ORPHANED: 16,
}
"""Header and the fields no PDU of the type is without: [C706] 12.6.4."""


class PduFlag(enum.IntFlag):
    """pfc_flags, [C706] 12.6.3.1."""

    FIRST_FRAG = 0x01
    LAST_FRAG = 0x02
    PENDING_CANCEL = 0x04
    """PFC_SUPPORT_HEADER_SIGN in binds and their answers and in auth3, [MS-RPCE] 2.2.2.3."""
    CONC_MPX = 0x10
    DID_NOT_EXECUTE = 0x20
    MAYBE = 0x40
    OBJECT_UUID = 0x80


_TYPES: Final = {int(member): member for member in PacketType}
_FIELDS: Final = {"<": struct.Struct("<BBBBBBHHHI"), ">": struct.Struct(">BBBBBBHHHI")}
_FIRST: Final = int(PduFlag.FIRST_FRAG)
_LAST: Final = int(PduFlag.LAST_FRAG)


class PduHeader(NamedTuple):
    packet_type: PacketType
    flags: int
    byte_order: ByteOrder
    frag_length: int
    auth_length: int
    call_id: int
    minor: int = 0

    @property
    def first(self) -> bool:
        return self.flags & _FIRST != 0

    @property
    def last(self) -> bool:
        return self.flags & _LAST != 0


def parse_header(data: bytes | bytearray | memoryview, at: int = 0) -> PduHeader | None:
    """The header at this place, or None where there cannot be one."""
    if len(data) - at < HEADER_BYTES:
        return None
    # drep: integer order in the high nibble, character set in the low one, float format in the second byte, two zeros.
    byte_order: ByteOrder = "<" if data[at + 4] & 0x10 else ">"
    major, minor, number, flags, integers, floats, zeros, frag_length, auth_length, call_id = _FIELDS[
        byte_order
    ].unpack_from(data, at)
    packet_type = _TYPES.get(number)
    if major != RPC_VERSION or minor not in MINOR_VERSIONS or packet_type is None:
        return None
    if integers & 0xEE or floats > 3 or zeros or frag_length < HEADER_BYTES or auth_length > frag_length - HEADER_BYTES:
        return None
    return PduHeader(packet_type, flags, byte_order, frag_length, auth_length, call_id, minor)
