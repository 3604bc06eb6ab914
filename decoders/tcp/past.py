"""What is known of bytes a stream already delivered or gave up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.limits import HISTORY_BYTES, MAX_GAPS_REMEMBERED
from decoders.tcp.ranges import Ranges

if TYPE_CHECKING:
    from decoders.tcp.overlap import Overlap


class Past:
    """The last HISTORY_BYTES delivered bytes in a ring, and which ranges were given up as gaps."""

    __slots__ = ("_floor", "_lost", "_ring")

    def __init__(self) -> None:
        self._ring = bytearray()
        self._lost = Ranges()
        self._floor = 0
        """Below it the ring cannot be trusted: a gap there is no longer remembered."""

    def __len__(self) -> int:
        return len(self._ring)

    def deliver(self, position: int, payload: bytes) -> None:
        size = len(payload)
        # The ring grows to its size by the bytes themselves, so that a short connection does not pay for a long one.
        if position == len(self._ring) and position + size <= HISTORY_BYTES:
            self._ring += payload
            return
        if len(self._ring) < HISTORY_BYTES:
            self._ring.extend(bytes(HISTORY_BYTES - len(self._ring)))
        if size > HISTORY_BYTES:
            position += size - HISTORY_BYTES
            payload = payload[-HISTORY_BYTES:]
            size = HISTORY_BYTES
        start = position % HISTORY_BYTES
        room = HISTORY_BYTES - start
        if size <= room:
            self._ring[start : start + size] = payload
        else:
            self._ring[start:] = payload[:room]
            self._ring[: size - room] = payload[room:]

    def lose(self, start: int, end: int) -> None:
        self._lost.add(start, end)
        if len(self._lost) > MAX_GAPS_REMEMBERED:
            self._floor = self._lost.forget_first()

    def compare(self, start: int, payload: bytes, now: int, overlap: Overlap) -> None:
        """Sort a repeated stretch [start, start + len) below the position `now` into duplicate and late bytes."""
        end = start + len(payload)
        oldest = max(now - HISTORY_BYTES, self._floor)
        position = start
        for lost_start, lost_end in [*self._lost.within(start, end), (end, end)]:
            overlap.duplicate += lost_start - position
            overlap.late += lost_end - lost_start
            position = max(position, oldest)
            if position < lost_start:
                overlap.compare(
                    position, self._read(position, lost_start), payload[position - start : lost_start - start]
                )
            position = lost_end

    def _read(self, start: int, end: int) -> bytes:
        low, high = start % HISTORY_BYTES, end % HISTORY_BYTES
        if low < high:
            return bytes(self._ring[low:high])
        return bytes(self._ring[low:]) + bytes(self._ring[:high])
