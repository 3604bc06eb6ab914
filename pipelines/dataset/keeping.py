"""What a run carries over to the next: conversations that may go on, and no more of them than that."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
from pyspark.sql import functions as F

from decoders.limits import FRAGMENT_TIMEOUT_NS, SILENCE_NS
from pipelines.stages.tcp_streams import stream_numbers
from pipelines.stored import OfKeys, Stored
from pipelines.writing import write_frames, write_rows
from schemas.internal import ASIDES, FRAGMENTS, STREAM_FLOWS
from schemas.model import ddl
from schemas.state import CARRIED_CONNECTIONS, CARRIED_CONVERSATIONS, CARRIED_STREAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy.typing as npt
    from pyspark.sql import DataFrame

    from pipelines.analyze import Job
    from pipelines.dataset.segments import Earlier
    from pipelines.decoding import Found
    from pipelines.shelves import Shelves
    from pipelines.stages.select import Keys
    from pipelines.stored import Keeps
    from pipelines.writing import Written
    from schemas.model import Table

LATENESS_NS: Final = 24 * 3600 * 1_000_000_000
"""Captures may come so much later than others of their time."""
UNDECIDED_NS: Final = 3600 * 1_000_000_000
UNDECIDED_BYTES: Final = 65_536
"""Conversations without a sign of DCE/RPC are carried if they showed so little, and if the captures ended so soon after
their last packet: those may be a handshake. Without a SYN they may be the middle of a PDU, and are carried like others.
"""


FRAGMENTS_NS: Final = 10 * FRAGMENT_TIMEOUT_NS
"""IP fragments further than that from the ends of their capture have met all that could complete them."""


@dataclass(frozen=True, slots=True)
class Kept:
    written: list[Written]
    segments: list[tuple[Stored, Keeps]]
    """Files of segments, with what stays of them."""


def newest(first_ts_ns: Iterable[int]) -> int:
    """Up to when captures have come. By their first packets: one broken time stamp must not make all the rest old."""
    return min(max(first_ts_ns, default=0), time.time_ns())


def keep(job: Job, found: Found, earlier: Earlier, shelves: Shelves, now_ns: int, end_ns: int) -> Kept:
    """`now_ns`: newest capture's beginning; `end_ns`: the end of the captures of this run."""
    taken = found.selection.taken
    seen = _seen(job, found, now_ns, end_ns)
    known = earlier.carried.table(CARRIED_CONVERSATIONS)
    undecided = np.setdiff1d(seen.column("key").to_numpy(), taken)
    found.selection.keep(undecided)
    conversations = _conversations(known, seen, taken, now_ns, end_ns)
    connections = _connections(job, found, earlier)
    keys, since = _since(conversations, connections)
    of_conversations = OfKeys(keys, since)
    of_connections = OfKeys(keys, since, "first_ts_ns")
    numbers = stream_numbers(found.selection.conversations, found.selection.syns)
    streams = numbers.unionByName(earlier.carried.frame(CARRIED_STREAMS))
    frames = {
        CARRIED_CONNECTIONS: _kept(job, CARRIED_CONNECTIONS, connections, of_connections),
        CARRIED_STREAMS: _kept(job, CARRIED_STREAMS, streams, of_conversations),
    }
    if found.selection.has_fragments or earlier.carried.files.get(FRAGMENTS.name):
        before = earlier.carried.frame(FRAGMENTS).where(F.col("ts_ns") >= now_ns - LATENESS_NS)
        frames[FRAGMENTS] = found.selection.fragments(FRAGMENTS_NS).unionByName(before)
    written = write_rows(shelves.state(CARRIED_CONVERSATIONS), conversations)
    written += write_frames(
        {
            table.name: (shelves.state(table), _numbered(table, rows, earlier), (table.names[0],), table.arrow)
            for table, rows in frames.items()
        }
    )
    segments: list[tuple[Stored, Keeps]] = [(file, OfKeys(keys, since, "ts_ns")) for file in earlier.store.files]
    return Kept(written, segments)


def _seen(job: Job, found: Found, now_ns: int, end_ns: int) -> pa.Table:
    """Conversations of this run's captures that are taken, or that are not and may go on; sorted by key."""
    syns = found.selection.syns.select("key", F.lit(False).alias("midstream")).distinct()
    grouped = found.selection.conversations.groupBy("key").agg(
        F.min("low_end").alias("low_end"),
        F.min("high_end").alias("high_end"),
        F.max("last_ts_ns").alias("last_ts_ns"),
        F.sum("payload_bytes").alias("payload_bytes"),
    )
    midstream = F.coalesce("midstream", F.lit(True))
    rows = grouped.join(syns, "key", "left").withColumn("midstream", midstream)
    keys = pa.table({"key": found.selection.taken, "taken": np.ones(len(found.selection.taken), np.bool_)})
    rows = rows.join(F.broadcast(job.spark.createDataFrame(keys)), "key", "left")
    since = F.when(F.col("midstream"), now_ns - SILENCE_NS - LATENESS_NS).otherwise(end_ns - UNDECIDED_NS)
    undecided = (F.col("payload_bytes") <= UNDECIDED_BYTES) & (F.col("last_ts_ns") >= since)
    wanted = rows.where(F.coalesce("taken", undecided)).select(*CARRIED_CONVERSATIONS.names[:-1])
    return wanted.toArrow().sort_by("key")


