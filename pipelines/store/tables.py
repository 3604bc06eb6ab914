"""Tables of a run or dataset, read in bounded memory: a batch of some columns at a time."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.files import files_below, join, open_input
from pipelines.store.alignment import batches_there, column_of, type_of
from schemas.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

Row = dict[str, Any]
_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
BATCH_ROWS: Final = 16_384
_DECLARED: Final = {table.name: table.arrow for table in TABLES}


class Tables:
    """What a folder lacks, a table or a column that its version did not write, has no rows or no values."""

    def __init__(self, folder: str) -> None:
        self._root = join(folder, "tables")
        self._files: dict[str, list[str]] = {}
        for path, _ in files_below(self._root):
            if path.endswith(".parquet"):
                self._files.setdefault(path.partition("/")[0], []).append(join(self._root, path))

    def count(self, name: str) -> int:
        return sum(parquet.read_metadata(open_input(path)).num_rows for path in self._files.get(name, ()))

    def batches(self, name: str, columns: Sequence[str]) -> Iterator[pa.Table]:
        """Columns under the names asked for; `id.orig_h` is a member of a structure. Times are in microseconds."""
        for path in self._files.get(name, ()):
            with parquet.ParquetFile(open_input(path)) as opened:
                for batch in batches_there(opened, columns, BATCH_ROWS):
                    yield _picked(name, batch, columns)

    def rows(self, name: str, columns: Sequence[str], only: Callable[[pa.Table], Any] | None = None) -> Iterator[Row]:
        """`only`: which rows, as a boolean array."""
        for batch in self.batches(name, columns):
            yield from (batch if only is None else batch.filter(only(batch))).to_pylist()

    def rows_of(self, name: str, columns: Sequence[str], key: str, values: Iterable[str]) -> Iterator[Row]:
        """Those whose key is among the values."""
        wanted = pa.array(sorted(values), pa.string())
        if len(wanted):
            yield from self.rows(name, columns, lambda batch: pc.is_in(batch.column(key), value_set=wanted))


def _picked(name: str, rows: pa.RecordBatch, columns: Sequence[str]) -> pa.Table:
    declared = _DECLARED.get(name, pa.schema([]))
    found = []
    for column in columns:
        kind = type_of(declared, column) or (None if type_of(rows.schema, column) else pa.string())
        value = column_of(rows, column, kind)
        # Numbers sort, and travel as they are.
        found.append(value.cast(pa.int64()) if pa.types.is_timestamp(value.type) else value)
    return pa.table(found, names=list(columns))


def micros(moment: dt.datetime | None) -> int | None:
    """Of a time inside a list or structure, which comes as such."""
    return None if moment is None else (moment - _EPOCH) // dt.timedelta(microseconds=1)
