"""Decoded values by column. Bytes and text stay where they are in the buffer until someone needs them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from decoders.ndr.columnar.ragged import flat_index

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    Ints: TypeAlias = npt.NDArray[np.int64]
    Bools: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Nothing:
    """A column of nulls only, of whatever type."""

    length: int

    def __len__(self) -> int:
        return self.length

    def take(self, index: Ints) -> Column:
        return Nothing(len(index))


@dataclass(frozen=True, slots=True)
class Scalars:
    values: npt.NDArray[Any]
    """In native byte order, as wide and signed as declared."""
    valid: Bools | None = None
    """None: every value is there."""

    def __len__(self) -> int:
        return len(self.values)

    def take(self, index: Ints) -> Column:
        return Scalars(self.values[index], _still_valid(self.valid, index)) if len(self) else Nothing(len(index))


@dataclass(frozen=True, slots=True)
class Identifiers:
    """GUIDs and the UUIDs of context handles; null handles are not valid."""

    octets: npt.NDArray[np.uint8]
    """(rows, 16), in the order in which people write them."""
    valid: Bools | None = None

    def __len__(self) -> int:
        return len(self.octets)

    def take(self, index: Ints) -> Column:
        return Identifiers(self.octets[index], _still_valid(self.valid, index)) if len(self) else Nothing(len(index))


@dataclass(frozen=True, slots=True)
class Spans:
    """Byte arrays, and strings without their terminators: where they lie in the buffer."""

    starts: Ints
    lengths: Ints
    """In bytes."""
    character_size: int
    """0 for byte arrays."""
    byte_order: str
    valid: Bools | None = None

    def __len__(self) -> int:
        return len(self.starts)

    def take(self, index: Ints) -> Column:
        if not len(self):
            return Nothing(len(index))
        valid = _still_valid(self.valid, index)
        return Spans(self.starts[index], self.lengths[index], self.character_size, self.byte_order, valid)


@dataclass(frozen=True, slots=True)
class Lists:
    offsets: Ints
    """One more than rows; row r has the elements from offsets[r] to offsets[r + 1]."""
    elements: Column
    valid: Bools | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def take(self, index: Ints) -> Column:
        if not len(self):
            return Nothing(len(index))
        counts = np.where(index >= 0, np.diff(self.offsets)[index], 0)
        elements = self.elements.take(flat_index(self.offsets[:-1][index], counts))
        return Lists(offsets_of(counts), elements, _still_valid(self.valid, index))


@dataclass(frozen=True, slots=True)
class Records:
    """Structures, and unions that have a name of their own. The arms of an unnamed union stand among the members."""

    length: int
    members: Mapping[str, Column]
    valid: Bools | None = None

    def __len__(self) -> int:
        return self.length

    def take(self, index: Ints) -> Column:
        if not len(self):
            return Nothing(len(index))
        members = {name: column.take(index) for name, column in self.members.items()}
        return Records(len(index), members, _still_valid(self.valid, index))


Column: TypeAlias = Nothing | Scalars | Identifiers | Spans | Lists | Records


@dataclass(frozen=True, slots=True)
class Columns:
    accepted: Bools
    """A row a stub. What is not accepted is the interpreter's to decode."""
    buffer: npt.NDArray[np.uint8]
    """What Spans point into."""
    members: Records
    """Of the accepted stubs, in their order."""


def offsets_of(counts: Ints) -> Ints:
    offsets = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def spread(column: Column, index: Ints | None, rows: int) -> Column:
    """The column's values at these rows, null in the others. `index` None: it has all rows already."""
    if index is None:
        return column
    source = np.full(rows, -1, np.int64)
    source[index] = np.arange(len(index))
    return column.take(source)


def concatenated(columns: Sequence[Column]) -> Column:
    """One below the other; all of the same declared type."""
    ends = list(accumulate(len(column) for column in columns))
    some = [column for column in columns if not isinstance(column, Nothing)]
    if not some:
        return Nothing(ends[-1] if ends else 0)
    joined = _joined(some)
    if len(some) == len(columns):
        return joined
    source = np.full(ends[-1], -1, np.int64)
    first = 0
    for column, end in zip(columns, ends, strict=True):
        if not isinstance(column, Nothing):
            source[end - len(column) : end] = np.arange(first, first + len(column))
            first += len(column)
    return joined.take(source)


def _joined(columns: Sequence[Column]) -> Column:
    valid = _joined_validity(columns)
    match columns[0]:
        case Scalars():
            return Scalars(np.concatenate([part.values for part in columns if isinstance(part, Scalars)]), valid)
        case Identifiers():
            return Identifiers(
                np.concatenate([part.octets for part in columns if isinstance(part, Identifiers)]), valid
            )
        case Spans() as first:
            spans = [part for part in columns if isinstance(part, Spans)]
            starts = np.concatenate([part.starts for part in spans])
            lengths = np.concatenate([part.lengths for part in spans])
            return Spans(starts, lengths, first.character_size, first.byte_order, valid)
        case Lists():
            lists = [part for part in columns if isinstance(part, Lists)]
            counts = np.concatenate([np.diff(part.offsets) for part in lists])
            return Lists(offsets_of(counts), concatenated([part.elements for part in lists]), valid)
        case Records() as first:
            records = [part for part in columns if isinstance(part, Records)]
            members = {name: concatenated([part.members[name] for part in records]) for name in first.members}
            return Records(sum(map(len, records)), members, valid)
        case Nothing(length):
            return Nothing(length)


def _joined_validity(columns: Sequence[Column]) -> Bools | None:
    masks = [None if isinstance(column, Nothing) else column.valid for column in columns]
    if all(mask is None for mask in masks):
        return None
    pairs = zip(columns, masks, strict=True)
    return np.concatenate([np.ones(len(column), np.bool_) if mask is None else mask for column, mask in pairs])


def _still_valid(valid: Bools | None, index: Ints) -> Bools | None:
    present = index >= 0
    if present.all():
        return None if valid is None else valid[index]
    return present if valid is None else present & valid[index]
