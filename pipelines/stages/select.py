"""From the scan to the segments worth putting in order, with a count of everything that is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
    conversations: DataFrame
    syns: DataFrame
    issues: DataFrame
    """These three with frames that count from 1 within the capture."""
    segments: DataFrame
    set_aside: Counter[tuple[int, str]]
    """(file, counter) -> packets"""
    partitions: int
    """Tasks that the segments are worth."""


def select(spark: SparkSession, scan: Scan) -> Selection:
    counts: Counter[tuple[int, str]] = Counter()
    for one in scan.splits:
        counts.update({(one.split.file, name): value for name, value in one.counts.items()})
    placed = {table.name: scan.placed(table) for table in (CONVERSATIONS, SYNS, SCAN_ISSUES)}
    conversations, made = scan.table(CONVERSATIONS), None
    if any(counter == Outcome.IP_FRAGMENT.counter and value for (_, counter), value in counts.items()):
        made = defragmented(scan.placed(FRAGMENTS))
        for table in (CONVERSATIONS, SYNS, SCAN_ISSUES):
            placed[table.name] = placed[table.name].unionByName(unwrapped(made, table))
        conversations = conversations.unionByName(unwrapped(made, CONVERSATIONS))
        for row in unwrapped(made, COUNTS).groupBy("file", "counter").agg(F.sum("value").alias("n")).collect():
            counts[row.file, row.counter] += row.n
    wanted = conversations.where(F.col("may_be_rpc") | F.col("well_known_port")).select("key").distinct().persist()
    set_aside = Counter({place: n for place, n in counts.items() if place[1] not in _PASSED_ON})
    needed, size = set(), 0
    for row in _totals(conversations, wanted):
        if row.wanted:
            needed.add((row.file, row.split))
            size += row.payload_bytes
        else:
            set_aside[row.file, "no_rpc_seen"] += row.packets
    segments = _read_again(spark, scan, needed, wanted)
    if made is not None:
        segments = segments.unionByName(unwrapped(made, SEGMENTS).join(wanted, "key", "left_semi"))
    return Selection(
        conversations=placed[CONVERSATIONS.name],
        syns=placed[SYNS.name],
        issues=placed[SCAN_ISSUES.name],
        segments=segments,
        set_aside=set_aside,
        partitions=max(2 * spark.sparkContext.defaultParallelism, size // STREAM_TASK_BYTES),
    )


def _totals(conversations: DataFrame, wanted: DataFrame) -> list[Any]:
    """Packets and payload bytes by file and split, of wanted conversations and of the others."""
    flagged = conversations.join(wanted.withColumn("wanted", F.lit(True)), "key", "left")
    return (
        flagged.groupBy("file", "split", F.coalesce("wanted", F.lit(False)).alias("wanted"))
        .agg(F.sum("packets").alias("packets"), F.sum("payload_bytes").alias("payload_bytes"))
        .collect()
    )


def _read_again(spark: SparkSession, scan: Scan, needed: set[tuple[int, int]], wanted: DataFrame) -> DataFrame:
    """Only the splits that hold packets of wanted conversations."""
    splits = [one for one in scan.splits if (one.split.file, one.split.index) in needed]
    keys = spark.sparkContext.broadcast(np.sort(wanted.toArrow().column("key").to_numpy()))

    def work(one: ReadSplit) -> Iterator[pa.RecordBatch]:
        yield from segment_batches(one.split, one.split.file, one.first_frame, keys.value)

    return run_tasks(spark, packed(splits, lambda one: split_bytes(one.split)), work, SEGMENTS.arrow)
