"""Calls as facts: who makes them, and that no verdict rests on a stub which its declaration does not explain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.facts.model import CallFact
from pipelines.facts.stored_form import from_row
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

VERSION = "RemoteQmGetVersion -> stub="
NONE = "00000000"


def fact_of(found: Local) -> CallFact:
    (fact,) = [one for row in found.facts if isinstance(one := from_row(row), CallFact)]
    return fact


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
    fact = fact_of(found)
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


@pytest.mark.parametrize(
    ("options", "authenticated", "verdict"),
    [
        ("", True, ("pass", None)),
        ("auth privacy", True, ("pass", None)),
        ("auth connect", True, ("pass", None)),
        ('user ""', False, ("detection", None)),
        ('user "" auth privacy', False, ("detection", None)),
        ('user "" auth connect', False, ("detection", None)),
        ("user GUEST", False, ("detection", None)),
        ("auth none", None, ("detection", None)),
        ("lose auth3", None, ("not_decidable", "bytes_missing")),
        ("auth privacy lose auth3", None, ("not_decidable", "bytes_missing")),
    ],
)
def test_nobody_is_no_authentication(
    tmp_path: Path, options: str, authenticated: bool | None, verdict: tuple[str, str | None]
) -> None:
    found = Local(capture(tmp_path, f"connect {options}\nRemoteQMPurgeQueue\nclose"))
    assert fact_of(found).authenticated is authenticated
    assert verdicts(found, "rpce-unauthenticated-call") == [verdict]


def test_a_call_sealed_by_somebody_leaves_no_question_whether_somebody_made_it(tmp_path: Path) -> None:
    script = (
        "connect auth privacy\nRemoteQMPurgeQueue\nconnect m interface qmmgmt auth privacy\nR_QMMgmtGetInfo\nclose m"
    )
    found = Local(capture(tmp_path, script))
    for rule in ("rpce-unauthenticated-call", "detect-unauthenticated-served", "mqmr-administrator"):
        assert "not_decidable" not in {verdict for verdict, _ in verdicts(found, rule)}
