"""What holds between the columns, rows and tables of a run, whatever the captures were like."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that is there stands in a column of another table."""

    column: str
    table: str
    to: str


@dataclass(frozen=True, slots=True)
class NotAbove:
    """Of two columns of one row; nothing is said where either is null."""

    lower: str
    upper: str


@dataclass(frozen=True, slots=True)
class Sum:
    total: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AtLeast:
    """A bound that holds in some of the rows only."""

    column: str
    low: int
    where: str
    equals: int
    says: str
    """What it means, in words."""


@dataclass(frozen=True, slots=True)
class Balance:
    """Among the rows that share `by`, the one named `total` is the sum of the others."""

    value: str
    by: tuple[str, ...]
    name: str
    total: str


@dataclass(frozen=True, slots=True)
class RowCount:
    """A row's value is the number of rows that another table has of its capture, with its name in `column`."""

    stage: str
    table: str
    column: str


Relation: TypeAlias = Reference | NotAbove | Sum | AtLeast | Balance | RowCount
