"""Tables as they lie in a folder: their files, what the footers say, and columns of them, some rows at a time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.files import files_below, join, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from schemas.model import Table

BATCH_ROWS: Final = 1 << 16
_READERS: Final = 8


@dataclass(frozen=True)
class TableFiles:
    """One table."""

    table: Table
    folder: str
    batch_rows: int = BATCH_ROWS

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Below it in any depth: a dataset has a folder a date, whose column is in its name only."""
        return tuple(
            join(self.folder, name)
            for name, _ in files_below(self.folder)
            if name.endswith(".parquet") and name.rpartition("/")[2][0] not in "._"
        )

    @cached_property
    def _footers(self) -> tuple[tuple[pa.Schema | None, int], ...]:
        def footer(file: str) -> tuple[pa.Schema | None, int]:
            try:
                metadata = parquet.read_metadata(open_input(file))
            except pa.ArrowInvalid:
                return None, 0
            return metadata.schema.to_arrow_schema(), metadata.num_rows

        if len(self.files) <= 1:
            return tuple(map(footer, self.files))
        with ThreadPoolExecutor(_READERS) as readers:
            return tuple(readers.map(footer, self.files))

    @property
    def schemas(self) -> Iterator[tuple[str, pa.Schema | None]]:
        """By the file's name below the folder; none of a file that is no Parquet."""
        names = (file.removeprefix(self.folder).lstrip("/") for file in self.files)
        return ((name, schema) for name, (schema, _) in zip(names, self._footers, strict=True))

    @cached_property
    def rows(self) -> int:
        return sum(rows for _, rows in self._footers)

    def batches(self, paths: Sequence[str]) -> Iterator[pa.Table]:
        """These columns, members of structures as `id.orig_p`; under their own names.

        Of small files several come together, so that the number of batches goes with the rows.
        """
        waiting: list[pa.Table] = []
        rows = 0
        for part in self._parts(paths):
            waiting.append(part)
            rows += part.num_rows
            if rows >= self.batch_rows:
                yield pa.concat_tables(waiting).combine_chunks()
                waiting, rows = [], 0
        if rows:
            yield pa.concat_tables(waiting).combine_chunks()

    def _parts(self, paths: Sequence[str]) -> Iterator[pa.Table]:
        for file, (schema, rows) in zip(self.files, self._footers, strict=True):
            if schema is None or not rows:
                continue
            there = [path for path in paths if path.partition(".")[0] in schema.names]
            with parquet.ParquetFile(open_input(file)) as opened:
                for batch in opened.iter_batches(self.batch_rows, columns=there):
                    yield pa.table({path: self._column(batch, path) for path in paths})

    def _column(self, batch: pa.RecordBatch, path: str) -> pa.Array:
        """Null where the file was written before the column was declared."""
        outer, _, member = path.partition(".")
        if outer not in batch.schema.names:
            declared = self.table.arrow.field(outer).type
            return pa.nulls(batch.num_rows, declared.field(member).type if member else declared)
        return pc.struct_field(batch[outer], member) if member else batch[outer]
