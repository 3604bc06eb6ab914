"""One defect in one table, for every suite and every kind of expectation that it has: each is caught, and named."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pipelines.quality.batches import shown
from pipelines.quality.checking import Checking, check_tables
from pipelines.quality.checks import Check, CheckKind, checks_of
from schemas.relations import Balance, RowCount
from schemas.tables import CALLS, WRITTEN
from tests.pipelines.quality.folders import OPERATIONS, ROWS, clean_rows, link, link_related, plant, write_table

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pipelines.quality.result import Suite
    from schemas.model import Table
    from tests.pipelines.quality.folders import Rows


TOGETHER = 33
"""Tables of operations in one folder: nothing refers to them, so that each is spoilt alone."""
HALVINGS = [(bit, which) for bit in range(len(WRITTEN).bit_length()) for which in (0, 1)]
"""Of the tables by their place: of any two, one is in the half without the other at least once."""


def first_of_each_kind(table: Table) -> list[Check]:
    """Of its checks the first of each kind and of each way to work it out."""
    found: dict[object, Check] = {}
    for check in checks_of(table):
        found.setdefault((check.kind, type(check.measure)), check)
    return list(found.values())


def planted() -> list[Check]:
    return [check for table in WRITTEN if table.name not in OPERATIONS for check in first_of_each_kind(table)]


def planted_together() -> list[list[Check]]:
    """Of each table of operations one, another with each table."""
    kinds = ((number, first_of_each_kind(table)) for number, table in enumerate(WRITTEN) if table.name in OPERATIONS)
    chosen = [every[number % len(every)] for number, every in kinds]
    return [chosen[at : at + TOGETHER] for at in range(0, len(chosen), TOGETHER)]


def test_clean_folder_keeps_all(whole: Path) -> None:
    result = check_tables(str(whole))
    assert [failure.sentence for failure in result.failures] == []
    assert {suite.name for suite in result.suites} == {"types", *(table.name for table in WRITTEN)}
    assert all(suite.rows >= ROWS and suite.checked for suite in result.suites)


@pytest.mark.parametrize("check", planted(), ids=lambda check: f"{check.table}-{check.kind}-{check.columns[0]}")
def test_planted_defect_is_caught(check: Check, whole: Path, tmp_path: Path) -> None:
    assert _missed([check], whole, tmp_path) == {}


@pytest.mark.parametrize("checks", planted_together(), ids=lambda checks: f"{checks[0].table}-{len(checks)}")
def test_planted_defects_of_operations_are_caught(checks: list[Check], whole: Path, tmp_path: Path) -> None:
    assert _missed(checks, whole, tmp_path) == {}


def _missed(checks: list[Check], whole: Path, folder: Path) -> dict[str, str]:
    """What is wrong with how the defect of each check, one a table, is told; by table."""
    rows = clean_rows()
    counts = {check.table: plant(check, rows) for check in checks}
    tables = tuple(table for table in WRITTEN if table.name in counts)
    suites = Checking(str(link_related(whole, folder / "tables", rows, tables))).suites(tables)
    told = {suite.name: suite for suite in suites}
    assert set(told) == set(counts)
    assert len(checks) == len(tables)
    faults = {one.name: _fault(check, one, told[one.name], counts[one.name], rows) for check, one in _beside(checks)}
    return {name: fault for name, fault in faults.items() if fault}


def _beside(checks: list[Check]) -> list[tuple[Check, Table]]:
    return [(check, next(table for table in WRITTEN if table.name == check.table)) for check in checks]


def _fault(check: Check, table: Table, suite: Suite, count: int, rows: Rows) -> str:
    found = {one.what: one for one in suite.checked if not one.success}
    if len(suite.checked) != len(list(checks_of(table))):
        return "some are left out for want of another table"
    if check.what not in found:
        return f"{check.what}: not told, but {sorted(found)}"
    if (found[check.what].table, found[check.what].unexpected) != (check.table, count):
        return f"{check.what}: {found[check.what]}"
    example = found[check.what].examples[-1]
    if set(example) != {*shown(table), *check.columns}:
        return f"{check.what}: the example shows {sorted(example)}"
    key = _texts(rows[check.table][-1], table.key)
    if not isinstance(check.measure, Balance | RowCount) and {name: example[name] for name in table.key} != key:
        return f"{check.what}: the example is {example}"
    return ""


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every table with a first column of the wrong type."""
    tables = tmp_path_factory.mktemp("wrong")
    for table in WRITTEN:
        write_table(table.name, table.arrow.set(0, pa.field(table.names[0], pa.date32())).empty_table(), tables)
    return tables


@pytest.mark.parametrize(("bit", "which"), HALVINGS)
def test_wrong_types_are_caught(bit: int, which: int, whole: Path, wrong: Path, tmp_path: Path) -> None:
    half = {table.name for number, table in enumerate(WRITTEN) if number >> bit & 1 == which}
    for table in WRITTEN:
        (tmp_path / table.name).symlink_to((wrong if table.name in half else whole) / table.name)
    failures = [one for one in Checking(str(tmp_path)).types().checked if not one.success]
    times = Counter(one.table for one in failures)
    assert times.keys() ^ half == set()
    assert {table: count for table, count in times.items() if count != 1} == {}
    as_expected = {table.name: (CheckKind.TYPE, 1, table.names[0], "date32[day]") for table in WRITTEN}
    for failure in failures:
        example = failure.examples[0]
        assert (failure.kind, failure.unexpected, example["column"], example["found"]) == as_expected[failure.table]


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
