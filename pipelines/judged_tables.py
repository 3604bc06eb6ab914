"""Sessions, reads and findings: of all servers, or of those of which a run says something new."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

from pipelines.facts.versions import known_versions
from pipelines.shelves import SORT_KEYS
from pipelines.stages.judge import JudgedFrames, judged_here
from pipelines.writing import write_frames, write_rows
from schemas.internal import FACTS
from schemas.model import ddl
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pyspark.sql import DataFrame

    from pipelines.analyze import Job
    from pipelines.dataset.carried import Carried
    from pipelines.facts.versions import Version
    from pipelines.shelves import Shelves
    from pipelines.summaries import Summaries
    from pipelines.writing import Written

Row = dict[str, Any]
TABLES: Final = {table.name: table for table in WRITTEN}
_DENSITY: Final = 8
"""Facts are JSON, and shrink so much in a file."""


@dataclass(frozen=True, slots=True)
class Made:
    written: list[Written]
    summaries: Summaries
    """Of the servers that were judged."""
    servers: frozenset[str]
    """Those of which everything that earlier runs said is void; they were judged anew, if facts are left of them."""


@dataclass(frozen=True, slots=True)
class NewFacts:
    """What changes for sessions and rules beside the facts themselves."""

    versions: list[Row]
    """Said in this run."""
    replaced: frozenset[str]
    """Connections whose earlier facts are void."""

    def known_versions(self, carried: Carried | None) -> dict[str, Version]:
        return known_versions([*self.versions, *(carried.versions if carried else ())])


def stored_facts(carried: Carried | None) -> int:
    """Bytes of the facts of earlier runs, once they are read."""
    return carried.bytes(FACTS) * _DENSITY if carried else 0


def judge_in_spark(
    job: Job,
    facts: DataFrame,
    new: NewFacts,
    carried: Carried | None,
    shelves: Shelves,
    others: Mapping[str, DataFrame],
) -> Made:
    """With other tables written beside them."""
    versions = new.known_versions(carried)
    servers: frozenset[str] = frozenset()
    state: list[Written] = []
    if carried is not None:
        state = _store_frame(facts, carried, shelves)
        facts, servers = _facts_to_judge(job, facts, carried, new.replaced, _changed_hosts(versions, carried))
    judged = JudgedFrames(facts, versions, job.settings)
    return Made(state + write_table_frames({**others, **judged.frames()}, shelves), judged.summaries(), servers)


def judge_here(
    job: Job, facts: pa.Table, new: NewFacts, carried: Carried | None, shelves: Shelves, others: Mapping[str, pa.Table]
) -> Made:
    """The same for what is little, without Spark."""
    versions = new.known_versions(carried)
    servers: frozenset[str] = frozenset()
    written: list[Written] = []
    if carried is not None:
        numbers = carried.ordinals.reversed()
        stored = [numbers.batch(batch, FACTS) for batch in facts.to_batches()]
        written += write_rows(shelves.state(FACTS), pa.Table.from_batches(stored, FACTS.arrow))
        changed = _changed_hosts(versions, carried)
        facts, servers = _facts_to_judge_here(facts, carried.table(FACTS), new.replaced, changed)
    tables, summaries = judged_here(facts, versions, job.settings)
    for name, rows in {**others, **tables}.items():
        written += write_rows(shelves.table(TABLES[name]), rows, SORT_KEYS[name])
    return Made(written, summaries, servers)


def write_table_frames(frames: Mapping[str, DataFrame], shelves: Shelves) -> list[Written]:
    return write_frames(
        {
            name: (shelves.table(TABLES[name]), frame, SORT_KEYS[name], TABLES[name].arrow)
            for name, frame in frames.items()
        }
    )


def _store_frame(facts: DataFrame, carried: Carried, shelves: Shelves) -> list[Written]:
    numbers = carried.ordinals.reversed()

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        return (numbers.batch(batch, FACTS) for batch in batches)

    stored = facts if numbers.changes_nothing else facts.mapInArrow(run, ddl(FACTS.arrow))
    return write_frames({FACTS.name: (shelves.state(FACTS), stored, ("server", "ts_ns"), FACTS.arrow)})


def _changed_hosts(versions: Mapping[str, Version], carried: Carried) -> frozenset[str]:
    """Hosts of which another version, or none any more, is known now: verdicts may differ wherever they are met."""
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
