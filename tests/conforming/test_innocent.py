"""Nobody who keeps to the documents is accused."""

from __future__ import annotations

import pytest

from tests.conforming.innocence import KNOWN, played
from tests.conforming.verdicts import accusations

SEEDS = range(100)
AT_ONCE = 10


@pytest.mark.parametrize("first", SEEDS[::AT_ONCE])
def test_no_violation(first: int) -> None:
    found = {
        (seed, kind, accusation)
        for seed in range(first, first + AT_ONCE)
        for kind, frames in played(seed)
        for accusation in accusations(frames)
        if accusation.rule_id not in KNOWN
    }
    assert found == set()
