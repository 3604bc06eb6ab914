"""From the scan to the segments worth putting in order, with a count of everything that is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from decoders.net.model import Outcome
from ingest.segments import segment_batches
from pipelines.stages.defragment import defragmented
from pipelines.stages.envelopes import unwrapped
from pipelines.stages.scan import split_bytes
from pipelines.stages.tasks import packed, run_tasks
from schemas.internal import CONVERSATIONS, COUNTS, FRAGMENTS, SCAN_ISSUES, SEGMENTS, SYNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from pipelines.stages.scan import ReadSplit, Scan

STREAM_TASK_BYTES = 64 * 1024 * 1024
_PASSED_ON = (Outcome.TCP.counter, Outcome.IP_FRAGMENT.counter)


@dataclass(frozen=True)
class Selection:
    """`file` is the rank of a capture in all of its tables."""

    conversations: DataFrame
    syns: DataFrame
    segments: DataFrame
    issues: DataFrame
    set_aside: Counter[tuple[int, str]]
    """(file, counter) -> packets"""
    partitions: int
    """Tasks that the segments are worth."""


def select(spark: SparkSession, scan: Scan, ranks: dict[int, int]) -> Selection:
    """`ranks`: ordinal of each capture to be used, to its rank by time."""
    tables = {table.name: scan.table(spark, table, ranks) for table in (CONVERSATIONS, SYNS, SCAN_ISSUES, COUNTS)}
    counts = _sums(tables[COUNTS.name])
    segments = None
    if any(counter == Outcome.IP_FRAGMENT.counter for _, counter in counts):
        made = defragmented(scan.table(spark, FRAGMENTS, ranks))
        for table in (CONVERSATIONS, SYNS, SCAN_ISSUES):
            tables[table.name] = tables[table.name].unionByName(unwrapped(made, table))
        counts += _sums(unwrapped(made, COUNTS))
        segments = unwrapped(made, SEGMENTS)
    conversations = tables[CONVERSATIONS.name]
    wanted = _wanted(conversations).persist()
    set_aside = Counter({(file, counter): n for (file, counter), n in counts.items() if counter not in _PASSED_ON})
    for row in (
        conversations.join(wanted, "key", "left_anti").groupBy("file").agg(F.sum("packets").alias("n")).collect()
    ):
        set_aside[row.file, "no_rpc_seen"] += row.n
    places = (
        conversations.join(wanted, "key", "left_semi")
        .groupBy("file", "split")
        .agg(F.sum("payload_bytes").alias("payload_bytes"))
        .collect()
    )
    read_again = _segments(spark, scan, ranks, {(row.file, row.split) for row in places}, wanted)
    if segments is not None:
        read_again = read_again.unionByName(segments.join(wanted, "key", "left_semi"))
    size = sum(row.payload_bytes for row in places)
    return Selection(
        conversations=conversations,
        syns=tables[SYNS.name],
        segments=read_again,
        issues=tables[SCAN_ISSUES.name],
        set_aside=set_aside,
        partitions=max(2 * spark.sparkContext.defaultParallelism, size // STREAM_TASK_BYTES),
    )


def _sums(counts: DataFrame) -> Counter[tuple[int, str]]:
    rows = counts.groupBy("file", "counter").agg(F.sum("value").alias("value")).collect()
    return Counter({(row.file, row.counter): row["value"] for row in rows})


def _wanted(conversations: DataFrame) -> DataFrame:
    """Keys of the conversations that may be DCE/RPC or use a well-known port: a superset of what will be kept."""
    return conversations.where(F.col("may_be_rpc") | F.col("well_known_port")).select("key").distinct()


def _segments(
    spark: SparkSession, scan: Scan, ranks: dict[int, int], needed: set[tuple[int, int]], wanted: DataFrame
) -> DataFrame:
    """Reads again only the splits that hold packets of wanted conversations."""
    splits = [
        one for one in scan.splits if one.split.file in ranks and (ranks[one.split.file], one.split.index) in needed
    ]
    keys = spark.sparkContext.broadcast(np.sort(np.array([row.key for row in wanted.collect()], np.int64)))

    def work(one: ReadSplit) -> Iterator[pa.RecordBatch]:
        yield from segment_batches(one.split, ranks[one.split.file], one.first_frame, keys.value)

    return run_tasks(spark, packed(splits, lambda one: split_bytes(one.split)), work, SEGMENTS.arrow)
