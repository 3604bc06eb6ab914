"""Files of an earlier version lack columns that were declared since: those are null in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipelines.quality.checking import check_tables
from schemas.tables import CALLS
from tests.pipelines.quality.folders import clean_rows, link

if TYPE_CHECKING:
    from pathlib import Path

OPTIONAL = next(column for column in CALLS.columns if column.values and not column.required)
REQUIRED = next(column for column in CALLS.columns if column.values and column.required)


@pytest.fixture
def tables(clean: Path, tmp_path: Path) -> Path:
    linked = link(clean, tmp_path / "tables", {})
    (linked / "calls").unlink()
    (linked / "calls").mkdir()
    return linked


def _write(tables: Path, name: str, rows: list[dict[str, object]], without: str | None = None) -> None:
    read = pa.Table.from_pylist(rows, schema=CALLS.arrow)
    parquet.write_table(read.drop_columns([without]) if without else read, tables / "calls" / f"{name}.parquet")


def test_a_column_that_may_be_null(tables: Path) -> None:
    rows = clean_rows()["calls"]
    _write(tables, "older", rows[:2], OPTIONAL.name)
    _write(tables, "newer", rows[2:])
    result = check_tables(str(tables))
    assert [failure.sentence for failure in result.failures] == []
    assert {suite.name: suite.rows for suite in result.suites}["calls"] == len(rows)


def test_it_is_checked_where_it_is(tables: Path) -> None:
    rows = clean_rows()["calls"]
    _write(tables, "older", rows[:2], OPTIONAL.name)
    _write(tables, "newer", [rows[2] | {OPTIONAL.name: "nothing declared"}])
    [failure] = check_tables(str(tables)).failures
    assert failure.what.startswith(f"{OPTIONAL.name} is one of")
    assert (failure.unexpected, failure.examples[0]["call_uid"]) == (1, "call_uid-2")


def test_it_may_be_in_none(tables: Path) -> None:
    _write(tables, "older", clean_rows()["calls"], OPTIONAL.name)
    assert check_tables(str(tables)).success


def test_a_required_column_has_to_be_in_all(tables: Path) -> None:
    rows = clean_rows()["calls"]
    _write(tables, "older", rows[:2], REQUIRED.name)
    _write(tables, "newer", rows[2:])
    [failure] = check_tables(str(tables)).failures
    assert (failure.table, failure.what) == ("calls", "every declared column is there")
    assert [(one["column"], one["file"]) for one in failure.examples] == [(REQUIRED.name, "older.parquet")]
