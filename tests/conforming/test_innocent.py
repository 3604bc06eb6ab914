"""Nobody who keeps to the documents is accused, and nobody because something is missing."""

from __future__ import annotations

import pytest

from tests.conforming.casts import ALL, MQMP, MQQP, MQRR
from tests.conforming.innocence import KNOWN, oddly, played
from tests.conforming.verdicts import accusations

AT_ONCE = 10
TALKS = [(MQQP, first) for first in range(0, 40, AT_ONCE)] + [(cast, 0) for cast in (MQRR, MQMP, ALL)]


@pytest.mark.parametrize(("cast", "first"), TALKS)
def test_nobody_is_accused(cast: str, first: int) -> None:
    found = {
        (seed, kind, accusation)
        for seed in range(first, first + AT_ONCE)
        for kind, frames in played(seed, cast)
        for accusation in accusations(frames)
        if accusation.rule_id not in KNOWN
    }
    assert found == set()


@pytest.mark.parametrize(("cast", "first"), TALKS)
def test_what_is_missing_accuses_nobody_in_odd_traffic(cast: str, first: int) -> None:
    found = set()
    for seed in range(first, first + AT_ONCE):
        whole, kind, seen = oddly(seed, cast)
        before = {(one.rule_id, one.client, one.server) for one in accusations(whole)}
        now = {(one.rule_id, one.client, one.server) for one in accusations(seen)}
        found |= {(seed, kind, *one) for one in now - before if one[0] not in KNOWN}
    assert found == set()
