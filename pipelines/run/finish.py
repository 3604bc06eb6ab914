"""The last job of a run: what must be brought together at the end, files that lose rows, and small files made one."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final

from ingest.files import remove_file
from pipelines.engine.model import Exchange, Receipt, packed
from pipelines.messages.exchange import messages_exchange
from pipelines.store.merging import Merge, MergeResult, merge, merges
from pipelines.store.removal import Removal, RemovalResult, remove_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.engine.model import Engine
    from pipelines.run.corrections import Corrections
    from pipelines.store.files import StoredFile, WrittenFile
    from pipelines.store.places import Places
    from pipelines.store.removal import Held


_AT_ONCE: Final = 8
"""Files removed: each is a request where they lie in an object store."""


@dataclass(frozen=True)
class FinishResult:
    """What is there after it."""

    written: list[WrittenFile] = field(default_factory=list)
    """Files of this run."""
    kept: list[StoredFile] = field(default_factory=list)
    """Files of earlier runs, as they are."""
    went: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """Rows that were taken out, as the accounting counts them."""

    def stay(self, files: Iterable[StoredFile], root: str) -> None:
        for file in files:
            if file.root == root:
                self.written.append(file.written)
            else:
                self.kept.append(file)


def end(
    engine: Engine, corrections: Corrections, exchanges: Sequence[Exchange], files: Sequence[Held], places: Places
) -> FinishResult:
    """The same for a run that adds and for one that prunes. `files`: of the state, beside those that are corrected."""
    touched = corrections.touched(engine, places)
    messages = messages_exchange(engine, corrections.message_sources(touched), places)
    return finish(engine, [messages, *exchanges], [*corrections.files(touched), *files], places)


def finish(engine: Engine, exchanges: Sequence[Exchange], files: Sequence[Held], places: Places) -> FinishResult:
    """`files`: of this run and of those before, with what holds of each. Those before are never touched."""
    to_merge = merges(files)
    together = {file.place for one in to_merge for file, _ in one.files}
    apart = [(file, keeps) for file, keeps in files if file.place not in together]
    to_remove = [Removal(file, keeps) for file, keeps in apart if keeps is not None]
    read = partial(_files, root=places.root, prefix=places.prefix)
    found = FinishResult()
    found.stay((file for file, keeps in apart if keeps is None), places.root)
    merged: set[str] = set()
    for said in engine.run(*exchanges, Exchange(packed([*to_remove, *to_merge], _cost), read)):
        if isinstance(said, RemovalResult | MergeResult):
            found.went.update(dict(said.went))
            found.written.extend([said.written] if said.written else ())
        if isinstance(said, MergeResult):
            merged |= said.gone
        elif isinstance(said, RemovalResult):
            found.stay([said.file] if said.kept else (), places.root)
        else:
            found.written.append(said)
    # Not before: in the same job others read them.
    ours = [file.place for file, _ in files if file.root == places.root and file.written.path in merged]
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        list(pool.map(remove_file, ours))
    return found


def _cost(item: Removal | Merge) -> int:
    return item.cost if isinstance(item, Merge) else item.file.written.bytes


def _files(part: str, items: Sequence[Removal | Merge], root: str, prefix: str) -> Iterator[Receipt]:
    for number, one in enumerate(items):
        name = f"{part}-{number}"
        if isinstance(one, Merge):
            yield from map(Receipt, merge(one, root, prefix, name))
        else:
            yield Receipt(remove_rows(one, root, prefix, name))
