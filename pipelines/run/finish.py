"""The last job of a run: what must be brought together at the end, files that lose rows, and small files made one."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from ingest.files import join, remove_file
from pipelines.engine.model import Exchange, Receipt, packed
from pipelines.store.merging import Merge, Merged, merge
from pipelines.store.removal import Removed, remove_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.engine.model import Engine
    from pipelines.store.files import Written
    from pipelines.store.places import Places
    from pipelines.store.removal import Removal


_AT_ONCE: Final = 8
"""Files removed: each is a request where they lie in an object store."""


@dataclass(frozen=True)
class Ended:
    written: list[Written] = field(default_factory=list)
    """Files of rows that were brought together."""
    removed: list[Removed] = field(default_factory=list)
    """Files that were to lose rows."""
    merged: list[Merged] = field(default_factory=list)
    """Small files that became one."""


def finish(
    engine: Engine,
    exchanges: Sequence[Exchange],
    to_remove: Sequence[Removal],
    places: Places,
    to_merge: Sequence[Merge] = (),
) -> Ended:
    read = partial(_files, root=places.root, prefix=places.prefix)
    found = Ended()
    for said in engine.run(*exchanges, Exchange(packed([*to_remove, *to_merge], _cost), read)):
        if isinstance(said, Removed):
            found.removed.append(said)
        elif isinstance(said, Merged):
            found.merged.append(said)
        else:
            found.written.append(said)
    # Not before: in the same job others read them.
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(remove_file, (join(places.root, path) for one in found.merged for path in one.gone)))
    return found


def _cost(item: Removal | Merge) -> int:
    return item.cost if isinstance(item, Merge) else item.file.written.bytes


def _files(part: str, items: Sequence[Removal | Merge], root: str, prefix: str) -> Iterator[Receipt]:
    for number, one in enumerate(items):
        name = f"{part}-{number}"
        yield Receipt(
            merge(one, root, prefix, name) if isinstance(one, Merge) else remove_rows(one, root, prefix, name)
        )
