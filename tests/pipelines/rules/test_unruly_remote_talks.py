"""The promise, over talks of unruly clients of RemoteRead: see test_unruly_talks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from pipelines.rules.catalogue import BY_ID
from pipelines.rules.model import Party
from tests.pipelines.rules.unruly_remote_talks import remote_talk
from tests.pipelines.rules.unruly_talks_main import Played

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(40)
LOSSES = 14
RULES_SEEN = 10


class _Remote(Played):
    talk = staticmethod(remote_talk)


@pytest.mark.parametrize("seed", SEEDS)
def test_losses_accuse_nobody(seed: int, tmp_path: Path) -> None:
    hole = next(_Remote(seed, tmp_path).holes(LOSSES), None)
    assert hole is None, f"\n{hole}"


def test_talks_are_worth_judging(tmp_path: Path) -> None:
    rules = Counter(rule for seed in SEEDS for rule, *_ in _Remote(seed, tmp_path).known)
    of_remote_read = [rule for rule in rules if rule.startswith("mqrr-")]
    assert len(of_remote_read) >= RULES_SEEN, rules
    assert [rule for rule in rules if BY_ID[rule].party is Party.SERVER] == [], "the server behaves"
