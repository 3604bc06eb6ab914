"""Which servers of MSMQ's objects call other servers: what they do there may be on behalf of their clients.

Facts are judged server by server. Those of calls to objects, and of what was not seen beside them, are told to each
server that the objects' host calls as well, so that a call there finds who asked for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from decoders.dcerpc.well_known import MSMQ_COM
from pipelines.engine.model import Exchange, Receipt, packed
from pipelines.facts.stored_form import BEHIND, BEHIND_BLIND, BLIND, COM
from pipelines.store.reading import batches_of, part_of
from pipelines.store.removal import kept_rows
from schemas.internal import FACTS
from schemas.tables import ENDPOINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pipelines.engine.model import Engine
    from pipelines.store.files import StoredFile
    from pipelines.store.removal import Held, Keeps
    from schemas.internal_rows import FactRow

_ANNOUNCED: Final = part_of(ENDPOINTS.arrow, ("interface_uuid", "id", "uid"))
_WHO: Final = part_of(FACTS.arrow, ("server", "client", "kind", "uid"))
_ACTIVATED: Final = pa.array(sorted(MSMQ_COM), pa.string())
_CALL: Final = "call"
_KINDS: Final = {COM: BEHIND, BLIND: BEHIND_BLIND}
MAX_HOPS: Final = 4_096
"""Pairs of hosts. A server of objects administers a handful of others; with more nobody is told for whom."""


@dataclass(frozen=True)
class Hops:
    to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By server of objects, the servers that it calls."""

    def __bool__(self) -> bool:
        return bool(self.to)

    def with_targets(self, servers: frozenset[str]) -> frozenset[str]:
        """With all that must be judged again when something of these changed."""
        return servers.union(*(self.to.get(one, ()) for one in servers))

    def copies(self, rows: Iterable[FactRow]) -> Iterator[FactRow]:
        for row in rows:
            kind = _KINDS.get(row["kind"])
            for target in self.to.get(row["server"], ()) if kind else ():
                yield {**row, "kind": kind or "", "server": target}

    def of_batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        of_these = pc.is_in(batch.column("server"), value_set=pa.array(sorted(self.to), pa.string()))
        told = pc.is_in(batch.column("kind"), value_set=pa.array(sorted(_KINDS), pa.string()))
        rows = batch.filter(pc.and_(of_these, told)).to_pylist()
        return pa.RecordBatch.from_pylist(list(self.copies(rows)), schema=batch.schema)


NO_HOPS: Final = Hops()


def hops_of(pairs: Iterable[tuple[str, str]]) -> Hops:
    """`pairs`: a server of objects, and one that it calls."""
    found: dict[str, set[str]] = {}
    for server, target in pairs:
        if server != target:
            found.setdefault(server, set()).add(target)
    if sum(map(len, found.values())) > MAX_HOPS:
        return NO_HOPS
    return Hops({server: tuple(sorted(targets)) for server, targets in sorted(found.items())})


def object_servers(files: Iterable[tuple[StoredFile, Keeps | None]]) -> frozenset[str]:
    """Hosts that answered an activation of one of MSMQ's classes, of files of `endpoints`."""
    found: set[str] = set()
    for file, keeps in files:
        for batch in batches_of(file, _ANNOUNCED):
            rows = kept_rows(batch, keeps)
            rows = rows.filter(pc.is_in(rows.column("interface_uuid"), value_set=_ACTIVATED))
            found.update(pc.struct_field(rows.column("id"), "resp_h").to_pylist())
    return frozenset(found)


def known_hops(engine: Engine, files: Sequence[Held], servers: frozenset[str]) -> Hops:
    """Of files of facts, which tasks read; where there are no servers of objects none is read."""
    if not servers:
        return NO_HOPS
    tasks = packed(files, lambda one: one[0].written.bytes)
    exchange = Exchange(tasks, partial(_pairs, servers=pa.array(sorted(servers), pa.string())))
    return hops_of(pair for pairs in engine.run(exchange) for pair in pairs)


def _pairs(_: str, files: Sequence[Held], servers: pa.Array) -> Iterator[Receipt]:
    found: set[tuple[str, str]] = set()
    for file, keeps in files:
        for batch in batches_of(file, _WHO):
            rows = kept_rows(batch, keeps)
            calls = pc.and_(pc.equal(rows.column("kind"), _CALL), pc.is_in(rows.column("client"), value_set=servers))
            both = pa.table({name: rows.filter(calls).column(name) for name in ("client", "server")})
            for row in both.group_by(["client", "server"]).aggregate([]).to_pylist():
                found.add((row["client"], row["server"]))
    yield Receipt(sorted(found))
