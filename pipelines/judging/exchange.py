"""Sessions and rules, one job: facts are brought together by server, sorted by time, and streamed through once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.engine.model import Exchange, packed, parts_for
from pipelines.judging.homes import NO_HOMES
from pipelines.judging.hops import NO_HOPS
from pipelines.judging.servers import ORDER, judged
from pipelines.judging.summaries import Summaries
from pipelines.store.reading import batches_of
from pipelines.store.removal import kept_rows
from pipelines.store.tables_writer import TablesWriter
from schemas.internal import FACTS
from schemas.tables import JUDGED, SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pipelines.engine.model import Engine
    from pipelines.facts.versions import Version
    from pipelines.judging.homes import Homes
    from pipelines.judging.hops import Hops
    from pipelines.store.files import WrittenFile
    from pipelines.store.places import Place, Places
    from pipelines.store.removal import Held
    from pipelines.store.renumbering import Renumbering
    from schemas.internal_rows import FactRow

_DENSITY: Final = 8
"""Facts shrink so much in a file."""
_SMALL_BYTES: Final = 2 * 1024 * 1024
_TASK_BYTES: Final = 64 * 1024 * 1024
_SCHEMAS: Final = {table.name: table.arrow for table in (*JUDGED, SIGHTINGS)}
"""Of messages, what objects tell of them: the others are sighted where they are decoded."""


@dataclass(frozen=True)
class Judged:
    written: list[WrittenFile]
    summaries: Summaries
    """Of the servers that were judged."""


def judge(
    engine: Engine,
    files: Sequence[Held],
    versions: Mapping[str, Version],
    settings: Mapping[str, int],
    places: Places,
    to_ordinals: Renumbering | None = None,
    servers: frozenset[str] | None = None,
    homes: Homes = NO_HOMES,
    first_made: Mapping[str, str] = MappingProxyType({}),
    hops: Hops = NO_HOPS,
) -> Judged:
    """`servers`: of these only; None: of all."""
    size = sum(file.written.bytes for file, _ in files) * _DENSITY
    read = partial(_facts, to_ordinals=to_ordinals, servers=servers, homes=homes, hops=hops)
    tables = {table.name: places.table(table) for table in (*JUDGED, SIGHTINGS)}
    work = partial(_judged, places=tables, versions=versions, settings=settings, first_made=dict(first_made))
    parts = parts_for(size, engine, _SMALL_BYTES, _TASK_BYTES)
    tasks = packed(files, lambda one: one[0].written.bytes)
    found = Judged([], Summaries())
    if not tasks:
        return found
    for one in engine.run(Exchange(tasks, read, FACTS.arrow, ("server",), ORDER, parts, work)):
        found.written.extend(one.written)
        found.summaries.add(one.summaries)
    return found


def _facts(
    _: str,
    files: Sequence[Held],
    to_ordinals: Renumbering | None,
    servers: frozenset[str] | None,
    homes: Homes,
    hops: Hops,
) -> Iterator[pa.RecordBatch]:
    wanted = None if servers is None else pa.array(sorted(servers), pa.string())
    for file, keeps in files:
        for batch in batches_of(file, FACTS.arrow):
            rows = kept_rows(batch, keeps)
            if homes:
                rows = homes.of_batch(rows)
            for told in (rows, hops.of_batch(rows)) if hops else (rows,):
                kept = told
                if wanted is not None:
                    kept = told.filter(pc.is_in(told.column("server"), value_set=wanted))
                yield to_ordinals.batch(kept, FACTS) if to_ordinals else kept


def _judged(
    part: str,
    batches: Iterator[pa.RecordBatch],
    places: Mapping[str, Place],
    versions: Mapping[str, Version],
    settings: Mapping[str, int],
    first_made: Mapping[str, str],
) -> Iterator[Judged]:
    summaries = Summaries()
    rows: Iterator[FactRow] = (row for batch in batches for row in batch.to_pylist())
    with TablesWriter(places, _SCHEMAS, part) as writer:
        for name, row in judged(rows, versions, settings, summaries, first_made):
            writer.add_row(name, row)
        written = writer.close()
    yield Judged(written, summaries)
