"""The last job of a run: what must be brought together at the end, and files that lose rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pipelines.engine.model import Exchange, Receipt, packed
from pipelines.store.removal import Removed, removals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.engine.model import Engine
    from pipelines.store.files import Written
    from pipelines.store.places import Places
    from pipelines.store.removal import Removal


@dataclass(frozen=True)
class Ended:
    written: list[Written] = field(default_factory=list)
    """Files of rows that were brought together."""
    removed: list[Removed] = field(default_factory=list)
    """Files that were to lose rows."""


def finish(engine: Engine, exchanges: Sequence[Exchange], to_remove: Sequence[Removal], places: Places) -> Ended:
    read = partial(_removing, root=places.root, prefix=places.prefix)
    removing = Exchange(packed(to_remove, lambda one: one.file.written.bytes), read)
    found = Ended()
    for said in engine.run(*exchanges, removing):
        if isinstance(said, Removed):
            found.removed.append(said)
        else:
            found.written.append(said)
    return found


def _removing(part: str, items: Sequence[Removal], root: str, prefix: str) -> Iterator[Receipt]:
    return map(Receipt, removals(part, items, root, prefix))
