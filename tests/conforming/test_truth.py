"""Tables tell what happened: all of it where nothing is missing, else nothing that is not so and not in doubt."""

from __future__ import annotations

import random

import pytest

from tests.conforming.comparing import KNOWN, differences
from tests.conforming.conversation import converse
from tests.conforming.losses import LOSSES
from tests.conforming.verdicts import judged

SEEDS = range(1_000, 1_040)
AT_ONCE = 10


@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_whole_conversations(first: int) -> None:
    found = []
    for seed in range(first, first + AT_ONCE):
        talk = converse(seed)
        _, tables = judged(talk.frames)
        found += [(seed, one) for one in differences(talk.truth, tables) if (one.table, one.what) not in KNOWN]
    assert found == []


@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_something_is_missing(first: int) -> None:
    found = []
    for seed in range(first, first + AT_ONCE):
        talk, chance = converse(seed), random.Random(f"truth {seed}")
        kind = chance.choice(tuple(LOSSES))
        _, tables = judged(LOSSES[kind](talk.frames, chance))
        told = differences(talk.truth, tables, whole=False)
        found += [(seed, kind, one) for one in told if (one.table, one.what) not in KNOWN]
    assert found == []
