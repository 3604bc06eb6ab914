"""A run with more of everything than a page can hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.report.building import report_of
from pipelines.report.limits import BUDGETS, MAX_BYTES
from pipelines.report.packing import embedded
from pipelines.report.rendering import rendered
from tests.report.big import big_tables
from tests.report.runs import MANIFEST, run_of_rows

if TYPE_CHECKING:
    from pathlib import Path

    from pipelines.report.building import Report
    from pipelines.report.packing import Section

SESSIONS = 24_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return run_of_rows(tmp_path_factory.mktemp("big") / "run", big_tables(SESSIONS), parts=2)


@pytest.fixture(scope="module")
def report(folder: Path) -> Report:
    return report_of(str(folder), MANIFEST)


def section(report: Report, name: str) -> Section:
    return next(one for one in report.sections if one.name == name)


def test_every_section_stays_within_its_bytes(report: Report) -> None:
    for one in report.sections:
        assert len(embedded(one.packed)) <= BUDGETS[one.name], one.name
    assert len(embedded(report.rules)) <= BUDGETS["rules"]
    assert len(embedded(report.overview)) <= BUDGETS["overview"]
    assert len(rendered(report)) < MAX_BYTES


@pytest.mark.parametrize(
    ("name", "total", "table"),
    [("sessions", SESSIONS, "sessions"), ("findings", 3 * SESSIONS, "findings"), ("messages", SESSIONS, "messages")],
)
def test_what_is_left_out_is_said_with_the_table_that_has_it(report: Report, name: str, total: int, table: str) -> None:
    found = section(report, name)
    assert len(found.rows) < found.total == total
    assert found.cut.startswith(f"{len(found.rows):,} of {total:,} {name} are here")
    assert f"the table {table}" in found.cut


def test_the_most_telling_sessions_stay(report: Report) -> None:
    rows = section(report, "sessions").rows
    assert sum(row["purges"] for row in rows) == SESSIONS // 50
    assert [row["ts"] for row in rows] == sorted(row["ts"] for row in rows)


def test_timeline_counts_every_event_though_lines_stand_for_many(report: Report) -> None:
    found = section(report, "events")
    counts = {
        kind: sum(row["count"] for row in found.rows if row["kind"] == kind) for kind in ("read", "finding", "purge")
    }
    assert counts == {"read": 3 * SESSIONS, "finding": 3 * SESSIONS, "purge": SESSIONS // 50}
    assert "reads alike within" in found.note


def test_ladders_have_whole_sessions(report: Report) -> None:
    calls: dict[str, int] = {}
    for row in section(report, "calls").rows:
        calls[row["session_uid"]] = calls.get(row["session_uid"], 0) + 1
    assert set(calls.values()) == {3}
    assert len(calls) > 2_000
