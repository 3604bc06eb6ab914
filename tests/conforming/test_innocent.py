"""Nobody who keeps to the documents is accused, and nobody because something is missing."""

from __future__ import annotations

import pytest

from tests.conforming import innocence
from tests.conforming.casts import ALL, MQAC, MQMP, MQQP, MQRR
from tests.conforming.conversation import Conversation
from tests.conforming.innocence import accused_more, played
from tests.conforming.truth import Truth
from tests.conforming.verdicts import accusations

AT_ONCE = 10
FEWER = {MQAC: 3}
"""Scripts say much."""
TALKS = [(MQQP, first) for first in range(0, 40, AT_ONCE)] + [(cast, 0) for cast in (MQRR, MQMP, MQAC, ALL)]


@pytest.mark.parametrize(("cast", "first"), TALKS)
def test_nobody_is_accused(cast: str, first: int) -> None:
    found = {
        (seed, seen.kind, accusation)
        for seed in range(first, first + FEWER.get(cast, AT_ONCE))
        for seen in played(seed, cast)
        for accusation in accusations(seen.frames)
    }
    assert found == set()


@pytest.mark.parametrize(("cast", "first"), TALKS)
def test_what_is_missing_accuses_nobody_in_odd_traffic(cast: str, first: int) -> None:
    found = {
        (seed, kind, rule_id)
        for seed in range(first, first + FEWER.get(cast, AT_ONCE))
        for kind, rule_id in accused_more(seed, cast)
    }
    assert found == set()


def test_nothing_can_be_missing_where_nobody_speaks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chance makes such conversations, one in thousands."""
    monkeypatch.setattr(innocence, "converse", lambda *_: Conversation("", [], [], Truth(), [], []))
    assert [seen.kind for seen in played(1)] == ["whole"]
    assert list(accused_more(1)) == []
