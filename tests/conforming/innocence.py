"""Conversations as they were, and with what captures lack; and who is accused wrongly today."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from tests.conforming.casts import MQQP
from tests.conforming.conversation import converse
from tests.conforming.losses import LOSSES, odd

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tests.scripts.tape import Timed

KNOWN: Final[Mapping[str, str]] = {
    "mqqp-version-known": "call ids used again: an answer is paired with an older request, its own is missing",
}
"""Rules that accuse innocent people, and why. It must become empty."""


def played(seed: int, cast: str = MQQP, losses: int = 2) -> Iterator[tuple[str, list[Timed]]]:
    frames = converse(seed, cast).frames
    yield "whole", frames
    chance = random.Random(f"losses {seed}")
    for _ in range(losses):
        kind = chance.choice(tuple(LOSSES))
        yield kind, LOSSES[kind](frames, chance)


def oddly(seed: int, cast: str = MQQP) -> tuple[list[Timed], str, list[Timed]]:
    """Odd traffic, and the same with something missing: that must not accuse anybody more."""
    chance = random.Random(f"odd {seed}")
    frames = odd(converse(seed, cast).script, chance)
    kind = chance.choice(tuple(LOSSES))
    return frames, kind, LOSSES[kind](frames, chance)
