"""What becomes of a packet: a TCP segment, an IP fragment to be put together, or something set aside."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Bytes: TypeAlias = npt.NDArray[np.uint8]
    Column: TypeAlias = npt.NDArray[Any]


class PacketOutcome(enum.IntEnum):
    """Each packet has exactly one; the accounting adds up over them."""

    TCP = 0
    IP_FRAGMENT = 1
    NOT_IP = 2
    NOT_TCP = 3
    UNSUPPORTED_LINK = 4
    HEADER_CUT = 5
    """The captured bytes end inside a header: snap length or a cut file."""
    MALFORMED = 6
    """A header contradicts itself."""
    TOO_DEEP = 7
    """More encapsulations, tags or extension headers than limits.py allows."""

    @property
    def counter(self) -> str:
        return self.name.lower()

    @property
    def code(self) -> str:
        """Of the issue that says so."""
        return self.name.lower().replace("_", "-")


@dataclass(frozen=True, slots=True)
class TcpHeader:
    """Addresses are 4 or 16 bytes; offsets count from the first captured byte of the packet."""

    src: bytes
    dst: bytes
    sport: int
    dport: int
    seq: int
    ack: int
    flags: int
    window: int
    payload_offset: int
    payload_len: int
    """Captured payload bytes."""
    payload_wire_len: int
    """Payload bytes on the wire; larger than payload_len where the snap length cut the packet."""


@dataclass(frozen=True, slots=True)
class IpFragment:
    """One fragment of an IP datagram, IPv4 or IPv6, at whatever depth of encapsulation."""

    src: bytes
    dst: bytes
    protocol: int
    """IPv4 protocol, or the next header value of the IPv6 fragment header."""
    identification: int
    fragment_offset: int
    """In bytes."""
    more: bool
    payload_offset: int
    payload_len: int
    payload_wire_len: int


@dataclass(frozen=True, slots=True)
class SetAside:
    outcome: PacketOutcome
    detail: str
    offset: int
    """Where in the packet the decision fell."""


Dissected: TypeAlias = TcpHeader | IpFragment | SetAside


@dataclass(slots=True)
class Headers:
    """Columns over the packets of one buffer, one entry a packet. Columns but `outcome` hold where outcome is TCP.

    Addresses are 128 bits in two columns, big end first, IPv4 as ::ffff:a.b.c.d with ip_version 4.
    """

    outcome: Column  # uint8
    ip_version: Column  # uint8
    src_high: Column  # uint64
    src_low: Column  # uint64
    dst_high: Column  # uint64
    dst_low: Column  # uint64
    sport: Column  # uint16
    dport: Column  # uint16
    seq: Column  # uint32
    ack: Column  # uint32
    flags: Column  # uint8
    window: Column  # uint16
    payload_offset: Column  # int64, from the start of the buffer
    payload_len: Column  # int32, captured
    payload_wire_len: Column  # int32
    fragments: dict[int, IpFragment]
    """Row to fragment where outcome is IP_FRAGMENT; payload_offset counts from the start of the packet."""
    set_aside: dict[int, SetAside]
    """Row to reason for every HEADER_CUT, MALFORMED and TOO_DEEP."""
