"""Nothing disappears: in each stage of each capture, `in` is the sum of all the other counters."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from schemas.tables.accounting import COUNTERS, IN

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.tables.accounting import AccountRow

Counts = dict[tuple[str, str, str], int]
"""(capture_id, stage, counter) -> value"""


def accounting_rows(counts: Counts) -> list[AccountRow]:
    """Every counter of every capture, zeros as well: an absent row must not be mistaken for a lost one."""
    captures = sorted({capture for capture, _, _ in counts})
    return [
        {"capture_id": capture, "stage": stage, "counter": counter, "value": counts.get((capture, stage, counter), 0)}
        for capture in captures
        for stage, counters in COUNTERS.items()
        for counter in counters
    ]


def imbalances(rows: Iterable[AccountRow]) -> list[str]:
    """A sentence for each stage of a capture that does not add up."""
    into: dict[tuple[str, str], int] = defaultdict(int)
    out: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        place = row["capture_id"], row["stage"]
        (into if row["counter"] == IN else out)[place] += row["value"]
    return [
        f"capture {capture}: stage {stage} took in {into[capture, stage]} and accounts for {out[capture, stage]}"
        for capture, stage in sorted(into.keys() | out.keys())
        if into[capture, stage] != out[capture, stage]
    ]
