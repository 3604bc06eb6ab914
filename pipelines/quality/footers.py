"""Types of all tables at once, by what their files' footers say: no row is read, so empty tables cost nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.quality.checks import Check, CheckKind, NotNull, SameAs
from schemas.model import ddl_type

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

    from pipelines.quality.table_files import TableFiles
    from schemas.model import Table

Row = dict[str, str | None]
SUITE: Final = "types"
COLUMNS: Final = ("table", "column", "declared", "found", "file")
CHECKS: Final = (
    Check(SUITE, CheckKind.TYPE, "every declared column is there", ("found",), NotNull()),
    Check(SUITE, CheckKind.TYPE, "no other column is there", ("declared",), NotNull()),
    Check(SUITE, CheckKind.TYPE, "columns have the declared types", ("found", "declared"), SameAs("declared")),
)


def type_rows(tables: Iterable[TableFiles]) -> Iterator[Row]:
    """A row a column and type met; files that agree share it."""
    for stored in tables:
        yield from _of_table(stored.table, stored)


def broken_columns(rows: Iterable[Row]) -> frozenset[tuple[str, str]]:
    """(table, column) that cannot be read as declared."""
    return frozenset((str(row["table"]), str(row["column"])) for row in rows if row["found"] != row["declared"])


def _of_table(table: Table, stored: TableFiles) -> Iterator[Row]:
    declared = table.ddl_types
    seen: set[tuple[str, str | None]] = set()
    # A file may be older than a column, whose values in it are null.
    newer = {column.name for column in table.columns if not column.required}
    for file, schema in stored.schemas:
        # As it is of nearly every file, and quicker to see than to spell out.
        is_declared = schema is not None and schema.equals(table.arrow)
        found = declared if is_declared else {field.name: type_name(field.type) for field in schema or ()}
        for column in dict.fromkeys((*declared, *found)):
            met = column, found.get(column)
            is_absent = schema is not None and column in newer and column not in found
            if met not in seen and not is_absent:
                seen.add(met)
                yield _row(table.name, column, declared.get(column), met[1], file)
    if not seen:
        yield from (_row(table.name, column, kind, None, None) for column, kind in declared.items())


def _row(table: str, column: str, declared: str | None, found: str | None, file: str | None) -> Row:
    return dict(zip(COLUMNS, (table, column, declared, found, file), strict=True))


def type_name(kind: pa.DataType) -> str:
    """Spark's name; of a type that no table has, Arrow's."""
    try:
        return ddl_type(kind)
    except KeyError:
        return str(kind)
