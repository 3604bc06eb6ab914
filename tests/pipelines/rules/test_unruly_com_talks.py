"""Random conversations of DCOM that lose packets: nobody is accused of what the whole capture does not show."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.local import Local
from tests.pipelines.rules.removal import accusations, records, without
from tests.pipelines.rules.unruly_com_talks import com_talk
from tests.scripts.player import capture, play, write

if TYPE_CHECKING:
    from pathlib import Path

SEEDS = range(20)
LOSSES = 12
SHARES = (0.01, 0.03, 0.1, 0.3)


@pytest.mark.parametrize("seed", SEEDS)
def test_losses_accuse_nobody(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    whole = capture(tmp_path, com_talk(rng))
    known = accusations(Local(whole).judged())
    packets = len(records(whole)[1])
    for _ in range(LOSSES):
        share = rng.choice(SHARES)
        gone = {place for place in range(packets) if rng.random() < share}
        assert without(whole, gone, tmp_path) <= known, f"without {sorted(gone)}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clock_that_goes_back_accuses_nobody(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    frames = play(com_talk(rng))
    write(tmp_path / "talk.pcap", frames)
    known = {rule for rule, *_ in accusations(Local(tmp_path / "talk.pcap").judged())}
    step, where = rng.choice([5_000_000, 2_000, 100]), rng.randrange(1, len(frames))
    wrong = [replace(frame, ts_us=frame.ts_us - step * (place >= where)) for place, frame in enumerate(frames)]
    write(tmp_path / "talk.pcap", wrong)
    assert {rule for rule, *_ in accusations(Local(tmp_path / "talk.pcap").judged())} <= known


def test_talks_are_worth_judging(tmp_path: Path) -> None:
    """Where nobody breaks anything losses would prove nothing."""
    found = set()
    for seed in SEEDS:
        tables = Local(capture(tmp_path, com_talk(random.Random(seed)))).judged()
        found |= {rule for rule, *_ in accusations(tables)}
    assert {
        "dcom-released-called",
        "dcom-bound-interface",
        "dcom-granted-interface",
        "dcom-orpcthis-flags",
        "dcom-ping-sequence",
        "dcom-simple-ping-set",
    } <= found
