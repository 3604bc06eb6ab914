"""A stream joined in the middle, until enough was seen to say which byte is its first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.limits import MAX_AHEAD_BYTES, SETTLE_BYTES, SETTLE_SEGMENTS
from decoders.tcp.model import PSH
from decoders.tcp.sequence import add, distance

if TYPE_CHECKING:
    from decoders.tcp.model import Segment


class Start:
    """Data segments and ACKs seen before position 0 is known."""

    __slots__ = ("_ack_before_data", "_first_ack", "_probes", "_size", "fin_seq", "last_ack", "segments")

    def __init__(self) -> None:
        self.segments: list[Segment] = []
        self.fin_seq: int | None = None
        self.last_ack: tuple[int, int] | None = None
        """The peer's furthest ACK number and the packet number it came with."""
        self._first_ack: int | None = None
        self._ack_before_data = False
        self._size = 0
        self._probes: set[int] = set()
        """Numbers of keep-alives (RFC 9293 3.8.4), whose one byte is garbage before the next of the stream."""

    @property
    def reference(self) -> int | None:
        return self.segments[0].seq if self.segments else None

    @property
    def place(self) -> int | None:
        """A number near the bytes: of the first, or else of those that the peer has."""
        return self.reference if self.segments or self.last_ack is None else self.last_ack[0]

    def hold(self, segment: Segment) -> bool:
        """Keep a data segment; true when it is time to settle."""
        if segment.wire_len == 1 and (self._is_acknowledged(segment) or _looks_like_keep_alive(segment)):
            self._probes.add(segment.seq)
        self.segments.append(segment)
        self._size += len(segment.payload)
        return len(self.segments) >= SETTLE_SEGMENTS or self._size >= SETTLE_BYTES

    def acknowledge(self, ack: int, packet: int) -> None:
        if self.last_ack is None:
            self._first_ack, self._ack_before_data = ack, not self.segments
        elif not 0 < distance(ack, self.last_ack[0]) <= MAX_AHEAD_BYTES:
            return
        self.last_ack = (ack, packet)

    def first_position(self) -> int | None:
        """The sequence number of position 0, None where nothing tells it.

        It is what the peer had acknowledged before any data came, if that is less: the bytes between were not captured,
        and what follows them may be the answer to something else than what the peer is seen to have asked.
        """
        first = self._first_data()
        if first is None or self._first_ack is None or not self._ack_before_data:
            return self._first_ack if first is None else first
        return self._first_ack if 0 < distance(first, self._first_ack) <= MAX_AHEAD_BYTES else first

    def _first_data(self) -> int | None:
        if not self.segments:
            return None
        data = [segment.seq for segment in self.segments if segment.wire_len != 1 or segment.seq not in self._probes]
        if not data:
            return add(self.segments[0].seq, 1)
        near = (distance(seq, data[0]) for seq in data)
        return add(data[0], min(way for way in near if abs(way) <= MAX_AHEAD_BYTES))

    def _is_acknowledged(self, segment: Segment) -> bool:
        return self.last_ack is not None and add(segment.seq, 1) == self.last_ack[0]


def _looks_like_keep_alive(segment: Segment) -> bool:
    """Windows sends a zero byte and no PSH, which a byte that an application wrote has."""
    return segment.payload == b"\0" and not segment.flags & PSH
