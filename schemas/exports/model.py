"""A mapping is declared once; rows of other tools and the page about them come from the declaration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable

TABLES_BY_NAME: Final = {table.name: table for table in WRITTEN}


@dataclass(frozen=True, slots=True)
class Field:
    target: str
    """Name there; a dot stands between an object and its member."""
    source: str | tuple[str, ...] = ()
    """Columns, members after a dot."""
    convert: Callable[..., Any] | None = None
    """Takes the values of the columns; its docstring says what it makes of them. Not asked where all are null."""
    always: Any = None
    """The same in every row."""
    kind: str = ""
    """Type there, where the format tells it."""

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.source,) if isinstance(self.source, str) else self.source


@dataclass(frozen=True, slots=True)
class Condition:
    """Which rows are told; null values are asked too."""

    source: str
    holds: Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class Lookup:
    """Rows of another table that a column names. One of them: its columns are called `table.column`."""

    column: str
    table: str
    key: str
    every: tuple[str, ...] = ()
    """Columns of all of them, in a list that is called as `name` says; null where there are none."""
    name: str = ""
    """The table's, unless it is said here."""
    where: Condition | None = None

    @property
    def called(self) -> str:
        return self.name or self.table


@dataclass(frozen=True, slots=True)
class Mapping:
    name: str
    table: str
    doc: str
    """What becomes of a row."""
    fields: tuple[Field, ...]
    only: Condition | None = None
    timed_by: str = ""
    """Rows without this time are left out: the format has no place for them."""
    lookups: tuple[Lookup, ...] = ()
    unless: tuple[Lookup, ...] = ()
    """Where one of these finds something, another event tells the row."""
    once: tuple[str, ...] = ()
    """Of rows that are the same in these columns, all known, the first is told."""

    @property
    def sources(self) -> frozenset[str]:
        """All columns, of looked-up tables too."""
        names = {name for field in self.fields for name in field.sources}
        names |= {lookup.column for lookup in (*self.lookups, *self.unless)}
        names |= {self.only.source} if self.only else set()
        return frozenset(names | {*self.once, self.timed_by} - {""})

    @property
    def columns(self) -> tuple[str, ...]:
        """What must be read of its own table."""
        names = {name.partition(".")[0] for name in self.sources}
        return tuple(sorted(names - {lookup.called for lookup in self.lookups}))

    def columns_of(self, lookup: Lookup) -> tuple[str, ...]:
        """What must be read of a looked-up table."""
        names = {name.split(".")[1] for name in self.sources if name.startswith(f"{lookup.called}.")}
        names |= {lookup.key, *lookup.every, *((lookup.where.source,) if lookup.where else ())}
        return tuple(sorted(names))
