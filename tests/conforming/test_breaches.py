"""A rule speaks where its sentence is broken, and nobody else is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from pipelines.rules.catalogue import RULES
from tests.conforming.breaches import BREACHES, NOT_PLANTED
from tests.conforming.planted import plant

if TYPE_CHECKING:
    from tests.conforming.planting import Breach

TIMES = 8
SILENT: Final = {
    "mqqp-answer-in-time": "an answer may have been held up on its way, even for ten minutes",
    "mqqp-close-ends-reads": "the same",
    "mqqp-error-duplicate-request": "the answer to the first may have been held up on its way",
    "mqqp-purge-removes": "a message that nobody held may have been moved to a subqueue and back",
    "mqqp-version-asked": "the client may be one that does not ask",
    "mqrr-receive-completed": "the close that follows lets go of the message, and an end may still be on its way",
}
"""Rules that do not find what was planted, and why."""


@pytest.mark.parametrize("breach", BREACHES, ids=lambda one: one.rule_id)
def test_breach_is_found(breach: Breach) -> None:
    score = plant(breach, TIMES if breach.rule_id not in SILENT else 1, enough=1)
    assert score.planted > 0
    assert not score.others
    assert score.found > 0 or breach.rule_id in SILENT


def test_every_rule_is_broken() -> None:
    rules = {
        one.id
        for one in RULES
        if one.id.startswith(("mqqp-", "mqmr-", "mqrr-", "mqmp-")) and one.party in ("client", "server")
    }
    assert rules <= {one.rule_id for one in BREACHES} | NOT_PLANTED.keys()
