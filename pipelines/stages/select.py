"""From the scan to the segments worth putting in order, with a count of everything that is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from decoders.net.model import Outcome
from ingest.segments import segment_batches
from ingest.splits import size_of
from pipelines.stages.defragment import Fragments
from pipelines.stages.tasks import packed, run_tasks
from schemas.internal import CONVERSATIONS, FRAGMENTS, SCAN_ISSUES, SEGMENTS, SYNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt
    from pyspark.sql import DataFrame, SparkSession

    from pipelines.dataset.segments import Earlier
    from pipelines.stages.scan import ReadSplit, Scan

Keys: TypeAlias = "npt.NDArray[np.int64]"
"""Sorted. Eight bytes a conversation are what the driver holds, and every worker that reads again."""
STREAM_TASK_BYTES = 64 * 1024 * 1024
_PASSED_ON = (Outcome.TCP.counter, Outcome.IP_FRAGMENT.counter)


@dataclass(frozen=True)
class Segments:
    rows: DataFrame
    partitions: int
    """Tasks that they are worth."""


class Selection:
    """The scan's results over all captures, and the way back to the segments of any of its conversations."""

    def __init__(self, spark: SparkSession, scan: Scan, earlier: Earlier | None = None) -> None:
        self._spark, self._scan, self._earlier = spark, scan, earlier
        counts: Counter[tuple[int, str]] = Counter()
        for one in scan.splits:
            counts.update({(one.split.file, name): value for name, value in one.counts.items()})
        placed = {table.name: scan.placed(table) for table in (CONVERSATIONS, SYNS, SCAN_ISSUES)}
        self._by_split = scan.table(CONVERSATIONS)
        self._made: Fragments | None = None
        self.has_fragments = any(
            counter == Outcome.IP_FRAGMENT.counter and value for (_, counter), value in counts.items()
        )
        self.void_issues: list[Any] = []
        """Rows (file, frame, code) that earlier runs told of fragments, and that are not true any more."""
        if self.has_fragments:
            met = Fragments(scan.placed(FRAGMENTS), earlier.carried if earlier else None)
            self._made = met
            for table in (CONVERSATIONS, SYNS, SCAN_ISSUES):
                placed[table.name] = placed[table.name].unionByName(met.table(table))
            self._by_split = self._by_split.unionByName(met.table(CONVERSATIONS))
            counts.update(met.counts())
            self.void_issues = met.void_issues()
        self.conversations = placed[CONVERSATIONS.name]
        self.syns = placed[SYNS.name]
        self.issues = placed[SCAN_ISSUES.name]
        self.set_aside = Counter({place: n for place, n in counts.items() if place[1] not in _PASSED_ON})
        """(file, counter) -> packets. Conversations that nobody asked for are among them until they are taken."""
        for (file, counter), packets in counts.items():
            if counter == Outcome.TCP.counter:
                self.set_aside[file, "no_rpc_seen"] += packets
        self.taken: Keys = np.empty(0, np.int64)

    def promising(self) -> Keys:
        """Of the conversations that may speak DCE/RPC as far as the scan can tell, and of those that go on."""
        new = _collected(self._by_split.where(F.col("may_be_rpc") | F.col("well_known_port")))
        if self._earlier is None or not len(self._earlier.streamed):
            return new
        known = F.broadcast(self._spark.createDataFrame(pa.table({"key": self._earlier.streamed})))
        return np.union1d(new, _collected(self._by_split.join(known, "key", "left_semi")))

    def reaching(self, ends: list[int]) -> Keys:
        """Of the conversations with one of these endpoints, given by ingest.conversations.endpoint_key."""
        known = F.broadcast(self._spark.createDataFrame(pa.table({"end": pa.array(ends, pa.int64())})))
        low, high = (F.col(side) == F.col("end") for side in ("low_end", "high_end"))
        return _collected(self._by_split.join(known, low | high, "left_semi"))

    def take(self, keys: Keys) -> Segments:
        """The segments of these conversations: only the splits that hold some are read again."""
        fresh = np.setdiff1d(keys, self.taken)
        marked = self._spark.createDataFrame(pa.table({"key": keys, "fresh": np.isin(keys, fresh)}))
        needed, size = set(), 0
        for row in self._totals(marked):
            if self._earlier is None or row.fresh_packets:
                needed.add((row.file, row.split))
            size += row.payload_bytes
            self.set_aside[row.file, "no_rpc_seen"] -= row.fresh_packets
        self.taken = np.union1d(self.taken, keys)
        if self._earlier is None:
            rows = self._segments(needed, keys)
        else:
            store = self._earlier.store
            for file, packets in store.packets(np.intersect1d(fresh, self._earlier.undecided)).items():
                self.set_aside[file, "no_rpc_seen"] -= packets
            store.add(self._segments(needed, fresh))
            rows = store.rows(keys)
            size += store.bytes
        return Segments(rows, max(2 * self._spark.sparkContext.defaultParallelism, size // STREAM_TASK_BYTES))

    def fragments(self, margin_ns: int) -> DataFrame:
        """Those near the beginning or the end of their capture: others met their like already."""
        times: dict[int, list[int]] = {}
        for one in self._scan.splits:
            if one.first_ts_ns is not None and one.last_ts_ns is not None:
                times.setdefault(one.split.file, []).extend((one.first_ts_ns, one.last_ts_ns))
        bounds = [(file, min(of_file) + margin_ns, max(of_file) - margin_ns) for file, of_file in times.items()]
        known = F.broadcast(self._spark.createDataFrame(bounds, "file int, early long, late long"))
        near = (F.col("ts_ns") <= F.col("early")) | (F.col("ts_ns") >= F.col("late"))
        return self._scan.placed(FRAGMENTS).join(known, "file").where(near).select(*FRAGMENTS.names)

    def keep(self, keys: Keys) -> None:
        """Store the segments of conversations that were not taken."""
        marked = self._spark.createDataFrame(pa.table({"key": keys, "fresh": np.ones(len(keys), np.bool_)}))
        if self._earlier is not None and len(keys):
            self._earlier.store.add(self._segments({(row.file, row.split) for row in self._totals(marked)}, keys))

    def _segments(self, needed: set[tuple[int, int]], keys: Keys) -> DataFrame:
        rows = self._read_again(needed, keys)
        if self._made is None:
            return rows
        wanted = self._spark.createDataFrame(pa.table({"key": keys}))
        return rows.unionByName(self._made.table(SEGMENTS).join(wanted, "key", "left_semi"))

    def _totals(self, keys: DataFrame) -> list[Any]:
        """Of the conversations in (key, fresh): payload bytes by file and split, and the packets of the fresh ones."""
        fresh = F.when(F.col("fresh"), F.col("packets")).otherwise(0)
        return (
            self._by_split.join(keys, "key", "inner")
            .groupBy("file", "split")
            .agg(F.sum("payload_bytes").alias("payload_bytes"), F.sum(fresh).alias("fresh_packets"))
            .collect()
        )

    def _read_again(self, needed: set[tuple[int, int]], wanted: Keys) -> DataFrame:
        splits = [one for one in self._scan.splits if (one.split.file, one.split.index) in needed]
        keys = self._spark.sparkContext.broadcast(wanted)

        def work(one: ReadSplit) -> Iterator[pa.RecordBatch]:
            yield from segment_batches(one.split, one.split.file, one.first_frame, keys.value)

        return run_tasks(self._spark, packed(splits, lambda one: size_of(one.split)), work, SEGMENTS.arrow)


def _collected(conversations: DataFrame) -> Keys:
    keys: Keys = np.unique(conversations.select("key").distinct().toArrow().column("key").to_numpy())
    return keys
