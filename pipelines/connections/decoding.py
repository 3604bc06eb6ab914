"""Sorted segments to batches of tables: flows, PDUs, calls, typed values, facts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from decoders.tcp.model import Segment, Side
from pipelines.calls.batches import CallBatches
from pipelines.calls.connection import ExchangedCalls, PlacedCall
from pipelines.calls.plain_pdus import PlainPdus
from pipelines.connections.segment_runs import SegmentRow
from schemas.internal import ASIDES, FACTS, STREAM_FLOWS
from schemas.tables.issues import ISSUES
from schemas.tables.pdus import PDUS
from schemas.tables.principals import PRINCIPALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from pipelines.connections.assembler import Assembler
    from schemas.internal_rows import AnnouncedRow, VersionRow
    from schemas.model import AnyRow

Batch = tuple[str, pa.RecordBatch]
BATCH_ROWS: Final = 1_024
_LAST_OF_CONNECTION: Final = (STREAM_FLOWS.name, ASIDES.name)
_TABLES: Final = {table.name: table for table in (STREAM_FLOWS, ASIDES, ISSUES, PDUS, PRINCIPALS, FACTS)}


class Decoding:
    """One pass over segments sorted by (key, time, capture, frame)."""

    def __init__(self, assembler: Assembler, *, keep_payload: bool) -> None:
        self.assembler = assembler
        self._calls = CallBatches(assembler, assembler.choice, keep_payload=keep_payload)
        self._held: dict[str, list[AnyRow]] = {name: [] for name in _TABLES}
        self._plain = PlainPdus(assembler)

    def run(self, rows: Iterable[SegmentRow]) -> Iterator[Batch]:
        """(table, rows of it)."""
        for name, row in self.assembler.run(rows):
            if isinstance(row, PlacedCall):
                yield from self._calls.add(row)
                continue
            if isinstance(row, ExchangedCalls):
                self._plain.add(row.exchanges, row.place)
                for call in row.calls:
                    yield from self._calls.add(call)
                if len(self._plain) >= BATCH_ROWS:
                    yield PDUS.name, self._plain.batch()
                continue
            self._held[name].append(row)
            if name in _LAST_OF_CONNECTION:
                self._calls.end_of_connection()
            if len(self._held[name]) >= BATCH_ROWS:
                yield self._batch(name)
        yield from self.flush()

    def flush(self) -> Iterator[Batch]:
        """All that was found so far."""
        yield from self._calls.flush()
        for name, held in self._held.items():
            if held:
                yield self._batch(name)
        if self._plain:
            yield PDUS.name, self._plain.batch()

    @property
    def announced(self) -> list[AnnouncedRow]:
        return self._calls.announced.rows()

    @property
    def versions(self) -> list[VersionRow]:
        return self._calls.versions.rows()

    def _batch(self, name: str) -> Batch:
        rows, self._held[name] = self._held[name], []
        return name, pa.RecordBatch.from_pylist(rows, schema=_TABLES[name].arrow)


def segment_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[SegmentRow]:
    """No line of Python runs for a row: there is one a packet."""
    for batch in batches:
        keys, low_h, low_p, high_h, high_p, from_low, *values = (batch.column(name).to_pylist() for name in _ORDER)
        senders = map(_SENDERS.__getitem__, from_low)
        segments = map(_segment, zip(senders, *values, strict=True))
        lows, highs = zip(low_h, low_p, strict=True), zip(high_h, high_p, strict=True)
        yield from map(_row, zip(keys, lows, highs, segments, strict=True))


_SENDERS: Final = (Side.HIGH, Side.LOW)
"""By `from_low`."""
# As their `_make`, which is written in Python.
_segment: Final[Callable[[tuple[Any, ...]], Segment]] = partial(tuple.__new__, Segment)
_row: Final[Callable[[tuple[Any, ...]], SegmentRow]] = partial(tuple.__new__, SegmentRow)
_ORDER: Final = (
    "key", "low_h", "low_p", "high_h", "high_p", "from_low", "ts_ns", "file", "frame", "seq", "ack", "flags", "window",
    "payload", "wire_len",
)  # fmt: skip
