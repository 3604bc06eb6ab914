"""Conversations that were made to share a key: a few are told apart, and of many the oldest is given up in doubt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.limits import MAX_TALKS_OF_A_KEY
from pipelines.facts.model import BlindFact
from pipelines.facts.reasons import Reason
from pipelines.facts.stored_form import from_row
from tests.hostile.connections import one_key
from tests.hostile.tape import Tape
from tests.local import Local

if TYPE_CHECKING:
    from pathlib import Path


def _captured(folder: Path, conversations: int, monkeypatch: pytest.MonkeyPatch) -> Local:
    begun = 0

    def full(_: Tape, share: float = 1.0) -> bool:
        nonlocal begun
        begun += 1
        return begun > conversations

    monkeypatch.setattr(Tape, "full", full)
    path = folder / "capture"
    path.write_bytes(one_key(0, None))  # type: ignore[arg-type]
    return Local(path)


@pytest.mark.parametrize("conversations", [3, MAX_TALKS_OF_A_KEY])
def test_a_few_are_told_apart(conversations: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    local = _captured(tmp_path, conversations, monkeypatch)
    assert len({row["key"] for row in local.conversations}) == 1
    assert len(local.tables["flows"]) == conversations
    assert "key-shared-by-many" not in {row["code"] for row in local.tables["issues"]}


def test_of_many_the_oldest_are_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    more = 20
    local = _captured(tmp_path, MAX_TALKS_OF_A_KEY + more, monkeypatch)
    given_up = [row for row in local.tables["issues"] if row["code"] == "key-shared-by-many"]
    assert len(local.tables["flows"]) == MAX_TALKS_OF_A_KEY + more
    assert len(given_up) == more
    assert len({row["uid"] for row in given_up}) == more
    assert local.imbalances() == []
    facts = (from_row(row) for row in local.facts)
    doubtful = {one.uid for one in facts if isinstance(one, BlindFact) and one.reason is Reason.LIMIT}
    assert doubtful == {row["uid"] for row in given_up}
    few = {row["rule_id"] for row in _captured(tmp_path, 3, monkeypatch).findings() if row["verdict"] == "violation"}
    assert {row["rule_id"] for row in local.findings() if row["verdict"] == "violation"} == few
