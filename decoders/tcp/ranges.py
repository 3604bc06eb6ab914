"""Sorted disjoint ranges of stream positions."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Ranges:
    """Half-open ranges [start, end); ranges that touch become one."""

    __slots__ = ("_ends", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def __len__(self) -> int:
        return len(self._starts)

    @property
    def first_end(self) -> int:
        return self._ends[0]

    @property
    def last_end(self) -> int:
        return self._ends[-1]

    def add(self, start: int, end: int) -> None:
        if start >= end:
            return
        low = bisect_left(self._ends, start)
        high = bisect_right(self._starts, end)
        if low < high:
            start = min(start, self._starts[low])
            end = max(end, self._ends[high - 1])
        self._starts[low:high] = [start]
        self._ends[low:high] = [end]

    def within(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The parts of the ranges that lie in [start, end), in order."""
        index = bisect_right(self._ends, start)
        while index < len(self._starts) and self._starts[index] < end:
            yield max(start, self._starts[index]), min(end, self._ends[index])
            index += 1

    def forget_before(self, position: int) -> None:
        """Drop the ranges that end at or before `position`."""
        if self._ends and self._ends[0] <= position:
            count = bisect_right(self._ends, position)
            del self._starts[:count]
            del self._ends[:count]

    def forget_first(self) -> int:
        """Drop the first range and say where it ended."""
        del self._starts[0]
        return self._ends.pop(0)
