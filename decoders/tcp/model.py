"""What goes into and comes out of TCP reassembly.

Segments and events are named tuples: a frozen dataclass takes three times as long to make, and there is one a packet.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple, TypeAlias

FIN, SYN, RST, PSH, ACK, URG, ECE, CWR = (1 << bit for bit in range(8))


class Side(enum.IntEnum):
    """The endpoint that sent something. LOW is the smaller (address, port) of the two, whoever the client is."""

    LOW = 0
    HIGH = 1

    @property
    def peer(self) -> Side:
        return _PEERS[self]


_PEERS: Final = (Side.HIGH, Side.LOW)


class Segment(NamedTuple):
    """One captured TCP segment."""

    sender: Side
    ts_ns: int
    capture: int
    """Ordinal of the capture file among the inputs."""
    frame: int
    """Counts from 1 within the capture."""
    seq: int
    ack: int
    flags: int
    window: int
    payload: bytes
    wire_len: int
    """Payload bytes on the wire: more than len(payload) where the snap length cut the packet."""


class GapReason(enum.StrEnum):
    NOT_CAPTURED = "not-captured"
    """The peer acknowledged bytes that are not in the capture, or the stream went on without them."""
    SNAP_LENGTH = "snap-length"
    """The packet is there, its bytes were cut off by the snap length."""
    LIMIT = "limit"
    """More was waiting behind the hole than limits.py allows to hold."""


class Data(NamedTuple):
    """Bytes in order. One event a contributing segment, so that every byte is traced to its frame."""

    sender: Side
    offset: int
    """Stream offset of the first byte; 0 is the first byte after SYN, or the first one seen."""
    payload: bytes
    ts_ns: int
    capture: int
    frame: int


class Gap(NamedTuple):
    """Bytes the stream had and the capture has not."""

    sender: Side
    offset: int
    size: int
    reason: GapReason
    ts_ns: int
    capture: int
    frame: int
    """The frame after which the gap was certain."""


class Conflict(NamedTuple):
    """An overlap whose bytes differ from those delivered or held first; the first ones stand."""

    sender: Side
    offset: int
    size: int
    """Number of bytes that differ."""
    ts_ns: int
    capture: int
    frame: int


class Fate(enum.StrEnum):
    """What became of each payload byte that came in. Sums to the bytes fed once the connection is finished."""

    DELIVERED = "delivered"
    DUPLICATE = "duplicate"
    BEFORE_START = "before_start"
    """Older than the first byte of a stream joined in the middle."""
    LATE = "late"
    """For a gap already given up: see REORDER_GRACE_PACKETS and MAX_HELD_BYTES."""
    OUT_OF_WINDOW = "out_of_window"
    """Further away than any window allows, or sent after a reset."""


StreamEvent: TypeAlias = Data | Gap | Conflict
