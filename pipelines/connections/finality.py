"""Rows of connections, written apart by how their reading stands: what holds whatever is learned, and what may change.

docs/adr/0022 says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.calls.connection import Finality

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pipelines.connections.decoding import Decoding
    from pipelines.store.tables_writer import TablesWriter

SORTED_BYTES: Final = 16 * 1024 * 1024
"""Arrow bytes of rows that are sorted out together."""


class ByFinality:
    """Rows of connections that are under way and may yet turn out either way wait."""

    def __init__(self, decoding: Decoding, settled: TablesWriter, unsettled: TablesWriter) -> None:
        self._decoding, self._settled, self._unsettled = decoding, settled, unsettled
        self._held: dict[str, list[pa.RecordBatch]] = {}
        self._bytes = 0

    def add(self, table: str, batch: pa.RecordBatch) -> bool:
        """True: it is time to sort out, when all rows that were made have been added."""
        self._held.setdefault(table, []).append(batch)
        self._bytes += batch.get_total_buffer_size()
        return self._bytes >= SORTED_BYTES

    def sort_out(self) -> None:
        """Rows that are made later, of connections that are over, find them still among the unsettled."""
        assembler = self._decoding.assembler
        waiting: set[str] = set()
        unsettled = set(assembler.unsettled)
        for uid, standing in assembler.under_way():
            if standing is Finality.OPEN:
                waiting.add(uid)
            elif standing is Finality.UNSETTLED:
                unsettled.add(uid)
        held, self._held, self._bytes = self._held, {}, 0
        for uids, take in ((waiting, self._wait), (unsettled, self._unsettled.add)):
            if uids:
                those = pa.array(sorted(uids), pa.string())
                held = {table: [*_without(table, batches, those, take)] for table, batches in held.items()}
        for table, batches in held.items():
            for batch in batches:
                self._settled.add(table, batch)

    def _wait(self, table: str, batch: pa.RecordBatch) -> None:
        # They do not count again: what waits is bounded by SETTLING_BYTES a connection.
        self._held.setdefault(table, []).append(batch)


def _without(
    table: str, batches: Iterable[pa.RecordBatch], uids: pa.Array, take: Callable[[str, pa.RecordBatch], None]
) -> Iterator[pa.RecordBatch]:
    """Rows of other connections; `take` is given those of these. Most batches have none, and stay as they are."""
    for batch in batches:
        found = pc.is_in(batch.column("uid"), value_set=uids)
        if found.true_count:
            take(table, batch.filter(found))
            batch = batch.filter(pc.invert(found))
        if len(batch):
            yield batch
