"""Whether a call can be read, for sessions, acts and rules alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec.structs import replace

from pipelines.calls import call_facts
from pipelines.facts.model import CallFact
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.stored_form import from_row
from pipelines.rules.model import BOTH, REQUEST, RESPONSE
from pipelines.rules.plans import unreadable
from tests.local import Local
from tests.scripts.player import capture

if TYPE_CHECKING:
    from pathlib import Path

SEALED, NOT_DECODED, MISSING = "sealed", "not_decoded", "bytes_missing"
GET_INFO = "connect interface qmmgmt\nR_QMMgmtGetInfo {}\nclose\n"


@pytest.fixture
def call(tmp_path: Path) -> CallFact:
    rows = Local(capture(tmp_path, "connect\nRemoteQMOpenQueue\nclose\n")).facts
    return next(one for row in rows if isinstance(one := from_row(row), CallFact))


@pytest.mark.parametrize(
    ("changes", "request_reason", "response_reason"),
    [
        ({}, None, None),
        ({"encrypted": True, "request": None, "response": None}, SEALED, SEALED),
        ({"encrypted": True, "response": None, "response_whole": False}, None, SEALED),
        ({"encrypted": True, "request": None, "request_whole": False}, SEALED, None),
        ({"encrypted": True, "request": None, "response": None, "fault": 5, "outcome": "faulted"}, SEALED, SEALED),
        ({"asked": False, "request": None, "request_whole": False}, "request_not_captured", None),
        ({"answered": None, "response": None, "response_whole": False}, None, "response_not_captured"),
        ({"request": None}, NOT_DECODED, None),
        ({"request": None, "request_whole": False}, NOT_DECODED, None),
        ({"response": None}, None, NOT_DECODED),
        ({"response": None, "response_whole": False}, None, NOT_DECODED),
        ({"request_whole": False}, MISSING, None),
        ({"request_whole": False, "unexplained": True}, "stub_has_more", None),
        ({"response": None, "fault": 5, "outcome": "faulted"}, None, None),
        ({"response": None, "outcome": "faulted", "response_whole": False}, None, MISSING),
    ],
)
def test_each_half_is_hidden_for_its_own_reason(
    call: CallFact, changes: dict[str, Any], request_reason: str | None, response_reason: str | None
) -> None:
    one = replace(call, **changes)
    assert (request_hidden(one), response_hidden(one)) == (request_reason, response_reason)
    assert (unreadable(one, REQUEST), unreadable(one, RESPONSE)) == (request_reason, response_reason)
    assert unreadable(one, BOTH) == (request_reason or response_reason)


def doubts(folder: Path, script: str) -> list[str | None]:
    return [act["doubt"] for act in Local(capture(folder, script)).judged()["admin_actions"]]


def test_an_act_with_more_values_than_are_kept_is_in_doubt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doubts(tmp_path, GET_INFO.format("")) == [None]
    monkeypatch.setattr(call_facts, "MAX_ELEMENTS", 0)
    assert doubts(tmp_path, GET_INFO.format("")) == [NOT_DECODED]


def test_an_act_with_a_longer_answer_than_declared_is_in_doubt(tmp_path: Path) -> None:
    script = "connect\nRemoteQMOpenQueue\nRemoteQMPurgeQueue -> stub=0000000000000000\nclose\n"
    assert doubts(tmp_path, script) == ["stub_has_more"]


def test_an_answer_with_more_values_than_are_kept_hides_what_was_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that counts what was read cannot count there."""
    path = capture(tmp_path, "connect interface RemoteRead\nR_OpenQueue\nR_StartReceive\nR_EndReceive\nclose\n")

    def counted() -> list[tuple[str, str | None]]:
        rows = Local(path).judged()["verdicts"]
        return [(row["verdict"], row["reason"]) for row in rows if row["rule_id"] == "detect-bulk-reading"]

    assert counted() == [("pass", None)]
    monkeypatch.setattr(call_facts, "MAX_ELEMENTS", 0)
    assert counted() == [("not_decidable", NOT_DECODED)]
