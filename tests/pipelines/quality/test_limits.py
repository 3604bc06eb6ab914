"""However few rows and keys are in memory at a time, the result is the same, to the words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.quality.checking import Checking, Limits
from pipelines.quality.checks import checks_of
from schemas.tables import ACCOUNTING, CALLS, FLOWS, PDUS, SESSIONS, TYPED, WRITTEN
from tests.pipelines.quality.folders import ROWS, clean_rows, link, plant

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.model import Table

ONE = Limits(rows=1, keys=1)
TIGHT = [*((table, ONE) for table in (FLOWS, PDUS, CALLS, SESSIONS)), (ACCOUNTING, Limits(rows=40, keys=60))]


def test_a_clean_folder(clean: Path) -> None:
    """Of the tables of operations one: they are all alike."""
    some = [table for table in WRITTEN if table not in TYPED.values() and table != ACCOUNTING]
    some.append(next(iter(TYPED.values())))
    suites = Checking(str(clean), ONE).suites(some)
    assert suites == Checking(str(clean)).suites(some)
    assert all(suite.success and suite.rows == ROWS for suite in suites)


@pytest.mark.parametrize(("table", "limits"), TIGHT, ids=lambda one: getattr(one, "name", None))
def test_a_defect_for_every_way_to_work_something_out(
    table: Table, limits: Limits, clean: Path, tmp_path: Path
) -> None:
    rows = clean_rows()
    found = {type(check.measure): check for check in checks_of(table)}
    for check in found.values():
        plant(check, rows)
        # The next one meets another row.
        rows[table.name].insert(0, rows[table.name].pop())
    spoilt = str(link(clean, tmp_path / "tables", rows, table.name))
    [whole] = Checking(spoilt).suites((table,))
    assert {check.what for check in found.values()} <= {one.what for one in whole.checked if not one.success}
    assert Checking(spoilt, limits).suites((table,)) == [whole]


def test_examples_are_the_first_rows(clean: Path, tmp_path: Path) -> None:
    """Whichever share of the keys each belongs to."""
    rows = clean_rows()
    rows["flows"] = [{**row, "uid": f"{row['uid']}-{copy // 2}"} for copy in range(6) for row in rows["flows"]]
    tables = str(link(clean, tmp_path / "tables", rows, "flows"))
    [suite] = Checking(tables, Limits(rows=4, keys=5)).suites((FLOWS,))
    failure = next(one for one in suite.checked if "unique" in one.what)
    assert failure.unexpected == len(rows["flows"])
    assert [example["uid"] for example in failure.examples] == [row["uid"] for row in rows["flows"][:3]]
