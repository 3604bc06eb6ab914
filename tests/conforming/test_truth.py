"""Tables tell what happened: all of it where nothing is missing, else nothing that is not so and not in doubt."""

from __future__ import annotations

import random

import pytest

from tests.conforming.casts import ALL, MQAC, MQMP, MQQP, MQRR
from tests.conforming.comparing import differences
from tests.conforming.conversation import converse
from tests.conforming.losses import LOSSES, shared_out
from tests.conforming.verdicts import judged

AT_ONCE = 8
FEWER = {MQAC: 3}
"""Scripts say much."""
TALKS = [(MQQP, 1_000), (MQQP, 1_008), (MQQP, 1_016), (MQRR, 1_000), (MQMP, 1_000), (MQAC, 1_000), (ALL, 1_000)]


@pytest.mark.parametrize(("cast", "first"), TALKS)
def test_whole_conversations(cast: str, first: int) -> None:
    found = []
    for seed in range(first, first + FEWER.get(cast, AT_ONCE)):
        talk = converse(seed, cast)
        _, tables = judged(talk.frames)
        found += [(seed, one) for one in differences(talk.truth, tables)]
    assert found == []


@pytest.mark.parametrize(("cast", "first"), TALKS)
def test_what_two_taps_have_together_is_whole(cast: str, first: int) -> None:
    found = []
    for seed in range(first, first + FEWER.get(cast, AT_ONCE)):
        talk = converse(seed, cast)
        _, tables = judged(shared_out(talk.frames, random.Random(f"taps {seed}")))
        found += [(seed, one) for one in differences(talk.truth, tables)]
    assert found == []


@pytest.mark.parametrize(("cast", "first"), TALKS)
def test_something_is_missing(cast: str, first: int) -> None:
    found = []
    for seed in range(first, first + FEWER.get(cast, AT_ONCE)):
        talk, chance = converse(seed, cast), random.Random(f"truth {seed}")
        kind = chance.choice(tuple(LOSSES))
        _, tables = judged(LOSSES[kind](talk.frames, chance))
        found += [(seed, kind, one) for one in differences(talk.truth, tables, whole=False)]
    assert found == []
