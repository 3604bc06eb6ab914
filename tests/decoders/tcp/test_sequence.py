from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.tcp.sequence import MODULUS, add, distance, unwrap


@pytest.mark.parametrize(
    ("seq", "reference", "expected"),
    [(5, 5, 0), (6, 5, 1), (4, 5, -1), (0, MODULUS - 1, 1), (MODULUS - 1, 0, -1), (1 << 31, 0, -(1 << 31))],
)
def test_distance_takes_the_shorter_way_around(seq: int, reference: int, expected: int) -> None:
    assert distance(seq, reference) == expected


def test_add_wraps_in_both_directions() -> None:
    assert add(MODULUS - 1, 2) == 1
    assert add(0, -1) == MODULUS - 1


@given(st.integers(0, 1 << 50), st.integers(-(1 << 31), (1 << 31) - 1), st.integers(0, MODULUS - 1))
def test_unwrap_finds_any_position_near_the_reference(position: int, step: int, base: int) -> None:
    assert unwrap((base + position + step) % MODULUS, position, (base + position) % MODULUS) == position + step
