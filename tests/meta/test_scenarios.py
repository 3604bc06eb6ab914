"""docs/scenarios.md against the scenes: nothing of [MS-MQSO] is passed over, and what the page names is so."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import pytest

from pipelines.rules.catalogue import RULES
from schemas.tables import TABLES
from tests.conftest import ROOT
from tests.pipelines.scenarios import test_system_examples, test_use_cases
from tests.pipelines.scenarios.played import FOLDER, tables

PAGE: Final = ROOT / "docs" / "scenarios.md"
SECTIONS: Final = {
    *(f"3.3.4.{number}" for number in range(1, 9)),
    *("4.3.1.1", "4.3.1.2"),
    *(f"6.1.{number}" for number in range(1, 10)),
}
"""Use cases, flows, examples."""
UNSEEN: Final = "Not on the wire of RPC: "
DECIDED: Final = frozenset(("pass", "violation", "detection"))
_SCENE: Final = re.compile(r"\[([a-z-]+)\]\(\.\./(tests/pipelines/scenarios/([a-z-]+)\.calls)\), `(test_\w+)`")
_NAME: Final = re.compile(r"`([a-z_-]+)`")


class Line(NamedTuple):
    section: str
    what: str
    tables: str
    rules: str
    scene: str


LINES: Final = [
    Line(*(cell.strip() for cell in line.strip("|").split("|")))
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line[2:3].isdigit()
]
PLAYED: Final = [line for line in LINES if not line.scene.startswith(UNSEEN)]


def test_every_use_case_flow_and_example_is_there() -> None:
    assert {line.section for line in LINES} == SECTIONS


def test_every_scene_is_told_and_its_test_is_there() -> None:
    found = [_SCENE.fullmatch(line.scene) for line in PLAYED]
    assert all(found)
    named = [one for one in found if one]
    assert all(one[1] == one[3] for one in named)
    assert sorted(one[1] for one in named) == sorted(path.stem for path in FOLDER.glob("*.calls"))
    tests = {name for module in (test_use_cases, test_system_examples) for name in vars(module)}
    assert {one[4] for one in named} <= tests


def test_names_in_reasons_are_known() -> None:
    known = {table.name for table in TABLES} | {rule.id for rule in RULES}
    reasons = [line for line in LINES if line.scene.startswith(UNSEEN)]
    assert all(not (line.tables or line.rules) and len(line.scene) > len(UNSEEN) for line in reasons)
    assert {name for line in reasons for name in _NAME.findall(line.scene)} <= known


@pytest.mark.parametrize("line", PLAYED, ids=lambda line: f"{line.section} {line.scene[1 : line.scene.index(']')]}")
def test_scene_has_what_the_page_says(line: Line) -> None:
    found = _SCENE.fullmatch(line.scene)
    assert found
    played = tables(found[1])
    empty = {name for name in _NAME.findall(line.tables) if not played.get(name)}
    decided = {row["rule_id"] for row in played["verdicts"] if row["verdict"] in DECIDED}
    assert empty == set()
    assert set(_NAME.findall(line.rules)) - decided == set()
    assert _NAME.findall(line.tables)
