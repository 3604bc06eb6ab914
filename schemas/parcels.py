"""Batches of any table as one cell each: a pass that makes rows of a hundred tables has one narrow schema.

An envelope (schemas.envelope) has a column a table and fills all but one with nulls, which costs a buffer a leaf and
batch. The typed tables have hundreds of leaves together, so their batches travel as Arrow's own stream format.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pyarrow as pa

from schemas.model import BINARY, INT, STRING, Column, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PARCELS = Table(
    "parcels",
    "A batch of rows of one table.",
    (
        Column("table", STRING, "Name of the table."),
        Column("rows", INT, "Number of rows."),
        Column("data", BINARY, "The batch in Arrow's stream format."),
    ),
)


def parcel(table: str, batch: pa.RecordBatch) -> pa.RecordBatch:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return pa.RecordBatch.from_pydict(
        {"table": [table], "rows": [len(batch)], "data": [sink.getvalue()]}, schema=PARCELS.arrow
    )


def opened(cells: Iterable[bytes], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    for cell in cells:
        with pa.ipc.open_stream(cell) as reader:
            for batch in reader:
                yield batch.cast(schema) if batch.schema != schema else batch
