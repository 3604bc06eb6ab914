"""Files of tables and state, read again: in batches, or whole where they are little."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
from pyarrow import parquet

from ingest.files import open_input
from pipelines.store.alignment import aligned_batches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.store.files import StoredFile

READ_ROWS: Final = 8_192


def batches_of(file: StoredFile, schema: pa.Schema, rows: int = READ_ROWS) -> Iterator[pa.RecordBatch]:
    source = open_input(file.place)
    with parquet.ParquetFile(source, read_dictionary=None) as opened:
        yield from aligned_batches(opened, schema, rows)


def read_table(files: Iterable[StoredFile], schema: pa.Schema) -> pa.Table:
    """All rows: for what is little, or a few bytes a row."""
    return pa.Table.from_batches([batch for file in files for batch in batches_of(file, schema)], schema)


def part_of(schema: pa.Schema, names: Sequence[str]) -> pa.Schema:
    """Only these columns."""
    return pa.schema([schema.field(name) for name in names])
