"""Many tables out of one Spark pass: a row has one struct column a table, and all but one of them are null."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.model import Table


def envelope_schema(tables: Sequence[Table]) -> pa.Schema:
    return pa.schema([pa.field(table.name, table.struct) for table in tables])


def wrap(batch: pa.RecordBatch, table: Table, tables: Sequence[Table]) -> pa.RecordBatch:
    """A batch of one table as a batch of the envelope."""
    content = pa.StructArray.from_arrays(batch.columns, fields=list(table.arrow))
    columns = [content if other.name == table.name else pa.nulls(len(batch), other.struct) for other in tables]
    return pa.RecordBatch.from_arrays(columns, schema=envelope_schema(tables))
