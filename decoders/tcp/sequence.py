"""Arithmetic of 32-bit sequence numbers that wrap (RFC 9293 3.4)."""

from __future__ import annotations

from typing import Final

MODULUS: Final = 1 << 32
MASK: Final = MODULUS - 1
HALF: Final = 1 << 31


def add(seq: int, count: int) -> int:
    return (seq + count) & MASK


def distance(seq: int, reference: int) -> int:
    """Signed way from `reference` to `seq`, the shorter one around the circle: -2^31 .. 2^31-1."""
    return ((seq - reference + HALF) & MASK) - HALF


def unwrap(seq: int, position: int, position_seq: int) -> int:
    """The absolute position of `seq` that is nearest to `position`, whose own number is `position_seq`."""
    return position + distance(seq, position_seq)
