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
from schemas.tables import ACCOUNTING, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.model import Table

Row = dict[str, Any]
BATCH_ROWS: Final = 4_096
_WHOLE: Final = {ACCOUNTING.name: ("capture_id", "stage", "counter"), VERDICTS.name: ("rule_id", "verdict", "reason")}
"""Tables whose files are in an order of their own: small enough to be sorted here."""


def json_lines(folder: str, table: Table) -> Iterator[str]:
    """The rows of a table, in the order of its keys; rows with the same keys in the order of their text."""
    root = join(folder, "tables", table.name)
    paths = [join(root, name) for name, _ in files_below(root) if name.endswith(".parquet")]
    keys = _WHOLE.get(table.name) or SORT_KEYS[table.name]
    files = [_keyed(path, table, keys) for path in paths]
    if table.name in _WHOLE:
        files = [iter(sorted(one for file in files for one in file))]
    # Files are sorted, so that a row of each is all that must be held.
    for _, alike in groupby(heapq.merge(*files, key=lambda one: one[0]), key=lambda one: one[0]):
        yield from sorted(line for _, line in alike)


def _keyed(path: str, table: Table, keys: tuple[str, ...]) -> Iterator[tuple[tuple[Any, ...], str]]:
    with parquet.ParquetFile(open_input(path)) as opened:
        for batch in opened.iter_batches(BATCH_ROWS, columns=list(table.names)):
            for row in batch.to_pylist():
                # Null sorts before everything.
                key = tuple((row[name] is not None, row[name]) if row[name] is not None else (False,) for name in keys)
                yield key, json.dumps(row, ensure_ascii=False, separators=(",", ":"), default=_plain)


def _plain(value: object) -> str | int:
    if isinstance(value, dt.datetime):
        return value.astimezone(dt.UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    if isinstance(value, decimal.Decimal):
        return int(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)
