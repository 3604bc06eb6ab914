"""How far the reading of captures has come, told by tasks as they finish: for people who wait, and for nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from ingest.splits import size_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ingest.splits import Split
    from pipelines.engine.model import Tally


class MeterReading(NamedTuple):
    captures: int
    """Read to their end."""
    packets: int
    bytes: int


class Meter:
    """A task that is tried again counts again: it says how far, not how much."""

    def __init__(self, tally: Tally, splits: Sequence[Split]) -> None:
        self._sums = tally
        self.splits = Counter(split.file for split in splits)
        self.bytes = sum(map(size_of, splits))

    def note(self, split: Split, packets: int) -> None:
        """In a task, when it has read the split."""
        self._sums.add(Counter({("packets",): packets, ("bytes",): size_of(split), ("split", split.file): 1}))

    def __getstate__(self) -> dict[str, Any]:
        return {"_sums": self._sums, "splits": Counter(), "bytes": 0}

    @property
    def reached(self) -> MeterReading:
        found = self._sums.value
        done = sum(found["split", file] >= splits for file, splits in self.splits.items())
        return MeterReading(done, found["packets",], min(found["bytes",], self.bytes))
