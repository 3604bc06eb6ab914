"""Retention: everything before a date goes, and what is left is judged as if the captures had begun there."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from pipelines.captures.inventory import in_order
from pipelines.dataset.carried_state import CarriedState
from pipelines.dataset.retention import remembered
from pipelines.facts.versions import known_versions
from pipelines.judging.exchange import judge
from pipelines.judging.homes import known_homes
from pipelines.judging.hops import known_hops, object_servers
from pipelines.judging.makers import calls_of, changed_makers, known_makers
from pipelines.run.corrections import Corrections, Void
from pipelines.run.finish import end
from pipelines.run.job import RunTotals, with_empty_tables
from pipelines.store.files import StoredFile
from pipelines.store.places import Places
from pipelines.store.removal import OfKeys
from pipelines.store.writing import write_rows
from schemas.internal import CONNECTIONS, FACTS, SEGMENTS
from schemas.state import CARRIED_CONVERSATIONS, CARRIED_STREAMS, SUMMARIES
from schemas.tables import ACCOUNTING, ENDPOINTS

if TYPE_CHECKING:
    from pipelines.dataset.retention import RetainedFacts
    from pipelines.run.job import Job
    from pipelines.store.base import Base
    from pipelines.store.files import WrittenFile
    from pipelines.store.removal import Held

_DATE: Final = "date="
_BY_KEY: Final = (CARRIED_CONVERSATIONS, CONNECTIONS, CARRIED_STREAMS, SEGMENTS)


def prune(job: Job, base: Base, before: dt.date) -> RunTotals:
    """Write what differs below the job's folder."""
    carried = CarriedState(base.state)
    carried = carried.placed(in_order((), {}, carried.known)[1])
    since = before.isoformat()
    places = Places(job.root, dated=True, prefix=base.prefix, since=since)
    began_ns = int(dt.datetime(before.year, before.month, before.day, tzinfo=dt.UTC).timestamp()) * 1_000_000_000
    job.say("looking for what goes")
    left = remembered(job.engine, carried, began_ns, places)
    new: list[Held] = [(StoredFile(job.root, one), None) for one in _blind(left, carried, places)]
    announced: list[Held] = [(file, None) for file in base.tables.get(ENDPOINTS.name, ())]
    staying = [one for one in announced if _date_of(one[0]) >= since]
    homes, makers = known_homes(staying), known_makers(staying)
    servers = left.servers | changed_makers(known_makers(announced), makers)
    versions, facts, firsts = known_versions(carried.versions), [*new, *left.facts], calls_of(makers)
    hops = known_hops(job.engine, facts, object_servers(staying))
    servers = hops.with_targets(homes.with_kin(known_homes(announced).with_kin(servers)))
    job.say("judging")
    judged = judge(job.engine, facts, versions, job.settings, places, carried.ordinals, servers, homes, firsts, hops)
    job.say("writing tables")
    old = {file.written.path for files in base.tables.values() for file in files if _date_of(file) < since}
    void = Void(servers=servers, files=frozenset(old))
    corrections = Corrections(base, void, left.facts, judged.written, root=job.root)
    accounting = [file for file in base.tables.get(ACCOUNTING.name, ()) if file.written.path not in old]
    files = [*new, *_conversations_that_stay(base, carried, began_ns), *((file, None) for file in accounting)]
    ended = end(job.engine, corrections, (), files, places)
    summaries = judged.summaries.with_earlier(carried.summaries, servers)
    written = list(ended.written)
    for place, table, rows in (
        *((places.table(table), table, rows) for table, rows in summaries.overall()),
        *((places.state(table), table, rows) for table, rows in summaries.by_table.items()),
    ):
        written += write_rows(place, pa.Table.from_pylist(rows, schema=table.arrow))
    again = {table.name for table in (*SUMMARIES, FACTS, *_BY_KEY)}
    kept = [*ended.kept, *(file for name, files in base.state.items() for file in files if name not in again)]
    written, kept, row_counts = with_empty_tables(places, written, kept)
    return RunTotals([], row_counts, [], summaries.tally, written, kept, carried.summaries.tally)


def _blind(left: RetainedFacts, carried: CarriedState, places: Places) -> list[WrittenFile]:
    rows = pa.Table.from_pylist(list(left.blind()), schema=FACTS.arrow)
    if not len(rows):
        return []
    numbers = carried.ordinals.reversed()
    stored = pa.Table.from_batches([numbers.batch(batch, FACTS) for batch in rows.to_batches()], FACTS.arrow)
    return write_rows(places.state(FACTS), stored)


def _date_of(file: StoredFile) -> str:
    """The date of its partition; after all others where there is none."""
    parts = [part for part in file.written.path.split("/") if part.startswith(_DATE)]
    return parts[0].removeprefix(_DATE) if parts else "~"


def _conversations_that_stay(base: Base, carried: CarriedState, began_ns: int) -> list[Held]:
    table = carried.table(CARRIED_CONVERSATIONS).sort_by("key")
    keys = table.column("key").to_numpy()[table.column("last_ts_ns").to_numpy() >= began_ns]
    keeps = OfKeys(keys, np.zeros(len(keys), np.int64))
    return [(file, keeps) for one in _BY_KEY for file in base.state.get(one.name, ())]
