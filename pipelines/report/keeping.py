"""The first of a stream by some order, in memory for twice as many as are wanted."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Kept = TypeVar("Kept")


class FirstRows(Generic[Kept]):
    def __init__(self, most: int, key: Callable[[Kept], Any]) -> None:
        self._most, self._key = most, key
        self._held: list[Kept] = []
        self.seen = 0

    def add(self, one: Kept) -> None:
        self.seen += 1
        self._held.append(one)
        if len(self._held) > 2 * self._most:
            self._held = heapq.nsmallest(self._most, self._held, key=self._key)

    def add_all(self, many: Iterable[Kept]) -> FirstRows[Kept]:
        for one in many:
            self.add(one)
        return self

    def rows(self) -> list[Kept]:
        """In order."""
        return heapq.nsmallest(self._most, self._held, key=self._key)
