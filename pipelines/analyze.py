"""One run: captures in, tables out."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import Window
from pyspark.sql import functions as F

from ingest.splits import SPLIT_BYTES, plan
from pipelines.accounting import accounting_rows, imbalances
from pipelines.capture_facts import capture_rows, file_issues
from pipelines.inventory import duplicates, hashes
from pipelines.stages.rounds import run_rounds
from pipelines.stages.scan import scan_captures
from pipelines.stages.select import Selection
from pipelines.stages.tcp_streams import stream_numbers, with_stream_numbers
from schemas.internal import ASIDES, STREAM_FLOWS
from schemas.tables import ACCOUNTING, CALLS, CAPTURES, ENDPOINTS, FLOWS, ISSUES, PDUS, TYPED, WRITTEN
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import DataFrame, SparkSession

    from ingest.choice import Choice
    from pipelines.inventory import Input
    from pipelines.stages.rounds import Rounds
    from schemas.model import Table

Row = dict[str, Any]
Counts = dict[tuple[Any, str, str], int]

SORT_KEYS = {
    CAPTURES.name: ("path",),
    FLOWS.name: ("first_ts_ns", "uid"),
    PDUS.name: ("ts_ns", "uid", "is_orig", "stream_offset"),
    CALLS.name: ("ts_ns", "call_uid"),
    ENDPOINTS.name: ("ts_ns", "call_uid", "interface_uuid", "protocol", "port"),
    ISSUES.name: ("path", "frame", "offset", "code", "uid", "detail"),
    **{table.name: ("ts_ns", "call_uid") for table in TYPED.values()},
}
COUNTED_ROWS = ((PDUS, "pdus", "fate"), (CALLS, "calls", "outcome"), (CALLS, "decoding", "decode_state"))
MAX_ISSUES_OF_A_KIND = 10_000
"""Of one capture. A file of zeros is a packet with a cut header every 16 bytes; counters stay exact."""
ISSUES_WITHOUT_PLACE = {"uid": "string", "call_uid": "string", "frame": "long", "offset": "long"}
_ONCE_PER_INTERFACE = ("unsupported-link-type", "undeclared-interface")
_ONCE_PER_CAPTURE = ("record-beyond-snap-length",)
"""Each split meets these anew; one row is enough."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What the run came to, for the manifest, the summary and the exit code."""

    captures: list[Row]
    row_counts: dict[str, int]
    imbalances: list[str]

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
    rounds = run_rounds(selection, choice, ids, paths, keep_payload=keep_payload)
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
        CAPTURES.name: _local(spark, CAPTURES, list(captures.values())),
        FLOWS.name: with_stream_numbers(rounds.table(STREAM_FLOWS), numbers).select(*FLOWS.names),
        ISSUES.name: _bounded(
            _packet_issues(spark, selection.issues, ids, paths).unionByName(rounds.table(ISSUES))
        ).unionByName(_local(spark, ISSUES, file_issues(inputs, scan.splits, hashed, same))),
        **{table.name: rounds.unpacked(table) for table in rounds.packed_tables()},
    }
    row_counts = _write(found, tables)
    counts |= _of_rows(tables)
    accounting = accounting_rows(counts)
    row_counts[ACCOUNTING.name] = len(accounting)
    _write_local(ACCOUNTING, accounting, tables)
    for table in WRITTEN:
        if table.name not in row_counts:
            _write_local(table, [], tables)
    in_order = {table.name: row_counts.get(table.name, 0) for table in WRITTEN}
    return Finished(list(captures.values()), in_order, imbalances(accounting))


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
            columns = parquet.read_table(file, columns=["capture_id", column])
            for row in columns.group_by(["capture_id", column]).aggregate([([], "count_all")]).to_pylist():
                counts[row["capture_id"], stage, row[column]] += row["count_all"]
    return dict(counts)


def _local(spark: SparkSession, table: Table, rows: list[Row]) -> DataFrame:
    return spark.createDataFrame(pa.Table.from_pylist(rows, schema=table.arrow))


def _packet_issues(spark: SparkSession, issues: DataFrame, ids: list[str], paths: list[str]) -> DataFrame:
    once = F.col("code").isin(*_ONCE_PER_INTERFACE, *_ONCE_PER_CAPTURE)
    of_interface = F.when(F.col("code").isin(*_ONCE_PER_INTERFACE), F.col("detail"))
    first = (
        issues.where(once)
        .groupBy("file", "code", of_interface)
        .agg(*(F.min_by(name, "offset").alias(name) for name in ("detail", "frame", "offset")))
        .select("file", "code", "detail", "frame", "offset")
    )
    names = spark.createDataFrame(
        list(zip(range(len(ids)), ids, paths, strict=True)), "file int, capture_id string, path string"
    )
    nothing = F.lit(None).cast("string")
    return (
        issues.where(~once)
        .drop("split")
        .unionByName(first)
        .join(F.broadcast(names), "file", "inner")
        .withColumns({"uid": nothing, "call_uid": nothing})
        .select(*ISSUES.names)
    )


def _bounded(issues: DataFrame) -> DataFrame:
    """The first of each kind and capture; a row says how many more there are."""
    order = Window.partitionBy("path", "code").orderBy("frame", "offset", "detail", "uid")
    numbered = issues.withColumn("number", F.row_number().over(order))
    more = numbered.where(F.col("number") > MAX_ISSUES_OF_A_KIND).groupBy("path", "code", "capture_id").count()
    nothing = {name: F.lit(None).cast(kind) for name, kind in ISSUES_WITHOUT_PLACE.items()}
    rest = more.withColumns({"detail": F.concat("count", F.lit(" more of this kind are not listed")), **nothing})
    listed = numbered.where(F.col("number") <= MAX_ISSUES_OF_A_KIND)
    return listed.select(*ISSUES.names).unionByName(rest.select(*ISSUES.names))


def _write_local(table: Table, rows: list[Row], tables: Path) -> None:
    """A table that the driver has whole, or an empty one, as one file."""
    (tables / table.name).mkdir(parents=True)
    parquet.write_table(pa.Table.from_pylist(rows, schema=table.arrow), tables / table.name / "part-00000.parquet")


def _write(found: dict[str, DataFrame], tables: Path) -> dict[str, int]:
    """All tables at once, since most are small and a Spark job has its price."""

    def write(name: str) -> int:
        # Files of a sensible size, sorted inside: sorting across files would compute everything twice.
        found[name].hint("rebalance").sortWithinPartitions(*SORT_KEYS[name]).write.parquet(str(tables / name))
        if not (tables / name / "_SUCCESS").exists():
            raise OSError(f"{tables / name}: written where only the workers see it; use a file system all share")
        return sum(parquet.read_metadata(file).num_rows for file in (tables / name).glob("*.parquet"))

    with ThreadPoolExecutor(len(found)) as beside:
        return dict(zip(found, beside.map(write, found), strict=True))
