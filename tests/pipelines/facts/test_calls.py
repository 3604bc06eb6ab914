"""Calls as facts: no verdict rests on a stub that its declaration does not explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.facts.model import CallFact, from_row
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

VERSION = "RemoteQmGetVersion -> stub="
NONE = "00000000"


def verdicts(found: Local, rule: str) -> list[tuple[str, str | None]]:
    return [(row["verdict"], row["reason"]) for row in found.judged()["verdicts"] if row["rule_id"] == rule]


@pytest.mark.parametrize(
    ("stub", "verdict"),
    [
        (NONE, ("violation", None)),
        (NONE + "00", ("not_decidable", "stub_has_more")),
        (NONE * 3, ("not_decidable", "stub_has_more")),
    ],
)
def test_a_response_that_goes_on_is_not_judged(tmp_path: Path, stub: str, verdict: tuple[str, str | None]) -> None:
    found = Local(capture(tmp_path, f"connect\n{VERSION}{stub}\nclose"))
    assert verdicts(found, "mqqp-version-known") == [verdict]
    (fact,) = [one for row in found.tables["facts"] if isinstance(one := from_row(row), CallFact)]
    more = verdict[0] == "not_decidable"
    assert (fact.request_whole, fact.response_whole, fact.unexplained) == (True, not more, more)
    assert ("ndr-trailing-bytes" in {row["code"] for row in found.tables["issues"]}) is more
    # All that is declared was decoded: the tables say so.
    assert [call["decode_state"] for call in found.tables["calls"]] == ["full"]


def test_a_request_that_goes_on_is_not_judged(tmp_path: Path) -> None:
    found = Local(capture(tmp_path, "connect\nRemoteQMPurgeQueue stub=0800000009\nclose"))
    told = {(row["verdict"], row["reason"]) for row in found.judged()["verdicts"]}
    assert "violation" not in {verdict for verdict, _ in told}
    assert ("not_decidable", "stub_has_more") in told
