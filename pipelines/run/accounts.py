"""The accounting of a run, or of the captures of a dataset that a run touches."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipelines.run.accounting import accounting_rows
from pipelines.store.reading import read_table
from schemas.dates import NO_DATE
from schemas.tables import ACCOUNTING
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.captures.inventory import CaptureOrder
    from pipelines.run.learning import Counts as FileCounts
    from pipelines.store.base import Base
    from pipelines.store.files import StoredFile
    from schemas.tables.accounting import AccountRow

Counts = Counter[tuple[str, str, str]]
"""(capture_id, stage, counter)"""


@dataclass(frozen=True)
class Accounts:
    rows: list[AccountRow]
    """Of the dates of captures whose accounts change: they are written again."""
    kept: list[StoredFile] = field(default_factory=list)
    """Files of other dates."""


def accounts(base: Base, changes: Counts, dates: Mapping[str, str]) -> Accounts:
    """What is stored is read of some dates only: the driver holds no more than the captures of those have to say."""
    touched = {capture for (capture, _, _), value in changes.items() if value}
    touched |= {capture for capture, stage, counter in changes if (stage, counter) == ("packets", IN)}
    touched = {capture for capture in touched if dates.get(capture, "~") >= base.pruned_before}
    folders = {f"date={dates.get(capture, NO_DATE)}" for capture in touched}
    totals: Counts = Counter({place: value for place, value in changes.items() if place[0] in touched})
    found = Accounts([])
    for file in base.tables.get(ACCOUNTING.name, ()):
        if file.written.path.split("/")[-2] not in folders:
            found.kept.append(file)
            continue
        stored: list[AccountRow] = read_table([file], ACCOUNTING.arrow).to_pylist()
        for row in stored:
            if row["capture_id"] in touched:
                totals[row["capture_id"], row["stage"], row["counter"]] += row["value"]
            else:
                found.rows.append(row)
    found.rows.extend(accounting_rows(totals))
    return found


def packet_counts(set_aside: Mapping[tuple[int, str], int], order: CaptureOrder) -> Counts:
    counts: Counts = Counter()
    for (file, name), n in set_aside.items():
        counts[order.ids[file], "packets", f"set_aside_{name}"] += n
    return counts


def connection_counts(counted: FileCounts, order: CaptureOrder) -> Counts:
    counts: Counts = Counter()
    for (file, stage, counter), n in counted.items():
        counts[order.ids[file], stage, counter] += n
        if stage == "calls":
            counts[order.ids[file], "decoding", IN] += n
    return counts


def count_captures(counts: Counts, captures: Iterable[tuple[str, int]], changed: set[str]) -> None:
    """`captures`: ids and packets. What came in; and what a second look at a file that changed did not find again."""
    for name, packets in captures:
        counts[name, "packets", IN] += packets
        if name in changed:
            found = sum(
                n for (of, stage, counter), n in counts.items() if (of, stage) == (name, "packets") and counter != IN
            )
            counts[name, "packets", "set_aside_changed"] += max(0, packets - found)
            # Another file in its place may have more of a conversation than the first one had.
            counts[name, "packets", IN] += max(0, found - packets)
