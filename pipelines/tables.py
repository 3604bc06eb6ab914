"""What was found, written as tables."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from pipelines.facts.versions import known_versions
from pipelines.issue_rows import bounded, packet_issues
from pipelines.shelves import SORT_KEYS
from pipelines.stages.judge import JudgedFrames, judged_here
from pipelines.stages.rounds import MAX_ROUNDS
from pipelines.stages.tcp_streams import stream_numbers, with_stream_numbers
from pipelines.writing import write_empty, write_frames, write_rows
from schemas.internal import FACTS, STREAM_FLOWS
from schemas.model import ddl
from schemas.state import CARRIED_STREAMS
from schemas.tables import FLOWS, ISSUES, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pyspark.sql import DataFrame

    from pipelines.analyze import Job
    from pipelines.dataset.carried import Carried
    from pipelines.decoding import Found
    from pipelines.inventory import Order
    from pipelines.shelves import Shelves
    from pipelines.stages.rounds import Rounds
    from pipelines.writing import Written
    from schemas.model import Table

Row = dict[str, Any]
SMALL_BYTES: Final = 16 * 1024 * 1024
"""Up to so much, decoded tables are written by the driver: a Spark job a table takes longer than that is worth."""
_TABLES: Final = {table.name: table for table in WRITTEN}
_DENSITY: Final = 8
"""Facts are JSON, and shrink so much in a file."""


@dataclass(frozen=True, slots=True)
class Made:
    written: list[Written]
    tallies: list[Row]
    """Of the servers that were judged."""
    servers: frozenset[str]
    """Those of which everything that earlier runs said is void; they were judged anew, if facts are left of them."""


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
        written = _write_frames(frames, shelves)
        made = writing.result()
    return Made(written + made.written, made.tallies, made.servers)


def write_empty_tables(shelves: Shelves, written: Iterable[Written]) -> list[Written]:
    """A file for each table without rows: readers find its columns there."""
    there = {one.table for one in written}
    return [write_empty(shelves.undated(table), table.arrow) for table in WRITTEN if table.name not in there]


def _write_frames(frames: dict[str, DataFrame], shelves: Shelves) -> list[Written]:
    return write_frames(
        {
            name: (shelves.table(_TABLES[name]), frame, SORT_KEYS[name], _TABLES[name].arrow)
            for name, frame in frames.items()
        }
    )


def _write_decoded(job: Job, found: Found, shelves: Shelves) -> Made:
    """The tables that travel in parcels, and what sessions and rules make of them."""
    rounds, carried = found.rounds, found.earlier.carried if found.earlier else None
    size = {
        row.table: row.bytes for row in rounds.parcels().groupBy("table").agg(F.sum("size").alias("bytes")).collect()
    }
    said = rounds.versions()
    versions = known_versions([*said, *(carried.versions if carried else ())])
    changed = _changed_hosts(versions, carried)
    total = sum(size.values()) + (carried.bytes(FACTS) * _DENSITY if carried else 0)
    if total > job.small_bytes:
        frames = {table.name: rounds.unpacked(table) for table in WRITTEN if table.name in size}
        facts = rounds.unpacked(FACTS)
        servers: frozenset[str] = frozenset()
        state: list[Written] = []
        if found.earlier is not None and carried is not None:
            state = _write_facts_frame(facts, found, shelves)
            facts, servers = _facts_to_judge(job, facts, carried, found.replaced, changed)
        judged = JudgedFrames(facts, versions, job.settings)
        return Made(state + _write_frames(frames | judged.frames(), shelves), judged.tallies(), servers)
    fetched = rounds.fetched()
    here = pa.Table.from_batches(fetched.pop(FACTS.name, []), FACTS.arrow)
    written: list[Written] = []
    servers = frozenset()
    if found.earlier is not None and carried is not None:
        numbers = carried.ordinals.reversed()
        stored = [numbers.batch(batch, FACTS) for batch in here.to_batches()]
        written += write_rows(shelves.state(FACTS), pa.Table.from_batches(stored, FACTS.arrow))
        here, servers = _facts_to_judge_here(here, carried.table(FACTS), found.replaced, changed)
    tables, tallies = judged_here(here, versions, job.settings)
    for name, rows in ({name: pa.Table.from_batches(batches) for name, batches in fetched.items()} | tables).items():
        written += write_rows(shelves.table(_TABLES[name]), rows, SORT_KEYS[name])
    return Made(written, tallies, servers)


def _changed_hosts(versions: dict[str, Any], carried: Carried | None) -> frozenset[str]:
    """Hosts of which another version, or none any more, is known now: verdicts may differ wherever they are met."""
    if carried is None:
        return frozenset()
    before = known_versions(carried.versions)
    return frozenset(host for host in versions.keys() | before.keys() if versions.get(host) != before.get(host))


def _facts_to_judge_here(
    new: pa.Table, earlier: pa.Table, replaced: frozenset[str], changed: frozenset[str]
) -> tuple[pa.Table, frozenset[str]]:
    """All facts of the servers of which something is new; and which these are."""
    void = _among(earlier.column("uid"), replaced)
    met = pc.or_(_among(earlier.column("server"), changed), _among(earlier.column("client"), changed))
    servers = frozenset(
        server
        for part in (new.column("server"), earlier.filter(pc.or_(void, met)).column("server"))
        for server in pc.unique(part).to_pylist()
    )
    still = earlier.filter(pc.and_(pc.invert(void), _among(earlier.column("server"), servers)))
    return pa.concat_tables([new, still]), servers


def _among(column: pa.ChunkedArray, values: Iterable[str]) -> pa.ChunkedArray:
    return pc.is_in(column, value_set=pa.array(sorted(values), pa.string()))


def _facts_to_judge(
    job: Job, new: DataFrame, carried: Carried, replaced: frozenset[str], changed: frozenset[str]
) -> tuple[DataFrame, frozenset[str]]:
    earlier = carried.frame(FACTS)
    void = _known(job, "uid", replaced)
    hosts = _known(job, "host", changed)
    of_host = (F.col("server") == F.col("host")) | (F.col("client") == F.col("host"))
    touched = [
        new.select("server"),
        earlier.join(void, "uid", "left_semi").select("server"),
        earlier.join(hosts, of_host, "left_semi").select("server"),
    ]
    servers = frozenset(row.server for part in touched for row in part.distinct().collect())
    still = earlier.join(void, "uid", "left_anti").join(_known(job, "server", servers), "server", "left_semi")
    return new.unionByName(still.select(*FACTS.names)), servers


def _known(job: Job, name: str, values: Iterable[str]) -> DataFrame:
    return F.broadcast(job.spark.createDataFrame(pa.table({name: pa.array(sorted(values), pa.string())})))


def _write_facts_frame(facts: DataFrame, found: Found, shelves: Shelves) -> list[Written]:
    assert found.earlier is not None  # noqa: S101 - narrows the type for mypy
    numbers = found.earlier.carried.ordinals.reversed()

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return (numbers.batch(batch, FACTS) for batch in batches)

    stored = facts if numbers.changes_nothing else facts.mapInArrow(run, ddl(FACTS.arrow))
    return write_frames({FACTS.name: (shelves.state(FACTS), stored, ("server", "ts_ns"), FACTS.arrow)})


def _not_followed(rounds: Rounds) -> Iterator[Row]:
    nothing = dict.fromkeys(ISSUES.names)
    for place in rounds.not_followed:
        detail = (
            f"{place} was announced in the last of {MAX_ROUNDS} rounds; conversations there were not looked at again"
        )
        yield nothing | {"code": "endpoints-not-followed", "detail": detail}


def _local(job: Job, table: Table, rows: list[Row]) -> DataFrame:
    return job.spark.createDataFrame(pa.Table.from_pylist(rows, schema=table.arrow))
