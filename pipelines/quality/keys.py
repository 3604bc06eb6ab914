"""What is known of the keys of a whole table, in memory that its rows do not decide."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from pipelines.quality.hashing import SECOND, encode, positions_in, row_hashes, value_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from pipelines.quality.hashing import Hashes, Share
    from pipelines.quality.table_files import TableFiles


class KeySizes:
    """How many rows have a row's key. Exact: where different keys share a hash they are compared themselves.

    Among n keys such a pair is met once in 2^65/n^2 tables, every few thousandth one of a hundred million rows.
    """

    def __init__(self, stored: TableFiles, columns: tuple[str, ...], share: Share) -> None:
        self._stored, self._columns, self._share = stored, columns, share
        self._repeated, self._sizes = _repeated([hashes[share.has(hashes)] for _, hashes in self._batches()])
        self._mixed = self._several_keys()
        self._of_mixed: Counter[tuple[object, ...]] = Counter()
        for batch, hashes in self._batches() if len(self._mixed) else ():
            self._of_mixed.update(_keys(batch, positions_in(self._mixed, hashes)[0]))

    def column(self, batch: pa.Table) -> pa.Array:
        """Null in rows of other shares."""
        keys = batch.select(self._columns)
        hashes = row_hashes(keys.columns)
        sizes = np.ones(len(hashes), np.int64)
        repeated, places = positions_in(self._repeated, hashes)
        sizes[repeated] = self._sizes[places[repeated]]
        mixed, _ = positions_in(self._mixed, hashes)
        sizes[mixed] = [self._of_mixed[key] for key in _keys(keys, mixed)]
        return pa.array(sizes, mask=~self._share.has(hashes))

    def _batches(self) -> Iterator[tuple[pa.Table, Hashes]]:
        for batch in self._stored.batches(self._columns):
            yield batch, row_hashes(batch.columns)

    def _several_keys(self) -> Hashes:
        """Of the hashes that several rows have, those of more than one key: a second hash differs."""
        lowest = np.full(len(self._repeated), np.iinfo(np.uint64).max, np.uint64)
        highest = np.zeros(len(self._repeated), np.uint64)
        for batch, hashes in self._batches() if len(self._repeated) else ():
            repeated, places = positions_in(self._repeated, hashes)
            second = row_hashes(batch.columns, SECOND)[repeated]
            np.minimum.at(lowest, places[repeated], second)
            np.maximum.at(highest, places[repeated], second)
        several: Hashes = self._repeated[lowest != highest]
        return several


class KnownValues:
    """Which values a column has.

    A value that it has not is taken for one of its n where the hashes agree, which happens to one in 2^64/n: a
    missing one of a hundred million is overlooked once in 10^11.
    """

    def __init__(self, stored: TableFiles, column: str, share: Share) -> None:
        self._share = share
        distinct = (value_hashes(batch[column].unique().drop_null()) for batch in stored.batches((column,)))
        self._known = _together([hashes[share.has(hashes)] for hashes in distinct])
        self._known.sort()

    def column(self, values: pa.ChunkedArray) -> pa.Array:
        """Whether each is one of them; null where it is null, and of other shares."""
        encoded = encode(values)
        hashes = value_hashes(encoded.dictionary)
        there = pa.array(positions_in(self._known, hashes)[0], mask=~self._share.has(hashes))
        return there.take(encoded.indices)


def _repeated(parts: list[Hashes]) -> tuple[Hashes, NDArray[np.int64]]:
    """Hashes that are there several times, sorted, and how often."""
    hashes = _together(parts)
    hashes.sort()
    repeated, again = np.unique(hashes[1:][hashes[1:] == hashes[:-1]], return_counts=True)
    return repeated, again + 1


def _together(parts: list[Hashes]) -> Hashes:
    return np.concatenate(parts) if parts else np.zeros(0, np.uint64)


def _keys(batch: pa.Table, wanted: NDArray[np.bool_]) -> Iterator[tuple[object, ...]]:
    chosen = batch.filter(pa.array(wanted))
    return zip(*(column.to_pylist() for column in chosen.columns), strict=True)
