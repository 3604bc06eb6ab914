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
    """The same rows; what was found stands in each under the name of its table, null where nothing was."""
    rest = iter(rows)
    while waiting := list(islice(rest, AT_ONCE)):
        for lookup in mapping.lookups:
            wanted = {row[lookup.column] for row in waiting} - {None}
            found = _found(folder, lookup, mapping.columns_of(lookup.table), wanted) if wanted else {}
            for row in waiting:
                row[lookup.table] = found.get(row[lookup.column])
        yield from waiting


def _found(folder: str, lookup: Lookup, columns: tuple[str, ...], wanted: set[str]) -> dict[str, Row]:
    values = pa.array(sorted(wanted))
    found: dict[str, Row] = {}
    for batch in batches(folder, TABLES_BY_NAME[lookup.table], columns):
        for row in batch.filter(pc.is_in(batch.column(lookup.key), values)).to_pylist():
            key = row[lookup.key]
            # Of several the same one, whichever is read first.
            found[key] = min(row, found[key], key=json_text) if key in found else row
    return found
