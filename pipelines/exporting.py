"""Tables as lines of JSON: the same bytes for the same rows, however they are spread over files."""

from __future__ import annotations

import base64
import datetime as dt
import decimal
import heapq
import json
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

from pyarrow import parquet

from ingest.files import files_below, join, open_input
from pipelines.shelves import SORT_KEYS
from schemas.dates import NO_DATE, dated_by
from schemas.tables import ACCOUNTING, HOSTS, QUEUES, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa

    from schemas.model import Table

Row = dict[str, Any]
BATCH_ROWS: Final = 256
SMALL_BYTES: Final = 1024 * 1024
"""Files up to so much are read and closed: a dataset of years has more of them than a process may have open."""
_WHOLE: Final = {
    ACCOUNTING.name: ("capture_id", "stage", "counter"),
    HOSTS.name: ("address",),
    QUEUES.name: ("queue_uid",),
    VERDICTS.name: ("rule_id", "verdict", "reason"),
}
"""Tables whose files are in an order of their own: small enough to be sorted here."""


def order_of(table: Table) -> tuple[str, ...]:
    return _WHOLE.get(table.name) or SORT_KEYS[table.name]


def json_lines(folder: str, table: Table) -> Iterator[str]:
    """The rows of a table, in the order of its keys; rows with the same keys in the order of their text."""
    root = join(folder, "tables", table.name)
    keys = order_of(table)
    for paths in _in_turn(root, by_date=keys[0].removesuffix("_ns") == dated_by(table)):
        files = [_keyed(path, size, table, keys) for path, size in paths]
        if table.name in _WHOLE:
            files = [iter(sorted(one for file in files for one in file))]
        # Files are sorted, so that a batch of each is all that must be held.
        for _, alike in groupby(heapq.merge(*files, key=lambda one: one[0]), key=lambda one: one[0]):
            yield from sorted(line for _, line in alike)


def _in_turn(root: str, *, by_date: bool) -> Iterator[list[tuple[str, int]]]:
    """Files that must be merged with each other, with their sizes; where rows go by time, date after date."""
    found: dict[str, list[tuple[str, int]]] = {}
    for name, size in files_below(root):
        if name.endswith(".parquet"):
            date = name.rpartition("/")[0].removeprefix("date=") if by_date else ""
            # What has no time comes first.
            found.setdefault("" if date == NO_DATE else date, []).append((join(root, name), size))
    return (found[date] for date in sorted(found))


def _keyed(path: str, size: int, table: Table, keys: tuple[str, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    for batch in _batches(path, size, list(table.names)):
        for row in batch.to_pylist():
            # Null sorts before everything.
            key = tuple((row[name] is not None, row[name]) if row[name] is not None else (False,) for name in keys)
            yield key, json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _batches(path: str, size: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
    with parquet.ParquetFile(open_input(path)) as opened:
        if size > SMALL_BYTES:
            yield from opened.iter_batches(BATCH_ROWS, columns=columns)
            return
        whole = opened.read(columns)
    yield from whole.to_batches(BATCH_ROWS)


def _plain(value: object) -> str | int:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    if isinstance(value, decimal.Decimal):
        return int(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)
