"""Retention: everything before a date goes, and what is left is judged as if the captures had begun there."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pipelines.captures.inventory import in_order
from pipelines.dataset.carried import Carried
from pipelines.facts.model import BEGINNING, BlindFact, Moment
from pipelines.facts.reasons import Reason
from pipelines.facts.stored_form import to_row
from pipelines.facts.versions import known_versions
from pipelines.judging.exchange import FactFile, judge
from pipelines.judging.facts_to_judge import earlier_facts, touched_servers
from pipelines.messages.exchange import messages_exchange
from pipelines.run.corrections import Corrections, Void
from pipelines.run.finish import finish
from pipelines.run.job import Finished, with_empty_tables
from pipelines.store.files import Stored
from pipelines.store.places import Places
from pipelines.store.reading import part_of, read_table
from pipelines.store.removal import OfKeys, Removal
from pipelines.store.writing import write_rows
from schemas.internal import CONNECTIONS, FACTS, SEGMENTS
from schemas.state import CARRIED_CONVERSATIONS, CARRIED_STREAMS, SUMMARIES
from schemas.tables import ACCOUNTING, CAPTURES, OVERALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.run.job import Job
    from pipelines.store.base import Base
    from schemas.internal_rows import FactRow

Row = dict[str, Any]
_DATE: Final = "date="
_BY_KEY: Final = (CARRIED_CONVERSATIONS, CONNECTIONS, CARRIED_STREAMS, SEGMENTS)


def prune(job: Job, base: Base, before: dt.date) -> Finished:
    """Write what differs below the job's folder."""
    carried = Carried(base.state)
    carried = carried.placed(in_order((), {}, carried.known)[1])
    since = before.isoformat()
    places = Places(job.root, dated=True, prefix=base.prefix, since=since)
    began_ns = int(dt.datetime(before.year, before.month, before.day, tzinfo=dt.UTC).timestamp()) * 1_000_000_000
    gone, blind = _facts_that_go(carried, began_ns)
    new = write_rows(places.state(FACTS), _numbered(blind, carried)) if len(blind) else []
    stored = base.state.get(FACTS.name, [])
    servers = touched_servers(stored, gone, frozenset()) | frozenset(blind.column("server").to_pylist())
    facts = [*(FactFile(Stored(job.root, one)) for one in new), *earlier_facts(stored, gone)]
    versions = known_versions(carried.versions)
    judged = judge(job.engine, facts, versions, job.settings, places, carried.ordinals, servers)
    old = {file.written.path for files in base.tables.values() for file in files if _date_of(file) < since}
    corrections = Corrections(
        base, Void(facts=gone, servers=servers, files=frozenset(old)), judged.written, (), job.root
    )
    removals = [*corrections.removals, *_conversations_that_stay(base, carried, began_ns)]
    ended = finish(job.engine, [messages_exchange(job.engine, corrections.message_sources, places)], removals, places)
    left = corrections.sort(ended.removed)
    summaries = judged.summaries.with_earlier(carried.summaries, servers)
    written = [*new, *judged.written, *ended.written, *left.written]
    for place, table, rows in (
        *((places.table(table), table, rows) for table, rows in summaries.overall()),
        *((places.state(table), table, rows) for table, rows in summaries.by_table.items()),
    ):
        written += write_rows(place, pa.Table.from_pylist(rows, schema=table.arrow))
    untouched = [file for table in (CAPTURES, ACCOUNTING) for file in base.tables.get(table.name, ())]
    kept = [*left.kept, *(file for file in untouched if file.written.path not in old)]
    again = {table.name for table in (*OVERALL, *SUMMARIES, FACTS, *_BY_KEY)}
    kept += [file for name, files in base.state.items() for file in files if name not in again]
    written, kept, row_counts = with_empty_tables(places, written, kept)
    return Finished([], row_counts, [], summaries.tally, written, kept, carried.summaries.tally)


def _numbered(rows: pa.Table, carried: Carried) -> pa.Table:
    numbers = carried.ordinals.reversed()
    return pa.Table.from_batches([numbers.batch(batch, FACTS) for batch in rows.to_batches()], FACTS.arrow)


def _date_of(file: Stored) -> str:
    """The date of its partition; after all others where there is none."""
    parts = [part for part in file.written.path.split("/") if part.startswith(_DATE)]
    return parts[0].removeprefix(_DATE) if parts else "~"


def _facts_that_go(carried: Carried, began_ns: int) -> tuple[frozenset[str], pa.Table]:
    """Connections of which no fact is left, and what says that their hosts were not watched before."""
    latest = _latest_facts(carried)
    going_on = carried.table(CONNECTIONS).column("uid")
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
    schema = part_of(FACTS.arrow, names)
    found = pa.table({name: pa.array([], schema.field(name).type) for name in names})
    for file in carried.files.get(FACTS.name, ()):
        both = pa.concat_tables([found, read_table([file], schema).select(names)])
        found = both.group_by(list(names[:3])).aggregate([("ts_ns", "max")]).rename_columns({"ts_ns_max": "ts_ns"})
        found = found.select(names)
    return found


def _blind(pairs: list[Row], began_ns: int) -> Iterator[FactRow]:
    until = Moment(began_ns, -1, 0)
    for pair in pairs:
        uid = f"before {began_ns}"
        yield to_row(BlindFact(BEGINNING, uid, pair["client"], pair["server"], until, Reason.STARTED_MIDSTREAM))


def _conversations_that_stay(base: Base, carried: Carried, began_ns: int) -> list[Removal]:
    table = carried.table(CARRIED_CONVERSATIONS).sort_by("key")
    keys = table.column("key").to_numpy()[table.column("last_ts_ns").to_numpy() >= began_ns]
    keeps = OfKeys(keys, np.zeros(len(keys), np.int64))
    return [Removal(file, keeps) for one in _BY_KEY for file in base.state.get(one.name, ())]
