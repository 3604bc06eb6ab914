"""One run: captures in, tables out."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ingest.clock import steps_back
from ingest.splits import SPLIT_BYTES, plan
from pipelines.accounting import accounting_rows, imbalances
from pipelines.capture_facts import capture_rows, file_issues
from pipelines.decoding import decode
from pipelines.inventory import changed_since, duplicates, hashes, in_order, without_lost
from pipelines.messages.tables import SOURCES, write_messages
from pipelines.rules.catalogue import SETTINGS
from pipelines.shelves import Shelves
from pipelines.stages.meter import Meter
from pipelines.stages.scan import scan_captures
from pipelines.stored import Stored
from pipelines.summaries import overall, tally_of
from pipelines.tables import SMALL_BYTES, write_empty_tables, write_found
from pipelines.writing import write_rows
from schemas.tables import ACCOUNTING, CAPTURES, WRITTEN
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pyspark.sql import SparkSession

    from ingest.choice import Choice
    from pipelines.inventory import Input
    from pipelines.rules.engine import Tally
    from pipelines.sealed_secrets import SealedSecrets
    from pipelines.stages.scan import Scan
    from pipelines.writing import Written

Row = dict[str, Any]


@dataclass(frozen=True)
class Job:
    """How to run: the same for a run of its own and for one that adds to a dataset."""

    spark: SparkSession
    choice: Choice
    root: str
    """Folder below which everything is written."""
    say: Callable[[str], None] = lambda _: None
    measure: Callable[[Meter], None] = lambda _: None
    """Is given what tells how far the stage has come."""
    split_bytes: int = SPLIT_BYTES
    keep_payload: bool = False
    settings: Mapping[str, int] = field(default_factory=lambda: SETTINGS)
    small_bytes: int = SMALL_BYTES
    secrets: SealedSecrets | None = None
    """Those that are known, of accounts and services."""

    def scan(self, inputs: Sequence[Input]) -> Scan:
        splits = [split for one in inputs if one.capture for split in plan(one.capture, one.file, self.split_bytes)]
        self.say(f"scanning {len(inputs)} files in {len(splits)} splits")
        meter = Meter(self.spark, splits)
        self.measure(meter)
        return scan_captures(self.spark, splits, meter)


@dataclass(frozen=True, slots=True)
class Finished:
    """What the run came to, for the manifest, the summary and the exit code."""

    captures: list[Row]
    """Those of this run."""
    row_counts: dict[str, int]
    imbalances: list[str]
    tally: Tally
    """Verdicts of the rules."""
    written: list[Written]

    @property
    def damaged(self) -> bool:
        return any(row["state"] != "complete" for row in self.captures)


def analyze(job: Job, inputs: Sequence[Input]) -> Finished:
    """Write all tables below the folder."""
    inputs, order = in_order(inputs, {}, ())
    with ThreadPoolExecutor(1) as beside:
        hashing = beside.submit(hashes, job.spark, inputs)
        scan = job.scan(inputs)
        hashed = hashing.result()
    inputs = without_lost(inputs, hashed.digests)
    scan = scan.without({one.file for one in inputs if one.capture is None})
    order.ids[:] = [hashed.digests.get(one.file, "") for one in inputs]
    same = duplicates(inputs, hashed.digests)
    untidy = frozenset(steps_back(scan.splits))
    found = decode(job, scan.without(set(same)), order, untidy)
    hashed.changed.update(changed_since(inputs))
    captures = capture_rows(inputs, scan.splits, hashed, same)
    for file, row in captures.items():
        if row["state"] != "unreadable" and file not in same:
            count_packets(found.counts, row, changed=file in hashed.changed)

    job.say("writing tables")
    shelves = Shelves(job.root)
    issues = file_issues(inputs, scan.splits, hashed, same)
    made = write_found(job, found, issues, order, shelves)
    written = made.written
    sources = [Stored(job.root, one) for one in written if one.table in SOURCES]
    written += write_messages(job, shelves, sources).written
    found.counts.update(written_counts(written))
    rows_of = {
        CAPTURES: sorted(captures.values(), key=lambda row: row["path"]),
        ACCOUNTING: (accounting := accounting_rows(found.counts)),
        **dict(overall(made.summaries)),
    }
    for table, rows in rows_of.items():
        written += write_rows(shelves.table(table), pa.Table.from_pylist(rows, schema=table.arrow))
    written += write_empty_tables(shelves, written)
    row_counts = Counter({one.name: 0 for one in WRITTEN})
    for one in written:
        row_counts[one.table] += one.rows
    return Finished(
        list(captures.values()), dict(row_counts), imbalances(accounting), tally_of(made.summaries), written
    )


def count_packets(counts: Counter[tuple[str, str, str]], capture: Row, *, changed: bool) -> None:
    """What came in; and what a second look at the file did not find again."""
    name, packets = capture["capture_id"], capture["packets"]
    counts[name, "packets", IN] += packets
    if changed:
        found = sum(
            n for (of, stage, counter), n in counts.items() if (of, stage) == (name, "packets") and counter != IN
        )
        counts[name, "packets", "set_aside_changed"] += max(0, packets - found)
        # Another file in its place may have more of a conversation than the first one had.
        counts[name, "packets", IN] += max(0, found - packets)


def written_counts(written: Sequence[Written]) -> Counter[tuple[str, str, str]]:
    """What the accounting says of rows, by what was written: rows lost on the way would show."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for one in written:
        for count in one.counts:
            counts[count["capture_id"], count["stage"], count["counter"]] += count["value"]
    return counts
