"""Rows of connections, written apart by how their reading stands: what holds whatever is learned, and what may change.

docs/adr/0022 says why.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.calls.connection import Finality

if TYPE_CHECKING:
    from collections.abc import Collection

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
        for table, batches in held.items():
            rows = pa.Table.from_batches(batches)
            for uids, take in ((waiting, self._wait), (unsettled, self._unsettled.add)):
                if uids and len(rows):
                    found = _among(rows, uids)
                    for batch in rows.filter(found).to_batches():
                        take(table, batch)
                    rows = rows.filter(pc.invert(found))
            for batch in rows.to_batches():
                self._settled.add(table, batch)

    def _wait(self, table: str, batch: pa.RecordBatch) -> None:
        # They do not count again: what waits is bounded by SETTLING_BYTES a connection.
        self._held.setdefault(table, []).append(batch)


def _among(rows: pa.Table, uids: Collection[str]) -> Any:  # noqa: ANN401 - a mask of pyarrow's
    return pc.is_in(rows.column("uid"), value_set=pa.array(sorted(uids), pa.string()))
