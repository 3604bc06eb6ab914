"""Steps over a lane, and how neighbouring values of fixed size become one step."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from decoders.ndr.columnar.lanes import Batch, Frame, Lane

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from decoders.ndr.columnar.columns import Bools, Column, Ints

Step: TypeAlias = Callable[[Batch, Lane, Frame], None]
Build: TypeAlias = Callable[[Frame], "Column"]
"""Makes the column of what the steps left in the frame's slots."""
Wrong: TypeAlias = Callable[["npt.NDArray[Any]"], "Bools"]
"""Which values are to be declined."""


class Unplannable(Exception):
    """The declaration is left to the interpreter; never leaves plan()."""


class _Field(NamedTuple):
    slot: int
    dtype: str
    offset: int
    wrong: Sequence[Wrong]


class Scope:
    """The steps that one lane goes through, while they are being made.

    `known` and `residue` say what is certain of the lane's position: it is `residue` modulo `known`.
    """

    def __init__(self, known: int, residue: int = 0, around: Scope | None = None) -> None:
        self.around = around
        self.slots = 0
        self.later: list[Callable[[], None]] = []
        """Make the steps of referents, which follow the outermost construction: [C706] 14.3.12.3."""
        self._steps: list[Step] = []
        self._known, self._residue = known, residue
        self._begin_run()
        self.family = 1
        """This scope and all within it."""
        outer = around
        while outer is not None:
            outer.family += 1
            outer = outer.around

    def slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def align(self, alignment: int) -> None:
        if alignment > self._known:
            self._end_run()
            self._known, self._residue, self._alignment = alignment, 0, alignment
        self._position += -(self._residue + self._position) % alignment

    def field(self, dtype: str, size: int, alignment: int, wrong: Sequence[Wrong] = ()) -> int:
        self.align(alignment)
        slot = self.slot()
        self._fields.append(_Field(slot, dtype, self._position, wrong))
        self._position += size
        self._needed = self._position
        return slot

    def add(self, step: Step) -> None:
        """A step after which the position is not known."""
        self._end_run()
        self._steps.append(step)
        self._known, self._residue = 1, 0

    def within(self) -> Scope:
        """For some of the lane's rows, which stand where the lane stands."""
        self._end_run()
        return Scope(self._known, self._residue, self)

    def finished(self) -> tuple[Step, ...]:
        """The steps since the last time; what comes next begins anywhere."""
        self._end_run()
        steps = tuple(self._steps)
        self._steps.clear()
        self._known, self._residue = 1, 0
        return steps

    def frame(self, rows: int, around: Frame | None = None, index: Ints | None = None) -> Frame:
        return Frame([None] * self.slots, rows, around, index)

    def _begin_run(self) -> None:
        self._fields: list[_Field] = []
        self._alignment, self._position, self._needed = 1, 0, 0

    def _end_run(self) -> None:
        if self._fields:
            self._steps.append(_run(self._fields, self._alignment, self._needed, self._position))
        elif self._alignment > 1 or self._position:
            self._steps.append(_gap(self._alignment, self._position))
        self._residue = (self._residue + self._position) % self._known
        self._begin_run()


def enter(steps: Sequence[Step], batch: Batch, lane: Lane, frame: Frame) -> None:
    """The steps on those rows of the lane that the frame is about."""
    part = lane if frame.index is None else lane.only(frame.index)
    for step in steps:
        step(batch, part, frame)
    if frame.index is not None:
        lane.take_over(frame.index, part)


def _run(fields: Sequence[_Field], alignment: int, needed: int, advance: int) -> Step:
    names = [str(field.slot) for field in fields]
    formats, offsets = [field.dtype for field in fields], [field.offset for field in fields]
    dtype = np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": needed})
    slots = [(name, field.slot) for name, field in zip(names, fields, strict=True)]
    checks = [(field.slot, wrong) for field in fields for wrong in field.wrong]

    def step(batch: Batch, lane: Lane, frame: Frame) -> None:
        values = batch.block(lane, alignment, needed, advance).view(dtype)
        for name, slot in slots:
            frame.slots[slot] = values[name]
        for slot, wrong in checks:
            mask = wrong(frame.slots[slot])
            if mask.any():
                lane.decline(mask)

    return step


def _gap(alignment: int, advance: int) -> Step:
    # A row that this moves beyond its end is declined by the next read, or at the end.
    def step(_batch: Batch, lane: Lane, _frame: Frame) -> None:
        lane.at = ((lane.at + (alignment - 1)) & -alignment) + advance

    return step
