"""Ranges of keys: what is looked at by conversation is looked at in parts where there are too many."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

ROWS_AT_ONCE: Final = 8_000_000
"""Conversations and SYNs that are held together: a flood of SYNs is looked at by ranges."""
_LOWEST, _BEYOND = -(1 << 63), 1 << 63
ALL: Final = (_LOWEST, _BEYOND)


def key_ranges(rows: int) -> list[tuple[int, int]]:
    """[low, high) each. Keys are hashes, so ranges of one size hold about the same number."""
    count = max(1, -(-rows // ROWS_AT_ONCE))
    edges = [_LOWEST + (number << 64) // count for number in range(count)]
    return list(pairwise([*edges, _BEYOND]))
