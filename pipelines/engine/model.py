"""The one kind of work that engines do: read, bring together, work, and say what was done.

docs/adr/0022 says why there is no other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa

from ingest.splits import SPLIT_BYTES

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Sequence

    from decoders.security.accounts import Secret
    from pipelines.engine.sealed_secrets import Secrets

    Read = Callable[[str, Sequence[Any]], Iterator[pa.RecordBatch | "Receipt"]]
    Work = Callable[[str, Iterator[pa.RecordBatch]], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class Receipt:
    """Something that whoever reads has to say beside its rows; it goes to the caller as it is."""

    said: Any


@dataclass(frozen=True)
class Exchange:
    """Items to rows, rows brought together by some of their columns and sorted, and worked on.

    `read` and `work` are first given the name of their part: no other part, and no other attempt at the same one, has
    it, so files can be named after it. Those of an attempt that failed are named in no receipt.
    """

    tasks: Sequence[Sequence[Any]]
    """Items by task."""
    read: Read
    """Is given all items of a task."""
    schema: pa.Schema = field(default_factory=lambda: pa.schema([]))
    """Of the rows."""
    by: tuple[str, ...] = ()
    """Rows with the same values here meet; none: `read` has only receipts to give."""
    order: tuple[str, ...] = ()
    parts: int = 1
    work: Work | None = None


class Tally(Protocol):
    """A sum that tasks add to while they work: a task that is tried again adds again."""

    def add(self, counts: Counter[Any]) -> None: ...

    @property
    def value(self) -> Counter[Any]: ...


class Engine(Protocol):
    @property
    def parallelism(self) -> int: ...

    def run(self, *exchanges: Exchange) -> list[Any]:
        """What all of them have to say, in one job."""

    def tally(self) -> Tally: ...

    def sealed(self, secrets: Sequence[Secret]) -> Secrets:
        """On their way to whoever does the work."""


def packed(items: Sequence[Any], size: Callable[[Any], int], task_bytes: int = SPLIT_BYTES) -> list[list[Any]]:
    """Neighbours together up to the size of a task: a thousand small files must not cost a thousand tasks."""
    tasks: list[list[Any]] = []
    room = 0
    for item in items:
        if not tasks or size(item) > room:
            tasks.append([])
            room = task_bytes
        tasks[-1].append(item)
        room -= size(item)
    return tasks


def parts_for(size: int, engine: Engine, small_bytes: int, task_bytes: int) -> int:
    """One for what is little, then enough to keep every core busy, then by size."""
    balanced = min(2 * engine.parallelism, -(-size // small_bytes))
    return max(1, balanced, -(-size // task_bytes))
