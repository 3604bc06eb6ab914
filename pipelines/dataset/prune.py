"""Retention: everything before a date goes, and what is left is judged as if the captures had begun there."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.dataset.base import extended
from pipelines.dataset.carried import Carried
from pipelines.facts.model import BEGINNING, BlindFact, Moment, to_row
from pipelines.facts.reasons import Reason
from pipelines.inventory import in_order
from pipelines.judged_tables import NewFacts, judge_here, judge_in_spark, stored_facts
from pipelines.messages.tables import SOURCES, Void, write_messages
from pipelines.rules.tally import summed
from pipelines.shelves import Shelves
from pipelines.stored import NotAmong, OfKeys, Stored, read_here, thinned
from pipelines.summaries import overall, tally_of, with_earlier
from pipelines.writing import write_rows
from schemas.internal import FACTS, SEGMENTS
from schemas.state import CARRIED_CONNECTIONS, CARRIED_CONVERSATIONS, CARRIED_STREAMS, SUMMARIES
from schemas.tables import JUDGED, MESSAGES, OVERALL, SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.analyze import Job
    from pipelines.dataset.base import Base, Extended
    from pipelines.judged_tables import Made
    from pipelines.stored import Keeps

Row = dict[str, Any]
_DATE = "date="


def prune(job: Job, base: Base, before: dt.date) -> Extended:
    """Write what differs below the job's folder."""
    carried = Carried(job.spark, base.state)
    carried = carried.placed(in_order((), {}, carried.known)[1])
    since = before.isoformat()
    shelves = Shelves(job.root, dated=True, prefix=base.prefix, since=since)
    began_ns = int(dt.datetime(before.year, before.month, before.day, tzinfo=dt.UTC).timestamp()) * 1_000_000_000
    gone, blind = _facts_that_go(carried, began_ns)
    made = _judged(job, carried, gone, blind, shelves)
    old = [file for files in base.tables.values() for file in files if _date_of(file) < since]
    judged = {table.name for table in JUDGED}
    to_thin: list[tuple[Stored, Keeps]] = [
        (file, NotAmong("id.resp_h", made.servers))
        for name in judged
        for file in base.tables.get(name, ())
        if file not in old
    ]
    to_thin += [(file, NotAmong("uid", gone)) for file in base.state.get(FACTS.name, ())]
    to_thin += _conversations_that_stay(base, carried, began_ns)
    thin = thinned(job.spark, to_thin, job.root, shelves.prefix)
    void = [Void(file, None) for file in old if file.written.table in SOURCES]
    void += [Void(file, keeps) for file, keeps in to_thin if file.written.table in SOURCES]
    earlier = [*thin.kept, *(Stored(job.root, one) for one in thin.written)]
    earlier += [file for file in base.tables.get(SIGHTINGS.name, ()) if file not in old]
    sources = [file for file in earlier if file.written.table in SOURCES]
    fresh = [Stored(job.root, one) for one in made.written if one.table in SOURCES]
    messages = write_messages(job, shelves, fresh, sources, void)
    of_messages = [file for file in base.tables.get(MESSAGES.name, ()) if file not in old]
    without = NotAmong("message_uid", messages.replaced)
    thin_messages = thinned(job.spark, [(file, without) for file in of_messages], job.root, shelves.prefix)
    summaries = with_earlier(made.summaries, carried, made.servers)
    written = [*made.written, *thin.written, *messages.written, *thin_messages.written]
    for shelf, table, rows in (
        *((shelves.table(table), table, rows) for table, rows in overall(summaries)),
        *((shelves.state(table), table, summaries[table.name]) for table in SUMMARIES),
    ):
        written += write_rows(shelf, pa.Table.from_pylist(rows, schema=table.arrow))
    again = judged | {table.name for table in (*OVERALL, *SUMMARIES, MESSAGES, FACTS, *_BY_KEY)}
    staying = [*thin.kept, *thin_messages.kept] + [
        file
        for kind in (base.tables, base.state)
        for name, files in kind.items()
        for file in files
        if name not in again and file not in old
    ]
    return extended(shelves, [], [], tally_of(summaries), summed(carried.tallies), written, staying)


_BY_KEY = (CARRIED_CONVERSATIONS, CARRIED_CONNECTIONS, CARRIED_STREAMS, SEGMENTS)


def _date_of(file: Stored) -> str:
    """The date of its partition; after all others where there is none."""
    parts = [part for part in file.written.path.split("/") if part.startswith(_DATE)]
    return parts[0].removeprefix(_DATE) if parts else "~"


def _facts_that_go(carried: Carried, began_ns: int) -> tuple[frozenset[str], pa.Table]:
    """Connections of which no fact is left, and what says that their hosts were not watched before."""
    latest = _latest_facts(carried)
    going_on = carried.table(CARRIED_CONNECTIONS).column("uid")
    over = pc.and_(pc.less(latest.column("ts_ns"), began_ns), pc.invert(pc.is_in(latest.column("uid"), going_on)))
    # A connection set aside concerns both directions; it goes when both may.
    stays = pc.unique(latest.filter(pc.invert(over)).column("uid"))
    theirs = latest.filter(pc.invert(pc.is_in(latest.column("uid"), stays)))
    pairs = theirs.group_by(["client", "server"]).aggregate([]).to_pylist()
    gone = frozenset(theirs.column("uid").to_pylist())
    return gone, pa.Table.from_pylist(list(_blind(pairs, began_ns)), schema=FACTS.arrow)


def _latest_facts(carried: Carried) -> pa.Table:
    """When each connection was last heard of; file by file, since all facts together may be too many."""
    names = ("uid", "client", "server", "ts_ns")
    schema = pa.schema([field for field in FACTS.arrow if field.name in names])
    found = pa.table({name: pa.array([], schema.field(name).type) for name in names})
    for file in carried.files.get(FACTS.name, ()):
        both = pa.concat_tables([found, read_here([file], schema, lambda batch: batch).select(names)])
        found = both.group_by(list(names[:3])).aggregate([("ts_ns", "max")]).rename_columns({"ts_ns_max": "ts_ns"})
        found = found.select(names)
    return found


def _blind(pairs: list[Row], began_ns: int) -> Iterator[Row]:
    until = Moment(began_ns, -1, 0)
    for pair in pairs:
        uid = f"before {began_ns}"
        yield to_row(BlindFact(BEGINNING, uid, pair["client"], pair["server"], until, Reason.STARTED_MIDSTREAM))


def _judged(job: Job, carried: Carried, gone: frozenset[str], blind: pa.Table, shelves: Shelves) -> Made:
    new = NewFacts([], gone)
    if stored_facts(carried) > job.small_bytes:
        return judge_in_spark(job, job.spark.createDataFrame(blind), new, carried, shelves, {})
    return judge_here(job, blind, new, carried, shelves, {})


def _conversations_that_stay(base: Base, carried: Carried, began_ns: int) -> list[tuple[Stored, Keeps]]:
    table = carried.table(CARRIED_CONVERSATIONS).sort_by("key")
    keys = table.column("key").to_numpy()[table.column("last_ts_ns").to_numpy() >= began_ns]
    keeps = OfKeys(keys, np.zeros(len(keys), np.int64))
    return [(file, keeps) for one in _BY_KEY for file in base.state.get(one.name, ())]
