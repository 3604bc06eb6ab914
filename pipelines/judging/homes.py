"""Which addresses are one server of objects: by what object resolvers say of their exporters.

A resolver tells all addresses of its host, those of virtual networks and those behind NAT among them, which may be
somebody else's elsewhere. So an address counts as another's only where that is safe: two resolvers name each other, or
a client was told of an address by one host alone, and that address was never heard to tell of exporters itself.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from decoders.registry import REMOTE_UNKNOWN
from pipelines.facts.stored_form import BLIND, COM, GIVEN, HANDED
from pipelines.store.reading import batches_of, part_of
from pipelines.store.removal import kept_rows
from schemas.tables import ENDPOINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pipelines.store.files import StoredFile
    from pipelines.store.removal import Keeps
    from schemas.internal_rows import FactRow

_COLUMNS: Final = part_of(ENDPOINTS.arrow, ("interface_uuid", "host", "id", "uid"))
_MOVING: Final = frozenset((COM, BLIND, GIVEN, HANDED))
MAX_TOLD: Final = 200_000
"""Of client, resolver and address. A host has a handful of addresses; beyond it each is followed by itself."""


@dataclass(frozen=True)
class Homes:
    """Empty: every address is followed by itself."""

    of_address: Mapping[str, str] = field(default_factory=dict)
    of_client: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By client and address."""

    def __bool__(self) -> bool:
        return bool(self.of_address or self.of_client)

    def of(self, client: str, server: str) -> str:
        """Under which address objects are followed that this client calls at that server."""
        return self.of_client.get((client, server)) or self.of_address.get(server, server)

    @property
    def away(self) -> frozenset[str]:
        """Addresses of which something is followed elsewhere."""
        return frozenset((*self.of_address, *(server for _, server in self.of_client)))

    def with_kin(self, servers: frozenset[str]) -> frozenset[str]:
        """With all that must be judged again when something of these changed."""
        pairs = [*self.of_address.items(), *((server, home) for (_, server), home in self.of_client.items())]
        found, grown = servers, True
        while grown:
            more = {one for pair in pairs for one in pair if not found.isdisjoint(pair)} - found
            found, grown = found | more, bool(more)
        return found

    def brought_home(self, facts: Sequence[FactRow]) -> list[FactRow]:
        """Calls of objects go to the home of their server. What was not seen is told to both."""
        found: list[FactRow] = []
        for row in facts:
            home = self.of(row["client"], row["server"]) if row["kind"] in _MOVING else row["server"]
            if home == row["server"] or row["kind"] == BLIND:
                found.append(row)
            if home != row["server"]:
                found.append({**row, "server": home})
        return found

    def of_batch(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        away = pc.is_in(batch.column("server"), value_set=pa.array(sorted(self.away), pa.string()))
        if not pc.any(away).as_py():
            return batch
        return pa.RecordBatch.from_pylist(self.brought_home(batch.to_pylist()), schema=batch.schema)


NO_HOMES: Final = Homes()


def known_homes(files: Iterable[tuple[StoredFile, Keeps | None]]) -> Homes:
    """Of files of `endpoints`, with what of their rows holds."""
    return homes_of(one for file, keeps in files for one in _told(file, keeps))


def _told(file: StoredFile, keeps: Keeps | None) -> Iterator[tuple[str, str, str]]:
    for batch in batches_of(file, _COLUMNS):
        rows = kept_rows(batch, keeps)
        rows = rows.filter(pc.equal(rows.column("interface_uuid"), REMOTE_UNKNOWN))
        ends, hosts = rows.column("id"), rows.column("host")
        table = pa.table({"c": pc.struct_field(ends, "orig_h"), "r": pc.struct_field(ends, "resp_h"), "h": hosts})
        for row in table.group_by(["c", "r", "h"]).aggregate([]).to_pylist():
            yield row["c"], row["r"], row["h"]


def homes_of(told: Iterable[tuple[str, str, str]]) -> Homes:
    """`told`: client, resolver, and an address that the resolver told the client."""
    known: set[tuple[str, str, str]] = set()
    for one in told:
        known.add(one)
        if len(known) > MAX_TOLD:
            return NO_HOMES
    says: dict[str, set[str]] = defaultdict(set)
    heard: dict[tuple[str, str], set[str]] = defaultdict(set)
    for client, resolver, address in known:
        says[resolver].add(address)
        if address != resolver:
            heard[client, address].add(resolver)
    roots = _roots(says)
    silent = {pair: {roots[one] for one in by} for pair, by in heard.items() if pair[1] not in says}
    return Homes(
        {address: root for address, root in roots.items() if address != root},
        {pair: next(iter(found)) for pair, found in silent.items() if len(found) == 1},
    )


def _roots(says: Mapping[str, set[str]]) -> dict[str, str]:
    """Of each resolver, the first address of all that name each other."""
    roots: dict[str, str] = {}
    for one in sorted(says):
        group, to_see = {one}, [one]
        while one not in roots and to_see:
            current = to_see.pop()
            kin = {other for other in says[current] if current in says.get(other, ())} - group
            group |= kin
            to_see += kin
        for member in group:
            roots.setdefault(member, one)
    return roots
