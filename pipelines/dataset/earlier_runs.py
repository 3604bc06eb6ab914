"""Conversations of earlier runs, as a run that goes on with them needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pyarrow as pa

from ingest.segments import contains
from pipelines.store.reading import batches_of, part_of
from schemas.internal import CONNECTIONS, SEGMENTS
from schemas.state import CARRIED_CONVERSATIONS, CARRIED_STREAMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.captures.selection import Keys
    from pipelines.dataset.carried_state import CarriedState
    from pipelines.store.files import StoredFile


@dataclass(frozen=True)
class EarlierRuns:
    carried: CarriedState

    @cached_property
    def streamed(self) -> Keys:
        return self.carried.streamed

    @cached_property
    def undecided(self) -> Keys:
        return self.carried.undecided

    @cached_property
    def hollow(self) -> Keys:
        return self.carried.hollow

    @property
    def unspoken(self) -> list[pa.RecordBatch]:
        """What is known of conversations that showed next to nothing."""
        batches: list[pa.RecordBatch] = self.carried.table(CARRIED_CONVERSATIONS).to_batches()
        return batches

    def reaching(self, ends: list[int]) -> Keys:
        return self.carried.reaching(ends)

    @property
    def segments(self) -> list[StoredFile]:
        return list(self.carried.files.get(SEGMENTS.name, ()))

    @cached_property
    def streams(self) -> pa.Table:
        return self.carried.table(CARRIED_STREAMS)

    def connections(self, names: Sequence[str] = CONNECTIONS.names) -> Iterator[pa.RecordBatch]:
        """Those that may go on, with these columns."""
        schema = part_of(CONNECTIONS.arrow, names)
        for file in self.carried.files.get(CONNECTIONS.name, ()):
            for batch in batches_of(file, schema):
                yield self.carried.ordinals.batch(batch, CONNECTIONS) if "counts" in names else batch

    def of_keys(self, keys: Keys) -> Iterator[pa.RecordBatch]:
        for batch in self.connections():
            yield batch.filter(pa.array(contains(keys, batch.column("key").to_numpy())))
