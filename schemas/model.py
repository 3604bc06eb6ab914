"""A table is declared once; Arrow schema, Spark DDL and the reference page come from the declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pyarrow as pa

TIMESTAMP = pa.timestamp("us", tz="UTC")
STRING, LONG, INT, BOOL, BINARY = pa.string(), pa.int64(), pa.int32(), pa.bool_(), pa.binary()
DOUBLE, UNSIGNED_LONG = pa.float64(), pa.decimal128(20, 0)


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Any
    """An Arrow type that Spark has too: no unsigned integers, no nanoseconds."""
    doc: str
    """One sentence; it is the column's public documentation."""


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    doc: str
    """What one row is."""
    columns: tuple[Column, ...]

    @property
    def arrow(self) -> pa.Schema:
        return pa.schema([pa.field(column.name, column.type) for column in self.columns])

    @property
    def struct(self) -> pa.StructType:
        return pa.struct(list(self.arrow))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)


_DDL = {
    STRING: "STRING",
    LONG: "BIGINT",
    INT: "INT",
    BOOL: "BOOLEAN",
    BINARY: "BINARY",
    TIMESTAMP: "TIMESTAMP",
    DOUBLE: "DOUBLE",
}


def ddl_type(arrow: pa.DataType) -> str:
    """Spark's name of an Arrow type."""
    if pa.types.is_struct(arrow):
        return f"STRUCT<{', '.join(f'`{field.name}`: {ddl_type(field.type)}' for field in arrow)}>"
    if pa.types.is_list(arrow):
        return f"ARRAY<{ddl_type(arrow.value_type)}>"
    if pa.types.is_decimal(arrow):
        return f"DECIMAL({arrow.precision}, {arrow.scale})"
    return _DDL[arrow]


def ddl(schema: pa.Schema) -> str:
    """The schema as Spark reads it from text, so that nothing here needs Spark."""
    return ", ".join(f"`{field.name}` {ddl_type(field.type)}" for field in schema)
