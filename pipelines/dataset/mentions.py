"""Of which servers the facts of earlier runs speak: found out by tasks, beside the first job that decodes.

The driver holds pairs of hosts, and the connections that may go on; facts themselves it never reads.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.engine.model import Exchange, Receipt, packed
from pipelines.facts.stored_form import BLIND
from pipelines.store.reading import batches_of, part_of
from schemas.internal import FACTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from pipelines.dataset.earlier_runs import EarlierRuns
    from pipelines.store.files import StoredFile

_WHO: Final = part_of(FACTS.arrow, ("server", "client", "uid", "kind"))
_HOSTS: Final = ("client", "server")
_CONNECTIONS: Final = ("uid", "server")


def _no_rows(names: tuple[str, ...]) -> pa.Table:
    return part_of(FACTS.arrow, names).empty_table()


@dataclass(frozen=True)
class Mentions:
    hosts: pa.Table = field(default_factory=lambda: _no_rows(_HOSTS))
    """Clients and servers that have a fact together."""
    connections: pa.Table = field(default_factory=lambda: _no_rows(_CONNECTIONS))
    """Of those that may go on, with the servers of their facts."""
    called: frozenset[str] = frozenset()
    """Servers of which there is more than what was not seen."""

    @classmethod
    def together(cls, parts: Iterable[Mentions]) -> Mentions:
        found = list(parts)
        return cls(
            _distinct([cls().hosts, *(one.hosts for one in found)]),
            _distinct([cls().connections, *(one.connections for one in found)]),
            frozenset().union(*(one.called for one in found)),
        )

    def touched(self, replaced: Collection[str], hosts: Collection[str]) -> frozenset[str]:
        """Servers with facts of connections that are void, or of hosts whose version changed."""
        client, server = self.hosts.columns
        met = self.hosts.filter(pc.or_(_among(client, hosts), _among(server, hosts)))
        void = self.connections.filter(_among(self.connections.column("uid"), replaced))
        return frozenset((*met.column("server").to_pylist(), *void.column("server").to_pylist()))


def mentions_exchange(earlier: EarlierRuns) -> Exchange:
    uids = pa.concat_arrays(
        [pa.array([], pa.string()), *(batch.column("uid") for batch in earlier.connections(("uid",)))]
    )
    tasks = packed(earlier.carried.files.get(FACTS.name, ()), lambda file: file.written.bytes)
    return Exchange(tasks, partial(_mentions, uids=uids))


def _mentions(_: str, files: Sequence[StoredFile], uids: pa.Array) -> Iterator[Receipt]:
    found = Mentions()
    for batch in (batch for file in files for batch in batches_of(file, _WHO, rows=1 << 17)):
        rows = pa.Table.from_batches([batch])
        carried = rows.filter(pc.is_in(rows.column("uid"), value_set=uids))
        said = rows.filter(pc.not_equal(rows.column("kind"), BLIND))
        called = frozenset(said.column("server").unique().to_pylist())
        found = Mentions.together([found, Mentions(rows.select(_HOSTS), carried.select(_CONNECTIONS), called)])
    yield Receipt(found)


def _distinct(parts: list[pa.Table]) -> pa.Table:
    rows = pa.concat_tables(parts)
    return rows.group_by(rows.column_names).aggregate([]).select(rows.column_names)


def _among(column: pa.ChunkedArray, values: Collection[str]) -> pa.ChunkedArray:
    return pc.is_in(column, value_set=pa.array(sorted(values), pa.string()))
