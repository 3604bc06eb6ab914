"""Which facts go when everything before a date does: found out by tasks, since months of facts may be gigabytes.

The driver gets pairs of hosts, and files of lists: which connections go from which file of facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.engine.model import Exchange, packed, parts_for
from pipelines.facts.model import BEGINNING, BlindFact, Moment
from pipelines.facts.reasons import Reason
from pipelines.facts.stored_form import to_row
from pipelines.store.lists import Lists, write_list
from pipelines.store.reading import batches_of, part_of
from schemas.internal import CONNECTIONS, FACTS
from schemas.model import INT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.dataset.carried_state import CarriedState
    from pipelines.engine.model import Engine
    from pipelines.store.files import StoredFile
    from pipelines.store.lists import Listing
    from pipelines.store.places import Places
    from pipelines.store.removal import Held
    from schemas.internal_rows import FactRow

Pair = tuple[str, str]
"""Client and server."""
_HEARD: Final = part_of(FACTS.arrow, ("uid", "client", "server", "ts_ns"))
_ROWS: Final = pa.schema([*_HEARD, pa.field("number", INT)])
_READ_ROWS: Final = 1 << 17
_SMALL_BYTES: Final = 2 * 1024 * 1024
_TASK_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True)
class RetainedFacts:
    """The facts after it."""

    facts: list[Held]
    """Stored ones, with what is left of each."""
    forgotten: frozenset[Pair]
    """Hosts that had connections of which no fact is left."""
    began_ns: int

    @property
    def servers(self) -> frozenset[str]:
        """Judged anew: of each the captures begin later now."""
        return frozenset(server for _, server in self.forgotten)

    def blind(self) -> Iterator[FactRow]:
        """What says that the hosts were not watched before."""
        until = Moment(self.began_ns, -1, 0)
        for client, server in sorted(self.forgotten):
            uid = f"before {self.began_ns}"
            yield to_row(BlindFact(BEGINNING, uid, client, server, until, Reason.STARTED_MIDSTREAM))


@dataclass(frozen=True)
class _Gone:
    listing: Listing
    pairs: set[Pair]


def remembered(engine: Engine, carried: CarriedState, began_ns: int, places: Places) -> RetainedFacts:
    """A connection goes when all that was heard of it lies before, unless it may go on."""
    stored = carried.files.get(FACTS.name, [])
    if not stored:
        return RetainedFacts([], frozenset(), began_ns)
    going_on = carried.table(CONNECTIONS).column("uid").combine_chunks()
    exchange = Exchange(
        packed(list(enumerate(stored)), lambda one: one[1].written.bytes),
        partial(_heard, going_on=going_on),
        _ROWS,
        ("uid",),
        ("number",),
        parts_for(sum(file.written.bytes for file in stored), engine, _SMALL_BYTES, _TASK_BYTES),
        partial(_gone, began_ns=began_ns, places=places),
    )
    found: list[_Gone] = engine.run(exchange)
    lists = Lists.of((one.listing for one in found), places.root)
    facts: list[Held] = [(file, lists.others("uid", number)) for number, file in enumerate(stored)]
    return RetainedFacts(facts, frozenset().union(*(one.pairs for one in found)), began_ns)


def _heard(_: str, files: Sequence[tuple[int, StoredFile]], going_on: pa.Array) -> Iterator[pa.RecordBatch]:
    """When each connection was last heard of, by file and pair of hosts."""
    for number, file in files:
        for batch in batches_of(file, _HEARD, rows=_READ_ROWS):
            rows = pa.Table.from_batches([batch])
            rows = rows.filter(pc.invert(pc.is_in(rows.column("uid"), value_set=going_on)))
            last = rows.group_by(["uid", "client", "server"]).aggregate([("ts_ns", "max")])
            columns = [*last.columns, pa.repeat(pa.scalar(number, INT), len(last))]
            yield from pa.table(columns, schema=_ROWS).to_batches()


def _gone(part: str, batches: Iterator[pa.RecordBatch], began_ns: int, places: Places) -> Iterator[_Gone]:
    pairs: set[Pair] = set()

    def over() -> Iterator[tuple[str, int]]:
        rows: Iterator[dict[str, Any]] = (row for batch in batches for row in batch.to_pylist())
        for uid, heard in groupby(rows, itemgetter("uid")):
            # A connection set aside concerns both directions; it goes when both may.
            of_it = list(heard)
            if all(row["ts_ns"] < began_ns for row in of_it):
                pairs.update((row["client"], row["server"]) for row in of_it)
                yield from ((uid, number) for number in {row["number"] for row in of_it})

    yield _Gone(write_list(f"facts-{part}", over(), places), pairs)
