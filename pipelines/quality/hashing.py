"""Keys as numbers of 64 bits: a table's keys fit in memory where the keys themselves would not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from pandas.util import hash_array

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    Hashes = NDArray[np.uint64]

_NULL: Final = 0x9E3779B97F4A7C15


@dataclass(frozen=True, slots=True)
class Salt:
    """Two keys that are told apart by neither of two salts are the same key."""

    letters: str
    """Sixteen."""
    factor: int
    """Odd."""


FIRST: Final = Salt("mqtrail's keys 1", 0xD6E8FEB86659FD93)
SECOND: Final = Salt("mqtrail's keys 2", 0xA0761D6478BD642F)


def row_hashes(columns: Sequence[pa.ChunkedArray], salt: Salt = FIRST) -> Hashes:
    """Of each row by these columns; null is a value like any other."""
    rows = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        encoded = encode(column)
        distinct = np.append(value_hashes(encoded.dictionary, salt), np.uint64(_NULL))
        rows = rows * np.uint64(salt.factor) + distinct[encoded.indices.fill_null(len(distinct) - 1).to_numpy()]
    return rows


def value_hashes(values: pa.Array, salt: Salt = FIRST) -> Hashes:
    hashes: Hashes = hash_array(values.to_numpy(zero_copy_only=False), hash_key=salt.letters, categorize=False)
    return hashes


def encode(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """Most ids are those of many rows: each is hashed once."""
    return column.combine_chunks().dictionary_encode()


def positions_in(among: Hashes, wanted: Hashes) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
    """Whether each stands in the sorted ones, and where."""
    if not len(among):
        return np.zeros(len(wanted), np.bool_), np.zeros(len(wanted), np.intp)
    places = np.minimum(np.searchsorted(among, wanted), len(among) - 1)
    return among[places] == wanted, places


@dataclass(frozen=True, slots=True)
class Share:
    """One of equal ranges of hashes. More keys than memory should hold are looked at share by share."""

    number: int
    of: int

    def has(self, hashes: Hashes) -> NDArray[np.bool_]:
        if self.of == 1:
            return np.ones(len(hashes), np.bool_)
        width = -(-(1 << 64) // self.of)
        inside: NDArray[np.bool_] = hashes // np.uint64(width) == np.uint64(self.number)
        return inside
