"""Conversations as they were, and with what captures lack."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.conforming.casts import MQQP
from tests.conforming.comparing import differences
from tests.conforming.conversation import converse
from tests.conforming.losses import LOSSES, odd, shared_out
from tests.conforming.verdicts import accusations, accused, judged
from tests.conforming.world import World

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from tests.conforming.truth import Truth
    from tests.scripts.tape import Timed


_SHARED_OUT: Final = 0.3


class Seen(NamedTuple):
    kind: str
    """What is missing: `whole` for nothing."""
    frames: list[Timed]
    truth: Truth
    whole: bool = False
    """Nothing is missing."""


def played(seed: int, cast: str = MQQP, losses: int = 2) -> Iterator[Seen]:
    talk, chance = converse(seed, cast), random.Random(f"losses {seed}")
    yield Seen("whole", talk.frames, talk.truth, whole=True)
    # Where nobody said anything, nothing can be missing. Of clients with several addresses, what is missing at one is
    # seen by nothing at the others: record 9.
    for kind in chance.sample(tuple(LOSSES), losses) if talk.frames and not talk.truth.roaming else ():
        yield Seen(kind, LOSSES[kind](talk.frames, chance), talk.truth)
    if talk.frames and chance.random() < _SHARED_OUT:
        yield Seen("shared out", shared_out(talk.frames, chance), talk.truth, whole=True)


def oddly(seed: int, cast: str = MQQP) -> tuple[list[Timed], str, list[Timed]]:
    """Odd traffic, and the same with something missing: that must not accuse anybody more."""
    chance = random.Random(f"odd {seed}")
    talk = converse(seed, cast)
    frames = odd(talk.script, chance) if talk.frames else []
    kind = chance.choice(tuple(LOSSES))
    return frames, kind, LOSSES[kind](frames, chance) if frames else []


def accused_more(seed: int, cast: str = MQQP) -> Iterator[tuple[str, str]]:
    """What was missing, and the rule that therefore speaks."""
    if World(seed).truth.roaming:
        return
    whole, kind, seen = oddly(seed, cast)
    before = {(one.rule_id, one.client, one.server) for one in accusations(whole)}
    for one in accusations(seen):
        if (one.rule_id, one.client, one.server) not in before:
            yield f"odd, {kind}", one.rule_id


def wrongs(seed: int, cast: str, done: Counter[str]) -> Iterator[tuple[str, str]]:
    """Of everything that can be tried with a seed: accusations, and rows that are not true."""
    for seen in played(seed, cast):
        done[seen.kind] += 1
        _, tables = judged(seen.frames)
        for accusation in accused(tables):
            yield seen.kind, accusation.rule_id
        for one in differences(seen.truth, tables, whole=seen.whole):
            yield seen.kind, f"{one.table}.{one.what}"
    done["odd"] += 1
    yield from accused_more(seed, cast)
