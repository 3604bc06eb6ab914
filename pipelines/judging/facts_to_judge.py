"""Of which servers a run says something new, and the facts that are left of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.facts.versions import known_versions
from pipelines.judging.exchange import FactFile
from pipelines.store.reading import batches_of, part_of
from pipelines.store.removal import NotAmong
from schemas.internal import FACTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipelines.facts.versions import Version
    from pipelines.store.files import Stored
    from schemas.internal_rows import VersionRow

_WHO = part_of(FACTS.arrow, ("server", "client", "uid"))


def changed_hosts(versions: Mapping[str, Version], before: Sequence[VersionRow]) -> frozenset[str]:
    """Hosts of which another version, or none any more, is known now: verdicts may differ wherever they are met."""
    known = known_versions(before)
    return frozenset(host for host in versions.keys() | known.keys() if versions.get(host) != known.get(host))


def touched_servers(earlier: Sequence[Stored], replaced: frozenset[str], hosts: frozenset[str]) -> frozenset[str]:
    """Servers with facts of connections that are void, or of hosts whose version changed."""
    found: set[str] = set()
    if not replaced and not hosts:
        return frozenset()
    for file in earlier:
        for batch in batches_of(file, _WHO):
            server, client, uid = batch.columns
            met = pc.or_(_among(server, hosts), _among(client, hosts))
            found.update(server.filter(pc.or_(_among(uid, replaced), met)).unique().to_pylist())
    return frozenset(found)


def earlier_facts(earlier: Sequence[Stored], replaced: frozenset[str]) -> list[FactFile]:
    keeps = NotAmong("uid", replaced) if replaced else None
    return [FactFile(file, keeps) for file in earlier]


def _among(column: pa.Array, values: Iterable[str]) -> pa.Array:
    return pc.is_in(column, value_set=pa.array(sorted(values), pa.string()))
