"""No party is accused of what a product note of MS-MQQP lets it do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from tests.pipelines.rules.product_notes import Behaviour, load, unshown, violations

if TYPE_CHECKING:
    from pathlib import Path

BEHAVIOURS = load("mqqp")
LAST: Final = 31
OFF_THE_WIRE: Final = {
    3: "SPX is in no capture of ours",
    4: "SPX is in no capture of ours",
    7: "the directory is reached by another protocol",
    8: "the directory is reached by another protocol",
    9: "a setting of the RPC runtime, with an effect on malformed stubs only",
}


def test_every_note_is_played_or_off_the_wire() -> None:
    assert unshown(BEHAVIOURS, OFF_THE_WIRE, LAST) == set()


@pytest.mark.parametrize("behaviour", BEHAVIOURS, ids=str)
def test_nobody_is_accused_of_what_a_note_allows(behaviour: Behaviour, tmp_path: Path) -> None:
    assert violations(behaviour, tmp_path) == behaviour.also
