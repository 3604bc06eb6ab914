"""mqtrail_backfill on a real Airflow, with a mqtrail that fails where a test wants it to."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from tests.airflow.place import Place

if TYPE_CHECKING:
    from pathlib import Path

    from tests.airflow.conftest import Airflow


@pytest.fixture
def place(tmp_path: Path, airflow: Airflow) -> Place:
    return Place(tmp_path, airflow)


def noon(day: str) -> float:
    return dt.datetime.fromisoformat(f"{day}T12:00:00+00:00").timestamp()


def test_days_are_loaded_one_by_one_and_a_bad_day_holds_back_no_other(place: Place) -> None:
    for number, day in enumerate(("2026-01-30", "2026-01-31", "2026-02-01", "2026-02-02", "2026-02-09")):
        place.land(f"{day}.pcap", number=number, at=noon(day))
    place.land("2026-02-02-cut.pcap", number=7, cut=10, at=noon("2026-02-02"))
    place.behave(bad_capture="2026-02-01", new_findings={"high": 1, "medium": 5})
    ran = place.backfill("2026-01-31", "2026-02-03")
    assert ran.state == "failed"
    assert [ran.states[f"verify[{number}]"] for number in range(3)] == ["success", "success", "failed"]
    assert [ran.states[f"load[{number}]"] for number in range(3)] == ["success", "failed", "success"]
    assert "load[3]" not in ran.states
    assert ran.tries["load[1]"] == ("failed", 1), "a whole analysis is not repeated for the same end"
    assert place.published() == ["2026-01-31.pcap", "2026-02-02.pcap"]
    assert "not loaded: 2026-02-01" in ran.log
    assert f"mqtrail: new findings in {place.dataset}: 2 high" in ran.log
    assert [task for task, _ in ran.events] == ["load", "load"]
    assert place.leases() == []

    place.calls()
    place.behave(new_findings={"low": 1})
    ran = place.backfill("2026-01-31", "2026-02-01")
    assert ran.state == "success"
    assert ran.states["load[0]"] == "success"
    assert "load[1]" not in ran.states, "what the dataset has is not loaded again"
    assert ran.states["notify"] == "skipped"
    assert place.published() == ["2026-01-31.pcap", "2026-02-01.pcap", "2026-02-02.pcap"]
    ran = place.backfill("2026-01-31", "2026-02-01")
    assert (ran.state, ran.states["collect"], ran.states["notify"]) == ("success", "skipped", "skipped")


def test_day_may_be_in_the_path(place: Place) -> None:
    place.land("2026/01/31/a.pcap", number=1)
    place.land("2026/02/01/a.pcap", number=2)
    ran = place.backfill("2026-01-31", "2026-01-31", day_pattern="%Y/%m/%d/*", case="case-17")
    assert ran.state == "success"
    assert place.published() == ["2026/01/31/a.pcap"]
    (submit,) = [one["arguments"] for one in place.calls() if one["program"] == "spark-submit"]
    application = next(number for number, one in enumerate(submit) if one.endswith("submit.py"))
    (folder,) = (place.work / "runs" / "mqtrail_backfill").iterdir()
    assert submit[application + 1 :] == [
        *("load", "--captures-from", f"{folder}/captures/2026-01-31.json", "--dataset", str(place.dataset)),
        *("--scope", "msmq", "--case", "case-17", "--summary", f"{folder}/loaded/2026-01-31.json"),
    ]


@pytest.mark.parametrize(
    ("start", "end", "sentence"),
    [
        ("2026-02-01", "2026-01-01", "the range ends on 2026-01-01, before it starts on 2026-02-01"),
        ("2020-01-01", "2026-01-01", "2020-01-01 to 2026-01-01 are 2193 days; take 1000 at a time"),
    ],
)
def test_wrong_range_is_said(start: str, end: str, sentence: str, place: Place) -> None:
    ran = place.backfill(start, end)
    assert (ran.state, ran.tries["choose"]) == ("failed", ("failed", 1))
    assert sentence in ran.log


def test_days_without_captures_are_nothing_to_do(place: Place) -> None:
    ran = place.backfill("2026-01-01", "2026-01-31")
    assert ran.state == "success"
    assert set(ran.states.values()) == {"skipped"}


def test_date_that_is_none_is_refused(place: Place) -> None:
    with pytest.raises(AssertionError, match="'2026-13-01' is not a 'date'"):
        place.backfill("2026-13-01", "2026-12-31")
