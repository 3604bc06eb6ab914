"""What was found, written as tables."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.sql import functions as F

from pipelines.issue_rows import bounded, packet_issues
from pipelines.judged_tables import Made, NewFacts, judge_here, judge_in_spark, stored_facts, write_table_frames
from pipelines.stages.rounds import MAX_ROUNDS
from pipelines.stages.tcp_streams import stream_numbers, with_stream_numbers
from pipelines.writing import write_empty
from schemas.internal import FACTS, STREAM_FLOWS
from schemas.state import CARRIED_STREAMS
from schemas.tables import FLOWS, ISSUES, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from pipelines.analyze import Job
    from pipelines.decoding import Found
    from pipelines.inventory import Order
    from pipelines.shelves import Shelves
    from pipelines.stages.rounds import Rounds
    from pipelines.writing import Written
    from schemas.model import Table

Row = dict[str, Any]
SMALL_BYTES: Final = 16 * 1024 * 1024
"""Up to so much, decoded tables are written by the driver: a Spark job a table takes longer than that is worth."""


def write_found(job: Job, found: Found, issues: list[Row], order: Order, shelves: Shelves) -> Made:
    selection, rounds = found.selection, found.rounds
    numbers = stream_numbers(selection.conversations, selection.syns)
    if found.earlier is not None:
        numbers = numbers.unionByName(found.earlier.carried.frame(CARRIED_STREAMS))
    told = packet_issues(job.spark, selection.issues, order.ids, order.paths).unionByName(rounds.table(ISSUES))
    frames = {
        FLOWS.name: with_stream_numbers(rounds.table(STREAM_FLOWS), numbers).select(*FLOWS.names),
        ISSUES.name: bounded(told).unionByName(_local(job, ISSUES, [*issues, *_not_followed(rounds)])),
    }
    with ThreadPoolExecutor(1) as beside:
        writing = beside.submit(_write_decoded, job, found, shelves)
        written = write_table_frames(frames, shelves)
        made = writing.result()
    return Made(written + made.written, made.summaries, made.servers)


def write_empty_tables(shelves: Shelves, written: Iterable[Written]) -> list[Written]:
    """A file for each table without rows: readers find its columns there."""
    there = {one.table for one in written}
    return [write_empty(shelves.undated(table), table.arrow) for table in WRITTEN if table.name not in there]


def _write_decoded(job: Job, found: Found, shelves: Shelves) -> Made:
    """The tables that travel in parcels, and what sessions and rules make of them."""
    rounds, carried = found.rounds, found.earlier.carried if found.earlier else None
    size = {
        row.table: row.bytes for row in rounds.parcels().groupBy("table").agg(F.sum("size").alias("bytes")).collect()
    }
    new = NewFacts(rounds.versions(), found.replaced)
    if sum(size.values()) + stored_facts(carried) > job.small_bytes:
        frames = {table.name: rounds.unpacked(table) for table in WRITTEN if table.name in size}
        return judge_in_spark(job, rounds.unpacked(FACTS), new, carried, shelves, frames)
    fetched = rounds.fetched()
    facts = pa.Table.from_batches(fetched.pop(FACTS.name, []), FACTS.arrow)
    tables = {name: pa.Table.from_batches(batches) for name, batches in fetched.items()}
    return judge_here(job, facts, new, carried, shelves, tables)


def _not_followed(rounds: Rounds) -> Iterator[Row]:
    nothing = dict.fromkeys(ISSUES.names)
    for place in rounds.not_followed:
        detail = (
            f"{place} was announced in the last of {MAX_ROUNDS} rounds; conversations there were not looked at again"
        )
        yield nothing | {"code": "endpoints-not-followed", "detail": detail}


def _local(job: Job, table: Table, rows: list[Row]) -> DataFrame:
    return job.spark.createDataFrame(pa.Table.from_pylist(rows, schema=table.arrow))
