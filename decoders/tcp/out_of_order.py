"""Bytes that wait behind a hole."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from decoders.tcp.model import Segment
    from decoders.tcp.overlap import Overlap

Piece: TypeAlias = tuple[bytes, int, int, int]
"""Payload and the ts_ns, capture and frame of the segment that supplied it."""


class OutOfOrderBytes:
    """Disjoint pieces sorted by stream position. The first copy of a byte stays."""

    __slots__ = ("_pieces", "size", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self._pieces: list[Piece] = []
        self.size = 0

    def covers(self, position: int) -> bool:
        index = bisect_right(self.starts, position) - 1
        return index >= 0 and position < self.starts[index] + len(self._pieces[index][0])

    def insert(self, start: int, payload: bytes, source: Segment, overlap: Overlap) -> int:
        """Keep what is new of `payload` and say how many bytes that was; the rest is noted in `overlap`."""
        starts, pieces = self.starts, self._pieces
        end = start + len(payload)
        low = bisect_right(starts, start)
        if low and starts[low - 1] + len(pieces[low - 1][0]) > start:
            low -= 1
        new_starts: list[int] = []
        new_pieces: list[Piece] = []
        new_size = 0
        position = start
        high = low
        while position < end:
            if high < len(starts) and starts[high] <= position:
                kept = pieces[high][0]
                offset = position - starts[high]
                stop = min(end, starts[high] + len(kept))
                overlap.compare(position, kept[offset : stop - starts[high]], payload[position - start : stop - start])
                overlap.duplicate += stop - position
                new_starts.append(starts[high])
                new_pieces.append(pieces[high])
                high += 1
            else:
                stop = min(end, starts[high]) if high < len(starts) else end
                new_starts.append(position)
                new_pieces.append(
                    (payload[position - start : stop - start], source.ts_ns, source.capture, source.frame)
                )
                new_size += stop - position
            position = stop
        if new_size:
            starts[low:high] = new_starts
            pieces[low:high] = new_pieces
            self.size += new_size
        return new_size

    def take_run(self, position: int) -> list[Piece]:
        """Remove and return the pieces that follow each other without a hole from `position` on."""
        count = 0
        for start, piece in zip(self.starts, self._pieces, strict=True):
            if start != position:
                break
            position += len(piece[0])
            count += 1
        run = self._pieces[:count]
        del self.starts[:count]
        del self._pieces[:count]
        self.size -= sum(len(piece[0]) for piece in run)
        return run
