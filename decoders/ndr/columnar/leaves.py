"""Values of fixed size: their numpy types, what is wrong with them, and their columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from decoders.ndr.columnar.columns import Column, Identifiers, Scalars
from decoders.ndr.layout import CONTEXT_HANDLE_BYTES, GUID_BYTES
from decoders.ndr.model import ContextHandle, Enum, Guid, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt

    from decoders.ndr.columnar.columns import Bools
    from decoders.ndr.columnar.scopes import Wrong
    from decoders.ndr.layout import Layout, Leaf

_WRITTEN_ORDER: Final = {
    "<": np.array((3, 2, 1, 0, 5, 4, 7, 6, *range(8, GUID_BYTES))),
    ">": np.arange(GUID_BYTES),
}
_HANDLE_WORDS: Final = CONTEXT_HANDLE_BYTES // 4


@dataclass(frozen=True, slots=True)
class LeafRead:
    dtype: str
    size: int
    alignment: int
    wrong: Sequence[Wrong]
    column: Callable[[npt.NDArray[Any]], Column]


def leaf_read(leaf: Leaf, layout: Layout, byte_order: str, limits: tuple[int, int] | None) -> LeafRead:
    size, alignment = layout.leaf_size(leaf), layout.alignment(leaf)
    if isinstance(leaf, Guid):
        return LeafRead(f"V{size}", size, alignment, (), lambda raw: Identifiers(_written(raw, byte_order)))
    if isinstance(leaf, ContextHandle):
        return LeafRead(f"V{size}", size, alignment, (_odd_handles,), lambda raw: _handles(raw, byte_order))
    wrong = []
    if isinstance(leaf, Enum) and leaf.members:
        wrong.append(_not_among(sorted({value for _, value in leaf.members})))
    if limits is None and isinstance(leaf, Scalar):
        limits = leaf.range
    if limits:
        wrong.append(beyond(limits))
    dtype = np.dtype(byte_order + layout.leaf_format(leaf))
    return LeafRead(dtype.str, size, alignment, wrong, _scalars(dtype.newbyteorder("=")))


def beyond(limits: tuple[int, int]) -> Wrong:
    low, high = limits

    def wrong(values: npt.NDArray[Any]) -> Bools:
        return ~((values >= low) & (values <= high))

    return wrong


def _not_among(members: Sequence[int]) -> Wrong:
    if members[-1] - members[0] == len(members) - 1:
        return beyond((members[0], members[-1]))
    return lambda values: np.isin(values, members, invert=True)


def _scalars(native: np.dtype[Any]) -> Callable[[npt.NDArray[Any]], Column]:
    return lambda raw: Scalars(raw.astype(native))


def _written(raw: npt.NDArray[Any], byte_order: str) -> npt.NDArray[np.uint8]:
    return _octets(raw, GUID_BYTES)[:, _WRITTEN_ORDER[byte_order]]


def _handles(raw: npt.NDArray[Any], byte_order: str) -> Column:
    octets = _octets(raw, CONTEXT_HANDLE_BYTES)
    valid = np.asarray(_handle_words(raw)[:, 1:].any(axis=1))
    return Identifiers(octets[:, 4:][:, _WRITTEN_ORDER[byte_order]], None if valid.all() else valid)


def _odd_handles(raw: npt.NDArray[Any]) -> Bools:
    """Attributes without a UUID: whether that is the null handle is the interpreter's to say."""
    words = _handle_words(raw)
    return np.asarray((words[:, 0] != 0) & ~words[:, 1:].any(axis=1))


def _handle_words(raw: npt.NDArray[Any]) -> npt.NDArray[np.uint32]:
    return np.ascontiguousarray(raw).view(np.uint32).reshape(-1, _HANDLE_WORDS)


def _octets(raw: npt.NDArray[Any], size: int) -> npt.NDArray[np.uint8]:
    return np.ascontiguousarray(raw).view(np.uint8).reshape(-1, size)
