"""One defect in one table, for every suite and every kind of expectation that it has: each is caught, and named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pipelines.quality.batches import shown
from pipelines.quality.checking import Checking, check_tables
from pipelines.quality.checks import Check, CheckKind, checks_of
from schemas.relations import Balance, RowCount
from schemas.tables import CALLS, TYPED, WRITTEN
from tests.pipelines.quality.folders import ROWS, clean_rows, link, link_related, plant, write_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from schemas.model import Table


def planted() -> list[Check]:
    """Of each table the first check of each kind and of each way to work it out; of those of operations one a table."""
    chosen: list[Check] = []
    for number, table in enumerate(WRITTEN):
        found: dict[object, Check] = {}
        for check in checks_of(table):
            found.setdefault((check.kind, type(check.measure)), check)
        every = list(found.values())
        chosen += [every[number % len(every)]] if table in TYPED.values() else every
    return chosen


def test_clean_folder_keeps_all(clean: Path) -> None:
    result = check_tables(str(clean))
    assert [failure.sentence for failure in result.failures] == []
    assert {suite.name for suite in result.suites} == {"types", *(table.name for table in WRITTEN)}
    assert all(suite.rows >= ROWS and suite.checked for suite in result.suites)


@pytest.mark.parametrize("check", planted(), ids=lambda check: f"{check.table}-{check.kind}-{check.columns[0]}")
def test_planted_defect_is_caught(check: Check, clean: Path, tmp_path: Path) -> None:
    rows = clean_rows()
    count = plant(check, rows)
    table = next(table for table in WRITTEN if table.name == check.table)
    [suite] = Checking(str(link_related(clean, tmp_path / "tables", rows, table))).suites((table,))
    assert len(suite.checked) == len(list(checks_of(table))), "none is left out for want of another table"
    found = {one.what: one for one in suite.checked if not one.success}
    assert (found[check.what].table, found[check.what].unexpected) == (check.table, count)
    example = found[check.what].examples[-1]
    assert set(example) == {*shown(table), *check.columns}
    if not isinstance(check.measure, Balance | RowCount):
        assert {name: example[name] for name in table.key} == _texts(rows[check.table][-1], table.key)


@pytest.mark.parametrize("table", WRITTEN, ids=lambda table: table.name)
def test_wrong_type_is_caught(table: Table, clean: Path, tmp_path: Path) -> None:
    tables = link(clean, tmp_path / "tables", {})
    (tables / table.name).unlink()
    wrong = table.arrow.set(0, pa.field(table.names[0], pa.date32()))
    write_table(table.name, wrong.empty_table(), tables)
    suite = Checking(str(tables)).types()
    [failure] = [one for one in suite.checked if not one.success]
    assert (failure.table, failure.kind, failure.unexpected) == (table.name, CheckKind.TYPE, 1)
    assert failure.examples[0]["column"] == table.names[0]
    assert failure.examples[0]["found"] == "date32[day]"


def _texts(row: dict[str, object], names: tuple[str, ...]) -> dict[str, str | None]:
    return {name: None if row[name] is None else str(row[name]) for name in names}


def _calls() -> pa.Table:
    return pa.Table.from_pylist(clean_rows()["calls"], schema=CALLS.arrow)


def _without_a_column(tables: Path) -> None:
    write_table("calls", _calls().drop_columns(["call_uid"]), tables)


def _with_another_column(tables: Path) -> None:
    write_table("calls", _calls().append_column("colour", pa.array(["red"] * ROWS)), tables)


def _no_parquet(tables: Path) -> None:
    (tables / "calls").mkdir()
    (tables / "calls" / "part-00000.parquet").write_bytes(b"PAR1 not really")


@pytest.mark.parametrize(
    ("spoil", "what", "count"),
    [
        (_without_a_column, "every declared column is there", 1),
        (_with_another_column, "no other column is there", 1),
        (_no_parquet, "every declared column is there", len(CALLS.columns)),
        (lambda _: None, "every declared column is there", len(CALLS.columns)),
    ],
    ids=["column missing", "column not declared", "no Parquet", "no table"],
)
def test_files_that_are_not_the_table(
    spoil: Callable[[Path], None], what: str, count: int, clean: Path, tmp_path: Path
) -> None:
    """Told once; what needs those columns is left out."""
    tables = link(clean, tmp_path / "tables", {})
    (tables / "calls").unlink()
    spoil(tables)
    [failure] = check_tables(str(tables)).failures
    assert (failure.table, failure.what, failure.unexpected) == ("calls", what, count)


def test_all_rows_that_break_it_are_counted_and_three_shown(clean: Path, tmp_path: Path) -> None:
    rows = clean_rows()
    rows["flows"] *= 2
    tables = link(clean, tmp_path / "tables", rows, "flows")
    failure = next(one for one in check_tables(str(tables)).failures if one.kind == CheckKind.KEY)
    assert failure.unexpected == 2 * ROWS
    assert len(failure.examples) == 3
    assert failure.sentence.startswith("flows: uid is unique: not so in 6 rows, e.g. uid=uid-0; uid=uid-1")
