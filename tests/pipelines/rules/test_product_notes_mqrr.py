"""No party is accused of what a product note of MS-MQRR lets it do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.pipelines.rules.product_notes import Behaviour, load, unshown, violations

if TYPE_CHECKING:
    from pathlib import Path

BEHAVIOURS = load("mqrr")
LAST: Final = 38
OFF_THE_WIRE: Final = {
    1: "a supporting server reads by MS-MQQP: no call of this interface",
    2: "Windows NT, 2000 and XP lack the interface: no call of it",
    12: "operation 1 is used by nobody",
}


def test_every_note_is_played_or_off_the_wire() -> None:
    assert unshown(BEHAVIOURS, OFF_THE_WIRE, LAST) == set()


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
def test_nobody_is_accused_of_what_a_note_allows(behaviour: Behaviour, tmp_path: Path) -> None:
    assert violations(behaviour, tmp_path) == behaviour.also
