"""The declarations of a table, taken apart into single checks; neither data nor Great Expectations yet."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from schemas.relations import AtLeast, Balance, NotAbove, Reference, RowCount, Sum

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.model import Column, Table
    from schemas.relations import Relation


class CheckKind(enum.StrEnum):
    TYPE = "type"
    REQUIRED = "required"
    VALUES = "values"
    RANGE = "range"
    KEY = "key"
    REFERENCE = "reference"
    ORDER = "order"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Key:
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Twins:
    """One time twice: in microseconds and in nanoseconds."""

    micros: str
    nanos: str


Measure: TypeAlias = "Relation | Key | Twins"
"""What is worked out of several columns, rows or tables before it can be looked at."""


@dataclass(frozen=True, slots=True)
class NotNull:
    pass


@dataclass(frozen=True, slots=True)
class OneOf:
    values: tuple[str | int | bool, ...]


@dataclass(frozen=True, slots=True)
class Within:
    low: int | None
    high: int | None


@dataclass(frozen=True, slots=True)
class SameAs:
    other: str


Test: TypeAlias = NotNull | OneOf | Within | SameAs


@dataclass(frozen=True, slots=True)
class Check:
    table: str
    kind: CheckKind
    what: str
    """What holds, in words."""
    columns: tuple[str, ...]
    """That it is about; a member of a structure as `id.orig_p`."""
    test: Test
    measure: Measure | None = None
    """Where it is not the first column that is tested but what this gives."""
    elsewhere: tuple[tuple[str, str], ...] = ()
    """Columns of other tables that it needs."""


_MICROSECOND: Final = 999
"""Nanoseconds that a time in microseconds leaves out, at most."""


def checks_of(table: Table) -> tuple[Check, ...]:
    """All but the types, which are looked at in all tables together."""
    return (*_of_columns(table), *_of_key(table), *_of_twins(table), *(_of(table.name, one) for one in table.relations))


def _of_columns(table: Table) -> Iterator[Check]:
    for column in table.columns:
        yield from _of_column(table.name, column.name, column)
        for member in column.inside:
            yield from _of_column(table.name, f"{column.name}.{member.name}", member)


def _of_column(table: str, path: str, column: Column) -> Iterator[Check]:
    if column.required:
        yield Check(table, CheckKind.REQUIRED, f"{path} is never null", (path,), NotNull())
    if column.values:
        listed = ", ".join(column.values) if len(column.values) <= 8 else f"{len(column.values)} declared names"
        yield Check(table, CheckKind.VALUES, f"{path} is one of {listed}", (path,), OneOf(column.values))
    if column.low is not None or column.high is not None:
        limits = f"from {column.low} to {column.high}" if column.high is not None else f"at least {column.low}"
        yield Check(table, CheckKind.RANGE, f"{path} is {limits}", (path,), Within(column.low, column.high))


def _of_key(table: Table) -> Iterator[Check]:
    if table.key:
        named = " and ".join(table.key)
        what = f"{named} is unique" if len(table.key) == 1 else f"{named} are unique together"
        yield Check(table.name, CheckKind.KEY, what, table.key, Within(1, 1), Key(table.key))


def _of_twins(table: Table) -> Iterator[Check]:
    for micros, nanos in table.twins:
        what = f"{micros} and {nanos} are the same time"
        yield Check(table.name, CheckKind.SUM, what, (micros, nanos), Within(0, _MICROSECOND), Twins(micros, nanos))


def _of(table: str, relation: Relation) -> Check:
    match relation:
        case Reference(column, other, to):
            what = f"{column} stands in {other}.{to}"
            return Check(table, CheckKind.REFERENCE, what, (column,), OneOf((True,)), relation, ((other, to),))
        case NotAbove(lower, upper):
            return Check(
                table, CheckKind.ORDER, f"{lower} is at most {upper}", (lower, upper), Within(0, None), relation
            )
        case AtLeast(column, low, where, equals, says):
            what = f"{says}: {column} is at least {low} where {where} is {equals}"
            return Check(table, CheckKind.ORDER, what, (column, where), Within(low, None), relation)
        case Sum(total, parts):
            what = f"{total} is the sum of {', '.join(parts)}"
            return Check(table, CheckKind.SUM, what, (total, *parts), OneOf((0,)), relation)
        case Balance(value, by, name, total):
            what = f"in each {by[-1]}, {total} is the sum of the other {name}s"
            return Check(table, CheckKind.SUM, what, (*by, name, value), OneOf((0,)), relation)
        case RowCount(stage, other, column):
            what = f"{stage} counts the rows of {other} by {column}"
            columns, elsewhere = ("capture_id", "stage", "counter", "value"), ((other, "capture_id"), (other, column))
            return Check(table, CheckKind.SUM, what, columns, OneOf((0,)), relation, elsewhere)
