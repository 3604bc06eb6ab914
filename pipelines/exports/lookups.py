"""What rows name in other tables, looked up for many of them at once: no table has to fit in memory."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.exports.rows import batches
from pipelines.exports.text import json_text
from schemas.exports.model import TABLES_BY_NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.exports.rows import Row
    from schemas.exports.model import Lookup, Mapping

AT_ONCE: Final = 20_000
"""Rows that wait while the other tables are read through."""


def looked_up(folder: str, mapping: Mapping, rows: Iterable[Row]) -> Iterator[Row]:
    """The same rows; what was found stands in each under the name of its lookup, null where nothing was."""
    for waiting in _waiting(rows):
        for lookup in mapping.lookups:
            found = _found(folder, mapping, lookup, waiting)
            for row in waiting:
                alike = found.get(row[lookup.column])
                row[lookup.called] = alike if lookup.every or alike is None else alike[0]
        yield from waiting


def not_in_other_events(folder: str, mapping: Mapping, rows: Iterable[Row]) -> Iterator[Row]:
    """The rows that no lookup of `unless` finds."""
    for waiting in _waiting(rows):
        left = waiting
        for lookup in mapping.unless:
            found = _found(folder, mapping, lookup, left)
            left = [row for row in left if row[lookup.column] not in found]
        yield from left


def _waiting(rows: Iterable[Row]) -> Iterator[list[Row]]:
    rest = iter(rows)
    while waiting := list(islice(rest, AT_ONCE)):
        yield waiting


def _found(folder: str, mapping: Mapping, lookup: Lookup, waiting: list[Row]) -> dict[str, list[Row]]:
    """By key, in the order of their text: the same, whichever is read first."""
    wanted = {row[lookup.column] for row in waiting} - {None}
    found: dict[str, list[Row]] = {}
    if not wanted:
        return found
    values, where = pa.array(sorted(wanted)), lookup.where
    for batch in batches(folder, TABLES_BY_NAME[lookup.table], mapping.columns_of(lookup)):
        for row in batch.filter(pc.is_in(batch.column(lookup.key), values)).to_pylist():
            if where is None or where.holds(row[where.source]):
                found.setdefault(row[lookup.key], []).append(row)
    return {key: sorted(alike, key=json_text) for key, alike in found.items()}
