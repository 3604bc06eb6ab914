"""A rule speaks where its sentence is broken, and nobody else is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipelines.rules.catalogue import RULES
from tests.conforming.breaches import BREACHES
from tests.conforming.planted import plant

if TYPE_CHECKING:
    from tests.conforming.planting import Breach

TIMES = 40


@pytest.mark.parametrize("breach", BREACHES, ids=lambda one: one.rule_id)
def test_breach_is_found(breach: Breach) -> None:
    score = plant(breach, TIMES, enough=1)
    assert score.planted > 0
    assert not score.others
    assert score.found > 0


def test_every_rule_is_broken() -> None:
    """Whatever binds somebody. Rules of nobody, as detections are, tell what happened and hold it against none."""
    rules = {one.id for one in RULES if one.party in ("client", "server")}
    assert rules == {one.rule_id for one in BREACHES}
