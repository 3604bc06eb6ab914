"""Events that are too many: those alike and near in time become one, and no event is lost from the count.

What comes out depends on the events only, not on the order in which they come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

Values: TypeAlias = tuple[str | None, ...]
_NO_TIME: Final = -(1 << 62)


class Coarseness(NamedTuple):
    """How coarse: each is coarser than the one before in every way."""

    width_us: int | None
    """Events alike within so much are one; 0: each stays alone; None: however far apart."""
    alike: int
    """So many of their first values are the same."""


@dataclass(slots=True)
class Group:
    values: Values
    """What its events say, as far as they all say the same."""
    first: int | None
    last: int | None
    count: int = 1
    size: int = 0
    """Bytes of messages."""

    def take(self, other: Group) -> None:
        moments = [one for one in (self.first, self.last, other.first, other.last) if one is not None]
        self.first, self.last = (min(moments), max(moments)) if moments else (None, None)
        self.count += other.count
        self.size += other.size
        if self.values != other.values:
            both = zip(self.values, other.values, strict=True)
            self.values = tuple(mine if mine == theirs else None for mine, theirs in both)


class Condensed:
    def __init__(self, most: int, levels: Sequence[Coarseness]) -> None:
        """`levels`: from the finest, where each event stays alone, to the coarsest."""
        self._most, self._levels = most, levels
        self._step = 0
        self._groups: dict[tuple[Any, ...], Group] = {}
        self._beyond: tuple[str, ...] | None = None
        self.events = 0
        self.left_out = 0
        """Events of groups for which there was no room even so."""

    @property
    def level(self) -> Coarseness:
        return self._levels[self._step]

    def add(self, group: Group) -> None:
        """An event that lasts is filed by its beginning."""
        self.events += group.count
        self._put(group)
        # Twice as many are held as may stay, so that making room is rare.
        while len(self._groups) > 2 * self._most:
            self._shrink()

    def groups(self) -> Iterator[Group]:
        """By time, then by what they say."""
        while len(self._groups) > self._most:
            self._shrink()
        yield from (group for _, group in sorted(self._groups.items(), key=lambda one: (_time(one[1]), _order(one[0]))))

    def _put(self, group: Group) -> None:
        place = self._place(group)
        if self._beyond is not None and _order(place) >= self._beyond:
            self.left_out += group.count
        elif place in self._groups:
            self._groups[place].take(group)
        else:
            self._groups[place] = group

    def _place(self, group: Group) -> tuple[Any, ...]:
        width, alike = self.level
        if width == 0:
            return (*group.values, group.first, group.last)
        return (*group.values[:alike], None if width is None or group.first is None else group.first // width)

    def _shrink(self) -> None:
        if self._step + 1 < len(self._levels):
            self._step += 1
            before, self._groups = list(self._groups.values()), {}
            for group in before:
                self._put(group)
            return
        # Which groups stay is decided by what they say: by their counts it would depend on the order of events.
        places = sorted(self._groups, key=_order)
        self._beyond = _order(places[self._most])
        for place in places[self._most :]:
            self.left_out += self._groups.pop(place).count


def _time(group: Group) -> tuple[int, int]:
    first = _NO_TIME if group.first is None else group.first
    return first, first if group.last is None else group.last


def _order(place: Iterable[Any]) -> tuple[str, ...]:
    return tuple("" if part is None else f"+{part}" for part in place)
