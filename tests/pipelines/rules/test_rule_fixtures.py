"""Every rule with its three fixtures: a conversation that keeps it, one that breaks it, one that cannot tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.facts.reasons import Reason
from pipelines.rules.catalogue import BY_ID, RULES
from tests.pipelines.rules.fixtures import FOLDER, PARTS, Fixture, accused, all_fixtures, judge_script

if TYPE_CHECKING:
    from pathlib import Path

FIXTURES = all_fixtures()


def test_every_rule_has_all_three() -> None:
    found = {rule.id: {fixture.part for fixture in FIXTURES if fixture.rule_id == rule.id} for rule in RULES}
    assert {rule_id: parts for rule_id, parts in found.items() if parts != set(PARTS)} == {}
    assert {path.stem for path in FOLDER.iterdir()} == set(BY_ID)


@pytest.mark.parametrize("fixture", FIXTURES, ids=str)
def test_fixture(fixture: Fixture, tmp_path: Path) -> None:
    tables = judge_script(fixture.script, tmp_path)
    verdicts = {(row["verdict"], row["reason"]) for row in tables["verdicts"] if row["rule_id"] == fixture.rule_id}
    if fixture.part == "keeps":
        assert ("pass", None) in verdicts
        assert accused(tables) == fixture.also
    elif fixture.part == "breaks":
        assert accused(tables) == fixture.also | {fixture.rule_id}
    else:
        assert fixture.reason in {str(reason) for reason in Reason}
        assert ("not_decidable", fixture.reason) in verdicts
        assert accused(tables) == fixture.also
        assert fixture.rule_id not in accused(tables)
