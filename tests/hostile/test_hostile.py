"""No capture costs much more than its size, whoever wrote it: every idea, small. `make hostile` has them large."""

from __future__ import annotations

import random

import pytest

from tests.hostile.ideas import IDEAS
from tests.hostile.judging import SMALL_SIZES, Yardstick, costs, faults
from tests.hostile.measure import SEED, Cost

YARDSTICK = Yardstick(0.1, (1.0, 1.0, 1.0))


@pytest.fixture(scope="module")
def yardstick() -> Yardstick:
    return Yardstick.of(SMALL_SIZES)


@pytest.mark.parametrize("name", IDEAS)
def test_a_hostile_capture_costs_what_its_size_says(name: str, yardstick: Yardstick) -> None:
    _, wrong = costs(name, SMALL_SIZES, yardstick)
    assert not wrong


@pytest.mark.parametrize("name", IDEAS)
def test_a_capture_is_the_same_every_time(name: str) -> None:
    first, second = (IDEAS[name](5_000, random.Random(SEED)) for _ in range(2))
    assert first == second


def _costs(*seconds: float, peak: int = 10**8) -> list[Cost]:
    return [Cost(size, 0.1 + spent, peak) for size, spent in zip((10**6, 4 * 10**6, 16 * 10**6), seconds, strict=False)]


def test_linear_cost_is_no_fault() -> None:
    assert faults(_costs(2.0, 8.0, 32.0), YARDSTICK) == []


def test_what_grows_with_size_is_one() -> None:
    assert "times as much in the largest" in faults(_costs(1.0, 16.0 / 3, 48.0), YARDSTICK)[0]


def test_what_is_expensive_at_any_size_is_one() -> None:
    assert faults(_costs(11.0, 44.0, 176.0), YARDSTICK) == ["11.00 s/MB where ordinary traffic costs 1.00"] * 3


def test_memory_is_one() -> None:
    assert faults(_costs(1.0, 4.0, 16.0, peak=2 * 10**9), YARDSTICK) == ["2,000 MB of memory"]


def test_a_process_that_dies_is_one() -> None:
    assert faults([Cost(0, float("inf"), 0, "the process died: -9")], YARDSTICK) == ["the process died: -9"]
