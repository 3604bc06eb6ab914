"""Rows that break an expectation cost the gate a few steps each, whatever it is that they break."""

from __future__ import annotations

import cProfile
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipelines.quality.checking import Checking
from pipelines.quality.checks import checks_of
from schemas.tables import CALLS, PDUS, SESSIONS
from tests.pipelines.quality.folders import clean_rows, link, plant

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.quality.checks import Check
    from schemas.model import Table

FEW: Final = 1_000
MANY: Final = 6_000
STEPS: Final = 12
"""Calls of functions for a row and an expectation that it breaks; there were four hundred."""
KINDS: Final = {
    f"{type(check.test).__name__} of {type(check.measure).__name__}": check
    for table in (SESSIONS, CALLS, PDUS)
    for check in checks_of(table)
}


def spoilt(check: Check, table: Table, clean: Path, folder: Path, count: int) -> str:
    """So many rows that all break it, and of course the key."""
    rows = clean_rows()
    plant(check, rows)
    tables = link(clean, folder, rows, table.name)
    (file,) = (tables / table.name).iterdir()
    columns = [pa.array([rows[table.name][-1][field.name]] * count, field.type) for field in table.arrow]
    parquet.write_table(pa.Table.from_arrays(columns, schema=table.arrow), file)
    return str(tables)


def steps(tables: str, table: Table, check: Check) -> tuple[int, int]:
    """Calls of functions, and how many expectations are broken."""
    profile = cProfile.Profile()
    checking = Checking(tables)
    profile.enable()
    [suite] = checking.suites((table,))
    profile.disable()
    broken = {one.what: one for one in suite.checked if not one.success}
    assert broken[check.what].unexpected == suite.rows
    assert len(broken[check.what].examples) == 3
    return sum(one.callcount for one in profile.getstats()), len(broken)


@pytest.mark.parametrize("kind", KINDS)
def test_steps_grow_with_the_rows_and_slowly(clean: Path, tmp_path: Path, kind: str) -> None:
    check = KINDS[kind]
    table = next(one for one in (SESSIONS, CALLS, PDUS) if one.name == check.table)
    few, _ = steps(spoilt(check, table, clean, tmp_path / "few", FEW), table, check)
    many, broken = steps(spoilt(check, table, clean, tmp_path / "many", MANY), table, check)
    assert (many - few) / (MANY - FEW) / broken < STEPS
