"""The one writer of many tables: what a task makes is held until it is worth a file, sorted and written."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Final, Self

import pyarrow as pa

from ingest.files import join, remove_file
from pipelines.store.places import SORT_KEYS
from pipelines.store.writing import write_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipelines.store.files import WrittenFile
    from pipelines.store.places import Place
    from schemas.model import AnyRow

FILE_BYTES: Final = 48 * 1024 * 1024
"""Arrow bytes of one table that make a file of it."""
HELD_BYTES: Final = 96 * 1024 * 1024
"""Of all tables together; beyond that the largest is written."""
BATCH_ROWS: Final = 1_024


class TablesWriter:
    """Each file is sorted. `part` is in the name of each, after what tells this writer from others of its task."""

    def __init__(self, places: Mapping[str, Place], schemas: Mapping[str, pa.Schema], part: str) -> None:
        self._places, self._schemas, self._part = places, schemas, part
        self._held: dict[str, list[pa.RecordBatch]] = {}
        self._bytes: dict[str, int] = {}
        self._rows: dict[str, list[AnyRow]] = {}
        self._files: dict[str, int] = {}
        self._written: list[WrittenFile] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """A task that fails takes its files with it: on a full disk each further attempt would add its own."""
        if kind is not None:
            for one in self._written:
                with contextlib.suppress(OSError):
                    remove_file(join(self._places[one.table].root, one.path))

    def add(self, table: str, batch: pa.RecordBatch) -> None:
        if not len(batch):
            return
        self._held.setdefault(table, []).append(batch)
        self._bytes[table] = self._bytes.get(table, 0) + batch.get_total_buffer_size()
        if self._bytes[table] >= FILE_BYTES:
            self._write(table)
        elif sum(self._bytes.values()) >= HELD_BYTES:
            self._write(max(self._bytes, key=self._bytes.__getitem__))

    def add_row(self, table: str, row: AnyRow) -> None:
        rows = self._rows.setdefault(table, [])
        rows.append(row)
        if len(rows) >= BATCH_ROWS:
            self._batch(table)

    def close(self) -> list[WrittenFile]:
        for table in list(self._rows):
            self._batch(table)
        for table in list(self._held):
            self._write(table)
        return self._written

    def _batch(self, table: str) -> None:
        rows = self._rows.pop(table, [])
        self.add(table, pa.RecordBatch.from_pylist(rows, schema=self._schemas[table]))

    def _write(self, table: str) -> None:
        batches = self._held.pop(table)
        del self._bytes[table]
        self._files[table] = number = self._files.get(table, 0) + 1
        part = self._part if number == 1 else f"{self._part}-{number}"
        rows = pa.Table.from_batches(batches, self._schemas[table])
        self._written += write_rows(self._places[table], rows, _order(table), part)


def _order(table: str) -> Sequence[str]:
    return SORT_KEYS.get(table, ())
