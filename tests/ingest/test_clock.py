"""Captures whose packets are not in order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from ingest.clock import JITTER_NS, Clock, steps_back
from schemas.times import NO_TIME


@dataclass
class Read:
    file: int
    first_ts_ns: int | None
    last_ts_ns: int | None
    back_ns: int = 0


def _back(*parts: list[int]) -> int:
    clock = Clock()
    for part in parts:
        clock.note(np.array(part, np.int64))
    return clock.back_ns


@pytest.mark.parametrize(
    ("parts", "back"),
    [
        ([[1, 2, 2, 9]], 0),
        ([[5, 3, 4, 9]], 2),
        ([[5, 9], [], [4, 10]], 5),
        ([[NO_TIME, NO_TIME]], 0),
        ([[100, NO_TIME]], 101),
    ],
)
def test_most_that_a_packet_lies_before_one_in_front_of_it(parts: list[list[int]], back: int) -> None:
    assert _back(*parts) == back


def test_files_whose_clock_went_back_by_more_than_jitter() -> None:
    second = 1_000_000_000
    splits = [
        Read(0, 0, 9 * second),
        Read(0, 9 * second, 20 * second, JITTER_NS),
        Read(1, 5 * second, 9 * second, 3 * second),
        Read(2, 5 * second, 9 * second),
        Read(2, None, None),
        Read(2, 8 * second, 12 * second),
    ]
    assert steps_back(splits) == {1: 3 * second, 2: second}
