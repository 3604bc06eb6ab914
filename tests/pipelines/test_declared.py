"""Rows of every example and every rule's fixtures hold what their tables declare, as the quality gate will ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from schemas.tables import WRITTEN
from tests.conftest import ROOT
from tests.local import Local
from tests.pipelines.rules.fixtures import all_fixtures
from tests.scripts.player import captures

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from schemas.model import Column

Row = dict[str, Any]
DECLARED = {table.name: table.columns for table in WRITTEN}
SCRIPTS = {
    path.stem: path.read_text(encoding="utf-8")
    for folder in ("tests/data/scripts", "samples/incident", "samples/script")
    for path in sorted((ROOT / folder).glob("*.calls"))
} | {str(fixture): fixture.script for fixture in all_fixtures()}


def broken(columns: Iterable[Column], row: Row) -> Iterator[str]:
    """Columns that a later stage adds are not there yet."""
    for column in (one for one in columns if one.name in row):
        value = row[column.name]
        if value is None:
            if column.required:
                yield f"{column.name} is null"
            continue
        if column.values and value not in column.values:
            yield f"{column.name} is {value!r}"
        if (column.low is not None and value < column.low) or (column.high is not None and value > column.high):
            yield f"{column.name} is {value}"
        if isinstance(value, dict):
            yield from broken(column.inside, value)


@pytest.mark.parametrize("name", SCRIPTS)
def test_rows_are_as_declared(name: str, tmp_path: Path) -> None:
    found = Local(*captures(tmp_path, SCRIPTS[name]))
    tables = found.tables | found.judged()
    said = {
        f"{table}: {sentence}"
        for table, rows in tables.items()
        if table in DECLARED
        for row in rows
        for sentence in broken(DECLARED[table], row)
    }
    assert said == set()
    assert {"calls", "flows", "sessions", "findings"} <= tables.keys() & DECLARED
