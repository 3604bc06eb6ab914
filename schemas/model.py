"""A table is declared once; Arrow schema, Spark DDL and the reference page come from the declaration."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.relations import Relation

TIMESTAMP = pa.timestamp("us", tz="UTC")
STRING, LONG, INT, BOOL, BINARY = pa.string(), pa.int64(), pa.int32(), pa.bool_(), pa.binary()
DOUBLE, UNSIGNED_LONG = pa.float64(), pa.decimal128(20, 0)
AnyRow: TypeAlias = "Mapping[str, Any]"
"""A row on its way to a file by those whom it does not concern; who makes or reads it has the type beside its table."""
U8, U16, U32, U64 = ((1 << bits) - 1 for bits in (8, 16, 32, 64))


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Any
    """An Arrow type that Spark has too: no unsigned integers, no nanoseconds."""
    doc: str
    """One sentence; it is the column's public documentation."""
    required: bool = False
    """Never null. Times are not: a pcapng may have packets without."""
    values: tuple[str, ...] = ()
    """All that it can hold besides null; empty where that cannot be listed."""
    low: int | None = None
    high: int | None = None
    """Both included."""
    inside: tuple[Column, ...] = ()
    """Members of a structure of which one of the above can be said."""

    def optional(self) -> Column:
        """The same where it may be null."""
        return replace(self, required=False)


@dataclass(frozen=True)
class Table:
    name: str
    doc: str
    """What one row is."""
    columns: tuple[Column, ...]
    key: tuple[str, ...] = ()
    """No two rows have the same values in these; null equals null."""
    no_key: str = ""
    """Why there is none."""
    relations: tuple[Relation, ...] = ()
    only_with_rows: bool = False
    """A run in which it has none does not write it: COM has hundreds of operations."""

    @cached_property
    def arrow(self) -> pa.Schema:
        return pa.schema([pa.field(column.name, column.type) for column in self.columns])

    @cached_property
    def struct(self) -> pa.StructType:
        return pa.struct(list(self.arrow))

    @cached_property
    def ddl_types(self) -> Mapping[str, str]:
        """Spark's names of its columns' types."""
        return {field.name: ddl_type(field.type) for field in self.arrow}

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def twins(self) -> tuple[tuple[str, str], ...]:
        """Times that stand there twice: in microseconds, and in nanoseconds beside them."""
        return tuple((name, f"{name}_ns") for name in self.names if f"{name}_ns" in self.names)


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
