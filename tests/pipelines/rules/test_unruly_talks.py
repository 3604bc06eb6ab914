"""The promise, over talks of the unruly: a capture that lacks packets accuses nobody whom the whole capture does not.

Longer: `python -m tests.pipelines.rules.unruly_talks_main --seed 1000 --minutes 30`.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pipelines.rules.catalogue import BY_ID
from pipelines.rules.model import Party
from pipelines.sessions.model import ReadOutcome, SessionState
from tests.pipelines.rules.unruly_talks import losses, talk
from tests.pipelines.rules.unruly_talks_main import Played
from tests.scripts.player import play

if TYPE_CHECKING:
    from pathlib import Path

    from tests.pipelines.rules.removal import Accusation

SEEDS = range(90)
LOSSES = 14
RULES_SEEN = 16
OF_EACH_STATE = 3
OF_EACH_OUTCOME = 6


@pytest.mark.parametrize("seed", SEEDS)
def test_losses_accuse_nobody(seed: int, tmp_path: Path) -> None:
    hole = next(Played(seed, tmp_path).holes(LOSSES), None)
    assert hole is None, f"\n{hole}"


def test_talks_are_worth_judging(tmp_path: Path) -> None:
    rules, states, outcomes = Counter[str](), Counter[str](), Counter[str]()
    for seed in SEEDS:
        played = Played(seed, tmp_path)
        rules.update(rule for rule, *_ in played.known)
        states.update(row["state"] for row in played.tables["sessions"])
        outcomes.update(row["outcome"] for row in played.tables["reads"])
    assert len(rules) >= RULES_SEEN, rules
    assert {state: number for state in SessionState if (number := states[state]) < OF_EACH_STATE} == {}
    assert {outcome: number for outcome in ReadOutcome if (number := outcomes[outcome]) < OF_EACH_OUTCOME} == {}
    assert [rule for rule in rules if BY_ID[rule].party is Party.SERVER] == [], "the server behaves"


def test_same_seed_same_talk() -> None:
    assert talk(random.Random(7)) == talk(random.Random(7)) != talk(random.Random(8))


def test_every_kind_of_loss_occurs() -> None:
    found = set(losses(20, random.Random(1)))
    everything = frozenset(range(20))
    assert {frozenset((place,)) for place in everything} <= found
    assert {frozenset(range(place)) for place in range(1, 20)} <= found
    assert {frozenset(range(place, 20)) for place in range(1, 20)} <= found
    assert everything not in found
    assert any(max(gone, default=0) - min(gone, default=0) >= len(gone) for gone in found), "none with packets between"


class _Accuses(Played):
    """Judges that somebody is guilty wherever the second and the fifth packet are missing."""

    def _accused(self, gone: frozenset[int]) -> frozenset[Accusation]:
        return self.known | {("made-up", "10.0.0.5", "10.0.0.9", 1)} if {1, 4} <= gone else self.known


def test_hole_is_told_with_no_more_packets_than_it_needs(tmp_path: Path) -> None:
    played = _Accuses(3, tmp_path)
    holes = list(played.holes())
    frames = play(played.script)
    assert {hole.missing for hole in holes} == {(frames[1], frames[4])}
    told = str(holes[0])
    assert told.splitlines()[0] == "seed 3: made-up 10.0.0.5 -> 10.0.0.9 at 1, without line 1 syn_ack, line 1 bind_ack"
    assert told.splitlines()[1:] == [f"{place:3} {line}" for place, line in enumerate(played.script.splitlines(), 1)]
