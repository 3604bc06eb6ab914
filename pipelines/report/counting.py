"""Sums by key, of a stream with any number of keys: which keys stay does not depend on the order of the stream."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Key: TypeAlias = tuple[str | None, ...]


@dataclass(slots=True)
class Sum:
    key: Key
    first: int | None = None
    last: int | None = None
    numbers: Counter[str] = field(default_factory=Counter)

    def add(self, first: int | None, last: int | None, numbers: Mapping[str, int]) -> None:
        moments = [one for one in (self.first, self.last, first, last) if one is not None]
        if moments:
            self.first, self.last = min(moments), max(moments)
        self.numbers.update(numbers)


class GroupCounts:
    def __init__(self, most: int) -> None:
        self._most = most
        self._sums: dict[Key, Sum] = {}
        self._beyond: tuple[Any, ...] | None = None
        self.complete = True
        """False: there were more keys."""

    def add(self, key: Key, first: int | None, last: int | None, numbers: Mapping[str, int]) -> None:
        if self._beyond is not None and _order(key) >= self._beyond:
            return
        found = self._sums.get(key)
        if found is None:
            found = self._sums[key] = Sum(key)
        found.add(first, last, numbers)
        if len(self._sums) > 2 * self._most:
            self._make_room()

    def sums(self) -> Iterator[Sum]:
        """In order of their keys."""
        if len(self._sums) > self._most:
            self._make_room()
        yield from (self._sums[key] for key in sorted(self._sums, key=_order))

    def _make_room(self) -> None:
        keys = sorted(self._sums, key=_order)
        self._beyond, self.complete = _order(keys[self._most]), False
        for key in keys[self._most :]:
            del self._sums[key]


def _order(key: Key) -> tuple[str, ...]:
    return tuple("" if part is None else f"+{part}" for part in key)
