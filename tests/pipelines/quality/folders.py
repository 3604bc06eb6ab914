"""Small folders of tables that keep every declaration, made from the declarations; and one defect at a time."""

from __future__ import annotations

import pickle
from decimal import Decimal
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet

from pipelines.quality.checks import CheckKind, Key, OneOf, Twins, Within
from schemas.relations import AtLeast, Balance, NotAbove, Reference, RowCount, Sum
from schemas.tables import ACCOUNTING, TYPED, WRITTEN
from schemas.tables.accounting import COUNTERS, IN

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from pathlib import Path

    from pipelines.quality.checks import Check
    from schemas.model import Column, Table

Row = dict[str, Any]
Rows = dict[str, list[Row]]
ROWS = 3
OPERATIONS = tuple(table.name for table in TYPED.values())
_NOT_CALLED = {*OPERATIONS} - {*OPERATIONS[::40]}
"""By the run whose tables `write_run` writes: they are made in one way."""
_SECOND = 1_700_000_000


class _RowsWhenAskedFor(dict[str, list[Row]]):
    """Of a table when its name is first used: most tests use a few of eight hundred."""

    def __missing__(self, name: str) -> list[Row]:
        rows: list[Row] = pickle.loads(_pickled()[name])
        self[name] = rows
        return rows


def clean_rows() -> Rows:
    """Three of each table: equal ids in all, so that references hold. Each time new ones, to be spoiled."""
    return _RowsWhenAskedFor()


@cache
def _pickled() -> dict[str, bytes]:
    """Read back sooner than made."""
    rows = {table.name: [_row(table, number) for number in range(ROWS)] for table in WRITTEN}
    rows["accounting"] = [
        {"capture_id": capture["capture_id"], "stage": stage, "counter": counter, "value": 0}
        for capture in rows["captures"]
        for stage, counters in COUNTERS.items()
        for counter in counters
    ]
    for counted in (one for one in ACCOUNTING.relations if isinstance(one, RowCount)):
        for one, row in product(rows[counted.table], rows["accounting"]):
            same = (row["capture_id"], row["stage"]) == (one["capture_id"], counted.stage)
            row["value"] += same and row["counter"] in (IN, one[counted.column])
    return {name: pickle.dumps(some) for name, some in rows.items()}


def _row(table: Table, number: int) -> Row:
    row = {column.name: _value(table, column, number) for column in table.columns}
    for relation in table.relations:
        if isinstance(relation, Sum):
            row[relation.total] = sum(row[part] for part in relation.parts)
        if isinstance(relation, AtLeast):
            row[relation.where] = relation.equals
    return row


def _value(table: Table, column: Column, number: int) -> Any:  # noqa: ANN401
    """Ids are named for the column they refer to, numbers grow with the row."""
    if column.values:
        return column.values[0]
    names = {one.column: one.to for one in table.relations if isinstance(one, Reference)}
    text = f"{names.get(column.name, column.name)}-{number}"
    return _of_type(column.type, text, (column.low or 0) + number, column)


def _of_type(kind: pa.DataType, text: str, number: int, column: Column | None = None) -> Any:  # noqa: ANN401
    if pa.types.is_string(kind):
        return text
    if pa.types.is_timestamp(kind):
        return (_SECOND + number) * 1_000_000
    if pa.types.is_integer(kind):
        is_time = column is not None and column.name.endswith("ts_ns")
        return (_SECOND + number) * 1_000_000_000 + 999 if is_time else number
    if pa.types.is_decimal(kind):
        return Decimal(number)
    if pa.types.is_boolean(kind):
        return True
    if pa.types.is_struct(kind):
        return {field.name: _of_type(field.type, text, number) for field in kind}
    return [] if pa.types.is_list(kind) else None


def write(rows: Rows, tables: Path) -> Path:
    for table in WRITTEN:
        write_table(table.name, pa.Table.from_pylist(rows[table.name], schema=table.arrow), tables)
    return tables


def write_run(rows: Rows, tables: Path) -> Path:
    """As a run does: of operations that nobody called no rows, and most often no table."""
    for table in WRITTEN:
        called = table.name not in _NOT_CALLED
        if called or not table.only_with_rows:
            some = rows[table.name] if called else []
            write_table(table.name, pa.Table.from_pylist(some, schema=table.arrow), tables)
    return tables


def write_table(name: str, rows: pa.Table, tables: Path) -> None:
    (tables / name).mkdir(parents=True)
    parquet.write_table(rows, tables / name / "part-00000.parquet")


def link(clean: Path, tables: Path, rows: Rows, *changed: str) -> Path:
    """The clean folder with some tables written anew."""
    return _linked(clean, tables, rows, changed, [table for table in WRITTEN if (clean / table.name).exists()])


def link_related(clean: Path, tables: Path, rows: Rows, changed: Sequence[Table]) -> Path:
    """The same with these written anew and those alone that their checks look at: a footer of each is read."""
    names = {table.name for table in changed}
    relations = (one for table in changed for one in table.relations)
    related = names | {one.table for one in relations if isinstance(one, Reference | RowCount)}
    return _linked(clean, tables, rows, names, [table for table in WRITTEN if table.name in related])


def _linked(clean: Path, tables: Path, rows: Rows, changed: Collection[str], which: Sequence[Table]) -> Path:
    tables.mkdir()
    for table in which:
        if table.name in changed:
            write_table(table.name, pa.Table.from_pylist(rows[table.name], schema=table.arrow), tables)
        else:
            (tables / table.name).symlink_to(clean / table.name)
    return tables


def plant(check: Check, rows: Rows) -> int:
    """Break it in the last row; how many rows of the table show it."""
    row, path = rows[check.table][-1], check.columns[0]
    match check.measure:
        case None:
            outer, _, member = path.partition(".")
            place, name = (row[outer], member) if member else (row, outer)
            place[name] = _wrong(check)
        case Key(columns):
            row.update({column: rows[check.table][0][column] for column in columns})
            return 2
        case Twins(_, nanos):
            row[nanos] += 1_000
        case Reference(column):
            row[column] = "nowhere"
        case NotAbove(lower, upper):
            row[lower], row[upper] = row[upper], row[lower]
            row[lower] += 1
        case AtLeast(column, low):
            row[column] = low - 1
        case Sum(total):
            row[total] += 1
        case Balance(value, _, name, total):
            next(one for one in rows[check.table] if one[name] == total)[value] += 1
        case RowCount(stage):
            names = [one for one in rows[check.table] if one["stage"] == stage and one["counter"] != IN]
            next(one for one in names if one["value"])["value"] += 1
    return 1


def _wrong(check: Check) -> Any:  # noqa: ANN401
    if isinstance(check.test, OneOf):
        return "\x1b[31mno such name"
    if isinstance(check.test, Within):
        return check.test.high + 1 if check.test.high is not None else (check.test.low or 0) - 1
    assert check.kind is CheckKind.REQUIRED
    return None
