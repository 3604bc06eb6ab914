"""One run: captures in, tables out."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import functions as F

from ingest.clock import steps_back
from ingest.splits import SPLIT_BYTES, plan
from pipelines.accounting import accounting_rows, imbalances
from pipelines.capture_facts import capture_rows, file_issues
from pipelines.inventory import duplicates, hashes
from pipelines.issue_rows import bounded, packet_issues
from pipelines.rules.catalogue import SETTINGS
from pipelines.rules.tally import verdict_rows
from pipelines.stages.rounds import MAX_ROUNDS, run_rounds
from pipelines.stages.scan import scan_captures
from pipelines.stages.select import Selection
from pipelines.stages.tcp_streams import stream_numbers, with_stream_numbers
from pipelines.writing import SMALL_BYTES, write_decoded, write_frames, write_rows
from schemas.internal import ASIDES, STREAM_FLOWS
from schemas.tables import ACCOUNTING, CALLS, CAPTURES, FLOWS, ISSUES, PDUS, VERDICTS, WRITTEN
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from ingest.choice import Choice
    from pipelines.inventory import Input
    from pipelines.rules.engine import Tally
    from pipelines.stages.rounds import Rounds
    from schemas.model import Table

Row = dict[str, Any]
Counts = dict[tuple[Any, str, str], int]

COUNTED_ROWS = ((PDUS, "pdus", "fate"), (CALLS, "calls", "outcome"), (CALLS, "decoding", "decode_state"))


@dataclass(frozen=True, slots=True)
class Finished:
    """What the run came to, for the manifest, the summary and the exit code."""

    captures: list[Row]
    row_counts: dict[str, int]
    imbalances: list[str]
    tally: Tally
    """Verdicts of the rules."""

    @property
    def damaged(self) -> bool:
        return any(row["state"] != "complete" for row in self.captures)


def analyze(
    spark: SparkSession,
    inputs: list[Input],
    choice: Choice,
    tables: Path,
    say: Callable[[str], None],
    split_bytes: int = SPLIT_BYTES,
    *,
    keep_payload: bool = False,
    settings: Mapping[str, int] = SETTINGS,
    small_bytes: int = SMALL_BYTES,
) -> Finished:
    """Write all tables below the folder `tables`."""
    splits = [split for one in inputs if one.capture for split in plan(one.capture, one.file, split_bytes)]
    say(f"scanning {len(inputs)} files in {len(splits)} splits")
    with ThreadPoolExecutor(1) as beside:
        hashing = beside.submit(hashes, spark, inputs)
        scan = scan_captures(spark, splits)
        hashed = hashing.result()
    digests, same = hashed.digests, duplicates(inputs, hashed.digests)
    captures = capture_rows(inputs, scan.splits, hashed, same)
    ids, paths = [digests.get(one.file, "") for one in inputs], [one.shown_path for one in inputs]

    say("choosing conversations")
    selection = Selection(spark, scan.without(set(same)))
    say("putting segments in order and decoding calls")
    untidy = frozenset(steps_back(scan.splits))
    rounds = run_rounds(selection, choice, ids, paths, untidy, keep_payload=keep_payload)
    counts = {
        (ids[file], "packets", "in"): row["packets"]
        for file, row in captures.items()
        if row["state"] != "unreadable" and file not in same
    }
    counts |= {(ids[file], "packets", f"set_aside_{name}"): n for (file, name), n in selection.set_aside.items()}
    for (file, stage, counter), n in _of_connections(rounds).items():
        counts[ids[file], stage, counter] = n + counts.get((ids[file], stage, counter), 0)

    say("writing tables")
    numbers = stream_numbers(selection.conversations, selection.syns)
    found = {
        FLOWS.name: with_stream_numbers(rounds.table(STREAM_FLOWS), numbers).select(*FLOWS.names),
        ISSUES.name: bounded(
            packet_issues(spark, selection.issues, ids, paths).unionByName(rounds.table(ISSUES))
        ).unionByName(_local(spark, ISSUES, [*file_issues(inputs, scan.splits, hashed, same), *_not_followed(rounds)])),
    }
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(write_decoded, rounds, settings, tables, small_bytes)
        row_counts = write_frames(found, tables)
        decoded_counts, tally = writing.result()
        row_counts |= decoded_counts
    row_counts[CAPTURES.name] = write_rows(CAPTURES, sorted(captures.values(), key=lambda row: row["path"]), tables)
    accounting = accounting_rows(counts | _of_rows(tables))
    row_counts[ACCOUNTING.name] = write_rows(ACCOUNTING, accounting, tables)
    row_counts[VERDICTS.name] = write_rows(VERDICTS, verdict_rows(tally), tables)
    for table in WRITTEN:
        if table.name not in row_counts:
            write_rows(table, [], tables)
    in_order = {table.name: row_counts.get(table.name, 0) for table in WRITTEN}
    return Finished(list(captures.values()), in_order, imbalances(accounting), tally)


def _not_followed(rounds: Rounds) -> Iterator[Row]:
    nothing = dict.fromkeys(ISSUES.names)
    for place in rounds.not_followed:
        detail = (
            f"{place} was announced in the last of {MAX_ROUNDS} rounds; conversations there were not looked at again"
        )
        yield nothing | {"code": "endpoints-not-followed", "detail": detail}


def _of_connections(rounds: Rounds) -> Counts:
    """(file, stage, counter) -> value, as the streams counted."""
    counted = rounds.table(STREAM_FLOWS).select("counts").unionByName(rounds.table(ASIDES).select("counts"))
    one = counted.select(F.explode("counts").alias("count")).select("count.*")
    rows = one.groupBy("file", "stage", "counter").agg(F.sum("value").alias("n")).collect()
    counts = {(row.file, row.stage, row.counter): row.n for row in rows}
    return counts | {(file, "decoding", IN): n for (file, stage, _), n in counts.items() if stage == "calls"}


def _of_rows(tables: Path) -> Counts:
    """(capture_id, stage, counter) -> value, by what was written: rows lost on the way would show."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for table, stage, column in COUNTED_ROWS:
        for file in (tables / table.name).glob("*.parquet"):
            columns = parquet.read_table(file, columns=["capture_id", column], read_dictionary=["capture_id", column])
            for row in columns.group_by(["capture_id", column]).aggregate([([], "count_all")]).to_pylist():
                counts[row["capture_id"], stage, row[column]] += row["count_all"]
    return dict(counts)


def _local(spark: SparkSession, table: Table, rows: list[Row]) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=table.arrow))
