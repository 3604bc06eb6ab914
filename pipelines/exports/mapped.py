"""Rows of a table to what a mapping makes of them, in the order of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pipelines.exports.lookups import looked_up, not_in_other_events
from pipelines.exports.rows import ordered, reach
from schemas.dates import dated_by
from schemas.exports.model import TABLES_BY_NAME

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator

    from pipelines.exports.rows import Row
    from schemas.exports.model import Mapping

FlatEvent: TypeAlias = "list[tuple[str, Any]]"
Path: TypeAlias = "tuple[str, ...]"
REMEMBERED: Final = 200_000
"""Rows that are told once only: so many are held, however many there are."""


def flat_events(folder: str, mapping: Mapping, untimed: Counter[str]) -> Iterator[FlatEvent]:
    """Names and values, null where there is nothing to tell; rows left out for want of a time are counted."""
    rows: Iterable[Row] = ordered(folder, TABLES_BY_NAME[mapping.table], mapping.columns)
    rows = _wanted(rows, mapping, untimed)
    if mapping.unless:
        rows = not_in_other_events(folder, mapping, rows)
    if mapping.once:
        rows = _once(rows, mapping.once)
    if mapping.lookups:
        rows = looked_up(folder, mapping, rows)
    return map(event_maker(mapping), rows)


def event_maker(mapping: Mapping) -> Callable[[Row], FlatEvent]:
    """From a row to names and values in the order of the declaration."""
    plan = [
        (field.target, [_path(name) for name in field.sources], field.convert, field.always) for field in mapping.fields
    ]

    def tell(row: Row) -> FlatEvent:
        found: FlatEvent = []
        for target, paths, convert, value in plan:
            if paths:
                values = [reach(row, path) for path in paths]
                known = values.count(None) < len(values)
                value = convert(*values) if convert and known else values[0]
            found.append((target, value))
        return found

    return tell


def nested(flat: FlatEvent) -> Row:
    """Dotted names as objects within objects, without nulls."""
    found: Row = {}
    for name, value in flat:
        if value is not None:
            *outer, last = name.split(".")
            here = found
            for part in outer:
                here = here.setdefault(part, {})
            here[last] = value
    return found


def _wanted(rows: Iterable[Row], mapping: Mapping, untimed: Counter[str]) -> Iterator[Row]:
    only = mapping.only
    source = _path(only.source) if only else ()
    # Other times are null where what they tell of did not happen.
    own_time = mapping.timed_by == dated_by(TABLES_BY_NAME[mapping.table])
    for row in rows:
        if only and not only.holds(reach(row, source)):
            continue
        if mapping.timed_by and row[mapping.timed_by] is None:
            untimed[mapping.table] += own_time
            continue
        yield row


def _once(rows: Iterable[Row], columns: tuple[str, ...]) -> Iterator[Row]:
    """The first of those alike; of very many the earliest are forgotten."""
    seen: dict[tuple[Any, ...], None] = {}
    for row in rows:
        key = tuple(reach(row, _path(name)) for name in columns)
        if None not in key:
            if key in seen:
                continue
            seen[key] = None
            if len(seen) > REMEMBERED:
                del seen[next(iter(seen))]
        yield row


def _path(name: str) -> Path:
    return tuple(name.split("."))
