"""Runs of different lengths, gathered at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Ints = npt.NDArray[np.int64]
    Bytes = npt.NDArray[np.uint8]

_SLICES_PAY: Final = 64
"""Bytes per run from which copying slices is faster than indexing bytes, and needs an eighth of the memory."""


def flat_index(starts: Ints, counts: Ints) -> Ints:
    """starts[0], starts[0] + 1, ... for counts[0] entries, then the same for the next."""
    ends = np.cumsum(counts)
    total = int(ends[-1]) if len(ends) else 0
    return np.arange(total, dtype=np.int64) + np.repeat(starts - ends + counts, counts)


def gathered(buffer: Bytes, starts: Ints, lengths: Ints) -> Bytes:
    """The bytes of all runs, one behind the other. The caller has made sure that they lie in the buffer."""
    total = int(lengths.sum())
    if total < _SLICES_PAY * len(starts):
        return buffer[flat_index(starts, lengths)]
    pieces = [buffer[start:end] for start, end in zip(starts.tolist(), (starts + lengths).tolist(), strict=True)]
    return np.concatenate(pieces) if pieces else np.zeros(0, np.uint8)


def windows(buffer: Bytes, size: int) -> npt.NDArray[Any]:
    """Every `size` bytes of the buffer that stand in a row: index it by offset to gather headers."""
    return np.ndarray((max(0, len(buffer) - size + 1),), f"V{size}", buffer=buffer, strides=(1,))
