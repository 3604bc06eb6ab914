"""The counts in front of arrays and strings, and what they are compared with."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from decoders.ndr.columnar.lanes import Batch, Frame, Lane, LaneCheck, whole_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from decoders.ndr.columnar.columns import Ints
    from decoders.ndr.columnar.scopes import Scope, Wrong


@dataclass(slots=True)
class Holder:
    """The structure or parameter list around a member, for size_is, length_is and switch_is."""

    scope: Scope
    slots: dict[str, int | None]
    """Every member; None until it is read, and for ever unless it is an integer."""
    integers: frozenset[str] = field(default_factory=frozenset)

    def depth_below(self, scope: Scope) -> int:
        levels = 0
        inner: Scope | None = scope
        while inner is not self.scope and inner is not None:
            levels, inner = levels + 1, inner.around
        return levels


@dataclass(frozen=True, slots=True)
class Compared:
    """A count that shall equal the member `name`, `levels` frames further out."""

    holder: Holder
    levels: int
    name: str

    def note(self, batch: Batch, lane: Lane, frame: Frame, counts: npt.NDArray[Any]) -> None:
        slot = self.holder.slots[self.name]
        index: Ints | None = None
        for _ in range(self.levels):
            if frame.index is not None:
                index = frame.index if index is None else frame.index[index]
            if frame.around is None:
                return
            frame = frame.around
        if slot is not None:
            batch.checks.append(LaneCheck(whole_numbers(counts), lane.rows, frame, index, slot))


@dataclass(frozen=True, slots=True)
class Counts:
    """[C706] 14.3.3: max_count, then offset and actual_count, each where declared."""

    bound: int | None = None
    most: int | None = None
    """Slots, of max_count, offset and actual_count."""
    offset: int | None = None
    actual: int | None = None
    wrong: Sequence[tuple[int, Wrong]] = ()
    """By slot: what the declaration alone says of a count."""
    compared: Sequence[tuple[int, Compared]] = ()

    def read(self, batch: Batch, lane: Lane, frame: Frame) -> npt.NDArray[Any]:
        """How many elements follow."""
        for slot, wrong in self.wrong:
            lane.decline(wrong(frame.slots[slot]))
        for slot, compared in self.compared:
            compared.note(batch, lane, frame, frame.slots[slot])
        most: Any = self.bound if self.most is None else frame.slots[self.most]
        if self.actual is None or self.offset is None:
            return np.full(len(lane), most, np.int64) if isinstance(most, int) else np.asarray(most)
        offset, actual = frame.slots[self.offset], frame.slots[self.actual]
        wrong_bounds = (offset != 0) | (actual > most)
        if wrong_bounds.any():
            lane.decline(wrong_bounds)
        return np.asarray(actual)
