"""Who made the first object of one of MSMQ's classes: hosts, over all servers and all that a dataset holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

from decoders.dcerpc.well_known import MSMQ_COM
from pipelines.store.reading import batches_of, part_of
from pipelines.store.removal import kept_rows
from schemas.tables import ENDPOINTS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pipelines.store.files import StoredFile
    from pipelines.store.removal import Keeps

_COLUMNS: Final = part_of(ENDPOINTS.arrow, ("interface_uuid", "id", "uid", "ts_ns", "call_uid"))
_ACTIVATED: Final = pa.array(sorted(MSMQ_COM), pa.string())
MAX_MAKERS: Final = 200_000
"""Of a client that is not kept in mind nothing is said."""


class Activated(NamedTuple):
    """Sorts by time."""

    ts_ns: int
    call_uid: str
    server: str


Makers: TypeAlias = "Mapping[str, Activated]"
"""By client, its first."""


def known_makers(files: Iterable[tuple[StoredFile, Keeps | None]]) -> Makers:
    """Of files of `endpoints`, with what of their rows holds: activations tell where their exporters are."""
    return first_of_each(one for file, keeps in files for one in _activations(file, keeps))


def first_of_each(activations: Iterable[tuple[str, Activated]]) -> Makers:
    found: dict[str, Activated] = {}
    for client, one in activations:
        if client in found or len(found) < MAX_MAKERS:
            found[client] = min(one, found.get(client, one))
    return found


def calls_of(makers: Makers) -> dict[str, str]:
    """`call_uid` by client."""
    return {client: one.call_uid for client, one in makers.items()}


def changed_makers(before: Makers, now: Makers) -> frozenset[str]:
    """Servers at which another activation than before is the first of a client, or is no longer."""
    differ = {client for client in before.keys() | now.keys() if before.get(client) != now.get(client)}
    return frozenset(one.server for client in differ for made in (before, now) if (one := made.get(client)) is not None)


def _activations(file: StoredFile, keeps: Keeps | None) -> Iterator[tuple[str, Activated]]:
    for batch in batches_of(file, _COLUMNS):
        rows = kept_rows(batch, keeps)
        for row in rows.filter(pc.is_in(rows.column("interface_uuid"), value_set=_ACTIVATED)).to_pylist():
            if row["ts_ns"] is not None:
                yield row["id"]["orig_h"], Activated(row["ts_ns"], row["call_uid"], row["id"]["resp_h"])
