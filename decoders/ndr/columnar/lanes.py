"""Where decoding stands in each of many stubs, and which of them have been declined."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from decoders.limits import MAX_COLUMNAR_ROUNDS, MAX_NDR_VALUES
from decoders.ndr.columnar.ragged import windows

if TYPE_CHECKING:
    import numpy.typing as npt

    from decoders.ndr.columnar.columns import Bools, Ints

DECLINED: Final = -1


@dataclass(slots=True)
class Lane:
    """The stubs that a step reads from: all of them, or those with a referent, an arm or one more element."""

    rows: Ints
    """Their numbers in the batch."""
    base: Ints
    """Where the stub begins in the buffer."""
    at: Ints
    """How far it has been read, from its beginning, from which alignment counts."""
    size: Ints
    """Bytes of the stub. DECLINED makes every later check fail, and what is read of the row meaningless."""

    def __len__(self) -> int:
        return len(self.at)

    def only(self, index: Ints) -> Lane:
        return Lane(self.rows[index], self.base[index], self.at[index], self.size[index])

    def take_over(self, index: Ints, part: Lane) -> None:
        self.at[index] = part.at
        self.size[index] = part.size

    def decline(self, mask: Bools) -> None:
        self.size[mask] = DECLINED


@dataclass(slots=True)
class Frame:
    """What the steps of one scope have read, by slot."""

    slots: list[Any]
    rows: int
    around: Frame | None = None
    index: Ints | None = None
    """Which rows of the frame around these are; None: all of them."""


@dataclass(slots=True)
class LaneCheck:
    """A count to compare with the member that size_is or length_is names, which may not have been read yet."""

    counts: Ints
    rows: Ints
    holder: Frame
    index: Ints | None
    """Which rows of the holder these are."""
    slot: int


@dataclass(slots=True)
class Batch:
    buffer: npt.NDArray[np.uint8]
    yielded: Ints
    """Values that the arrays of a stub gave, as the interpreter counts them."""
    checks: list[LaneCheck] = field(default_factory=list)
    full_pointers: list[tuple[Ints, npt.NDArray[np.unsignedinteger[Any]]]] = field(default_factory=list)
    """Rows and their referent ids."""
    rounds_left: int = MAX_COLUMNAR_ROUNDS

    def block(self, lane: Lane, alignment: int, size: int, advance: int) -> npt.NDArray[Any]:
        """`size` bytes of each row as one opaque value; the lane moves on by `advance`."""
        at = lane.at
        if alignment > 1:
            at = (at + (alignment - 1)) & -alignment
        position = lane.base + at
        fits = at + size <= lane.size
        if not fits.all():
            lane.decline(~fits)
            at = np.where(fits, at, 0)
            position = np.where(fits, position, 0)
        lane.at = at + advance
        if size > len(self.buffer):
            return np.zeros(len(lane), f"V{size}")
        return np.asarray(windows(self.buffer, size)[position])

    def believable(self, lane: Lane, counts: npt.NDArray[Any], least: int) -> Ints:
        """Counts that the bytes left can bear out at `least` bytes each; the other rows are declined."""
        possible = np.maximum(lane.size - lane.at, 0) // least
        whole = whole_numbers(counts)
        fits = whole <= possible
        if fits.all():
            return whole
        lane.decline(~fits)
        return np.where(fits, whole, 0)

    def charge(self, lane: Lane, values: Ints) -> None:
        self.yielded[lane.rows] += values
        over = self.yielded[lane.rows] > MAX_NDR_VALUES
        if over.any():
            lane.decline(over)


def whole_numbers(values: npt.NDArray[Any]) -> Ints:
    """As int64; what does not fit becomes the largest, which no stub has bytes for."""
    if values.dtype.itemsize == 8 and values.dtype.kind == "u":
        values = np.minimum(values, np.iinfo(np.int64).max)
    return values.astype(np.int64)
