"""Every view at the widths of small screens: the page never scrolls sideways, tables only where it is really narrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet

from tests.report.conftest import reported
from tests.report.runs import run_of_rows
from tests.report.test_browser import INPUT_VIEWS, VIEWS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.report.browser import Page

Row = dict[str, Any]
ROOMY, NARROW, PAPER = (1_280, 1_100), 1_024, 690
"""Pixels; the last is A4 upright without its margins."""
WIDE = "document.documentElement.scrollWidth - innerWidth"
BOXES = (
    "[...document.querySelectorAll('.scroll, .ladder')].map((one) => one.scrollWidth - one.clientWidth)"
    ".filter((more) => more > 0)"
)
COUNTS = ("peeks", "acked", "nacked", "rundown", "failed", "purges", "moves", "sends", "message_bytes", "acked_bytes")


@pytest.fixture(scope="module")
def everything(incident: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The incident with something in every column, and captures with hashes."""
    found: dict[str, Any] = {place.name: parquet.read_table(place) for place in sorted((incident / "tables").iterdir())}
    sessions: list[Row] = [row | dict.fromkeys(COUNTS, 12) for row in found["sessions"].to_pylist()]
    captures: list[Row] = [row | {"capture_id": "5e" * 32} for row in found["captures"].to_pylist()]
    principals: list[Row] = [row | {"secret": "right"} for row in found["principals"].to_pylist()]
    more = {"sessions": sessions, "captures": captures, "principals": principals}
    return reported(run_of_rows(tmp_path_factory.mktemp("everything") / "run", found | more))


@pytest.fixture(scope="module", params=["incident", "family", "everything"])
def report(request: pytest.FixtureRequest) -> Path:
    found: Path = request.getfixturevalue(request.param)
    return found if found.suffix else reported(found)


@pytest.fixture
def sized(page: Page) -> Iterator[Page]:
    yield page
    page.call("Emulation.setEmulatedMedia", media="")
    page.sized(1_380, 900)


def places(page: Page) -> list[str]:
    """Each list, and of each page of details one."""
    found = [f"#{view}" for view in (*VIEWS, *INPUT_VIEWS)]
    for view, kind in (
        *(("sessions", "session"), ("queues", "queue"), ("hosts", "host"), ("users", "user"), ("timeline", "act")),
        *(("messages", "message"), ("findings", "rule")),
    ):
        page.go(f"#{view}")
        # The last one: of the incident those that did most.
        found.append(page.run(f"[...document.querySelectorAll('main a[href^=\"#{kind}/\"]')].pop().hash"))
    return found


def test_nothing_scrolls_sideways_unless_it_is_narrow(sized: Page, report: Path) -> None:
    sized.open(report)
    for place in places(sized):
        sized.go(place)
        for width in ROOMY:
            sized.sized(width, 900)
            assert sized.run(WIDE) <= 0, (place, width)
            assert sized.run(BOXES) == [], (place, width)
        sized.sized(NARROW, 900)
        assert sized.run(WIDE) <= 0, (place, NARROW)
    assert sized.complaints() == []


@pytest.mark.parametrize("view", [*VIEWS, "provenance"])
def test_paper_holds_every_column(sized: Page, incident: Path, view: str) -> None:
    sized.open(reported(incident))
    sized.sized(PAPER, 900)
    sized.call("Emulation.setEmulatedMedia", media="print")
    sized.go(f"#{view}")
    assert sized.run(WIDE) <= 0
