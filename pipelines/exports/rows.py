"""Rows of a table in the order of its keys, whatever files they lie in, with few of them in memory."""

from __future__ import annotations

import heapq
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import pyarrow as pa
from pyarrow import parquet

from ingest.files import files_below, join, open_input
from pipelines.exports.text import json_text
from pipelines.store.alignment import aligned_batches
from pipelines.store.places import SORT_KEYS
from schemas.dates import NO_DATE, dated_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from schemas.model import Table

Row: TypeAlias = "dict[str, Any]"
Keyed: TypeAlias = "tuple[tuple[Any, ...], Row]"
BATCH_ROWS: Final = 256
SMALL_BYTES: Final = 1024 * 1024
"""Files up to so much are read and closed: a dataset of years has more of them than a process may have open."""


def order_of(table: Table) -> tuple[str, ...]:
    return SORT_KEYS.get(table.name) or table.key


def ordered(folder: str, table: Table, columns: Sequence[str]) -> Iterator[Row]:
    """Rows with the same keys in the order of their text. A table that no task sorts is small and is sorted here."""
    keys = order_of(table)
    read = _schema(table, (*columns, *keys))
    by_date = keys[0].removesuffix("_ns") == dated_by(table)
    for paths in _in_turn(join(folder, "tables", table.name), by_date=by_date):
        files = [_keyed(path, size, read, keys) for path, size in paths]
        if table.name not in SORT_KEYS:
            files = [iter(sorted((one for file in files for one in file), key=_key))]
        # Files are sorted, so that a batch of each is all that must be held.
        for _, alike in groupby(heapq.merge(*files, key=_key), key=_key):
            rows = [row for _, row in alike]
            yield from sorted(rows, key=json_text) if len(rows) > 1 else rows


def batches(folder: str, table: Table, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """All of it, in no order."""
    root = join(folder, "tables", table.name)
    for name, size in files_below(root):
        if name.endswith(".parquet"):
            yield from _batches(join(root, name), size, _schema(table, columns))


def reach(row: Row, path: tuple[str, ...]) -> Any:  # noqa: ANN401 - values of any column
    """A member of a structure; null where the structure is."""
    value: Any = row
    for name in path:
        if value is None:
            return None
        value = value.get(name)
    return value


def _key(keyed: Keyed) -> tuple[Any, ...]:
    return keyed[0]


def _in_turn(root: str, *, by_date: bool) -> Iterator[list[tuple[str, int]]]:
    """Files that must be merged with each other, with their sizes; where rows go by time, date after date."""
    found: dict[str, list[tuple[str, int]]] = {}
    for name, size in files_below(root):
        if name.endswith(".parquet"):
            date = name.rpartition("/")[0].removeprefix("date=") if by_date else ""
            # What has no time comes first.
            found.setdefault("" if date == NO_DATE else date, []).append((join(root, name), size))
    return (found[date] for date in sorted(found))


def _schema(table: Table, columns: Iterable[str]) -> pa.Schema:
    return pa.schema([table.arrow.field(name) for name in dict.fromkeys(columns)])


def _keyed(path: str, size: int, schema: pa.Schema, keys: tuple[str, ...]) -> Iterator[Keyed]:
    for batch in _batches(path, size, schema):
        for row in batch.to_pylist():
            # Null sorts before everything.
            yield tuple((True, row[name]) if row[name] is not None else (False,) for name in keys), row


def _batches(path: str, size: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    with parquet.ParquetFile(open_input(path)) as opened:
        found = aligned_batches(opened, schema, BATCH_ROWS)
        if size > SMALL_BYTES:
            yield from found
            return
        held = list(found)
    yield from held