def _may_go_on(rows: pa.Table, now_ns: int, end_ns: int, *, streamed: npt.NDArray[np.bool_] | bool) -> Any:  # noqa: ANN401
    """By the time of the last packet."""
    last = rows.column("last_ts_ns").to_numpy()
    midstream = rows.column("midstream").to_numpy(zero_copy_only=False).astype(np.bool_)
    return np.where(streamed | midstream, last >= now_ns - SILENCE_NS - LATENESS_NS, last >= end_ns - UNDECIDED_NS)


def _conversations(known: pa.Table, seen: pa.Table, taken: Keys, now_ns: int, end_ns: int) -> pa.Table:
    """Rows of CARRIED_CONVERSATIONS that are worth keeping, sorted by key."""
    schema = CARRIED_CONVERSATIONS.arrow
    new = seen.append_column("streamed", pa.array(np.isin(seen.column("key").to_numpy(), taken)))
    both = pa.concat_tables([new.select(schema.names).cast(schema), known])
    grouped = both.group_by("key").aggregate(
        [("low_end", "min"), ("high_end", "min"), ("last_ts_ns", "max"), ("midstream", "max"), ("streamed", "max")]
    )
    merged = grouped.rename_columns([name.removesuffix("_min").removesuffix("_max") for name in grouped.column_names])
    merged = merged.select(schema.names).cast(schema).sort_by("key")
    streamed = merged.column("streamed").to_numpy(zero_copy_only=False).astype(np.bool_)
    # A conversation that earlier runs could not decide on and that this run took is streamed now.
    streamed |= np.isin(merged.column("key").to_numpy(), taken)
    merged = merged.set_column(schema.get_field_index("streamed"), schema.field("streamed"), pa.array(streamed))
    return merged.filter(pa.array(_may_go_on(merged, now_ns, end_ns, streamed=streamed)))


def _connections(job: Job, found: Found, earlier: Earlier) -> DataFrame:
    """Rows of CARRIED_CONNECTIONS: of earlier runs those that still hold, and what this run says."""
    names = CARRIED_CONNECTIONS.names
    flows = found.rounds.table(STREAM_FLOWS)
    asides = found.rounds.table(ASIDES).withColumn("unresolved", F.lit(True))
    taken = F.broadcast(job.spark.createDataFrame(pa.table({"key": found.selection.taken})))
    before = earlier.carried.frame(CARRIED_CONNECTIONS).join(taken, "key", "left_anti")
    return before.select(*names).unionByName(flows.select(*names)).unionByName(asides.select(*names)).persist()


def _since(conversations: pa.Table, connections: DataFrame) -> tuple[Keys, npt.NDArray[np.int64]]:
    """Keys that are kept, and the time from which: what lies before a silence can have no part in what comes."""
    keys: Keys = conversations.column("key").to_numpy()
    since = np.full(len(keys), np.iinfo(np.int64).min)
    times = connections.select("key", "first_ts_ns", "last_ts_ns").toArrow()
    times = times.sort_by([("key", "ascending"), ("first_ts_ns", "ascending")])
    key, until = None, 0
    place = dict(zip(keys.tolist(), range(len(keys)), strict=True))
    for one, first, last in zip(*(column.to_pylist() for column in times.columns), strict=True):
        first, last = (-1 if first is None else first), (-1 if last is None else last)
        if one != key:
            key, until = one, last
        elif first - until > SILENCE_NS and one in place:
            since[place[one]] = first
        until = max(until, last)
    return keys, since


def _kept(job: Job, table: Table, rows: DataFrame, keeps: OfKeys) -> DataFrame:
    wanted = job.spark.sparkContext.broadcast(keeps)
    schema = table.arrow

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = pa.Table.from_batches([batch])
            yield from rows.filter(wanted.value(rows)).cast(schema).to_batches()

    return rows.select(*table.names).mapInArrow(run, ddl(schema))


def _numbered(table: Table, rows: DataFrame, earlier: Earlier) -> DataFrame:
    """With the numbers of captures in place of their ordinals."""
    numbers = earlier.carried.ordinals.reversed()

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return (numbers.batch(batch, table) for batch in batches)

    return rows if numbers.changes_nothing else rows.mapInArrow(run, ddl(table.arrow))
