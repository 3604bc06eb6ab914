"""Parquet files of any version: a column or member that a file lacks is null, and what is not asked for stays aside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyarrow import parquet


def batches_there(opened: parquet.ParquetFile, paths: Iterable[str], rows: int) -> Iterator[pa.RecordBatch]:
    """Of these columns those that the file has, so many rows at a time; `id.orig_h` is a member of a structure."""
    schema = opened.schema_arrow
    there = [path for path in paths if type_of(schema, path) is not None]
    # Rows are counted by a column: one at least is read. A task has one core: threads would only cost their start.
    yield from opened.iter_batches(rows, columns=there or schema.names[:1], use_threads=False)


def aligned_batches(opened: parquet.ParquetFile, schema: pa.Schema, rows: int) -> Iterator[pa.RecordBatch]:
    return (aligned(batch, schema) for batch in batches_there(opened, schema.names, rows))


def aligned(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """The same rows with the columns of the schema, also inside of structures and lists of them."""
    if batch.schema.equals(schema):
        return batch
    return pa.RecordBatch.from_arrays([column_of(batch, one.name, one.type) for one in schema], schema=schema)


def column_of(rows: pa.RecordBatch | pa.Table, path: str, kind: pa.DataType | None) -> Any:  # noqa: ANN401 - an array
    """None: the type that the file has."""
    if type_of(rows.schema, path) is None:
        return pa.nulls(len(rows), kind)
    head, *rest = path.split(".")
    column = rows.column(head)
    if rest:
        column = pc.struct_field(column, rest)
    # A cast fills members that are missing with null, and drops those that the type does not have.
    return column if kind is None or column.type.equals(kind) else column.cast(kind)


def type_of(schema: pa.Schema, path: str) -> pa.DataType | None:
    """None: there is no such column or member."""
    head, *rest = path.split(".")
    if head not in schema.names:
        return None
    kind = schema.field(head).type
    for name in rest:
        if not pa.types.is_struct(kind) or kind.get_field_index(name) < 0:
            return None
        kind = kind.field(name).type
    return kind
