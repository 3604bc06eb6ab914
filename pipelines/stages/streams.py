"""Segments to connections in Spark: repartition by conversation, sort, one streaming pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from decoders.tcp.model import Segment, Side
from pipelines.streams import Assembler, SegmentRow
from schemas.envelope import envelope_schema, wrap
from schemas.internal import STREAM_COUNTS, STREAMS
from schemas.model import ddl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from ingest.choice import Choice
    from pipelines.streams import Row

BATCH_ROWS = 1_024
_TABLES = {table.name: table for table in STREAMS}


def streams(
    segments: DataFrame, choice: Choice, capture_ids: Sequence[str], paths: Sequence[str], partitions: int
) -> DataFrame:
    """Envelope of schemas.internal.STREAMS. `capture_ids` and `paths` are indexed by `file`."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        assembler = Assembler(choice, capture_ids, paths)
        held: dict[str, list[Row]] = {}
        for name, row in assembler.run(segment_rows(batches)):
            rows = held.setdefault(name, [])
            rows.append(row)
            if len(rows) >= BATCH_ROWS:
                yield _batch(name, held.pop(name))
        counts = [
            {"file": file, "stage": stage, "counter": counter, "value": value}
            for (file, stage, counter), value in sorted(assembler.counts.items())
        ]
        for name, rows in {**held, STREAM_COUNTS.name: counts}.items():
            if rows:
                yield _batch(name, rows)

    ordered = segments.repartition(partitions, "key").sortWithinPartitions("key", "ts_ns", "file", "frame")
    return ordered.mapInArrow(run, ddl(envelope_schema(STREAMS))).persist()


def segment_rows(batches: Iterable[pa.RecordBatch]) -> Iterator[SegmentRow]:
    for batch in batches:
        columns = {name: batch.column(name).to_pylist() for name in batch.schema.names}
        for (
            key,
            low_h,
            low_p,
            high_h,
            high_p,
            from_low,
            ts_ns,
            file,
            frame,
            seq,
            ack,
            flags,
            window,
            payload,
            wire,
        ) in zip(*(columns[name] for name in _ORDER), strict=True):
            sender = Side.LOW if from_low else Side.HIGH
            segment = Segment(sender, ts_ns, file, frame, seq, ack, flags, window, payload, wire)
            yield SegmentRow(key, (low_h, low_p), (high_h, high_p), segment)


_ORDER = (
    "key", "low_h", "low_p", "high_h", "high_p", "from_low", "ts_ns", "file", "frame", "seq", "ack", "flags", "window",
    "payload", "wire_len",
)  # fmt: skip


def _batch(name: str, rows: list[Row]) -> pa.RecordBatch:
    table = _TABLES[name]
    return wrap(pa.RecordBatch.from_pylist(rows, schema=table.arrow), table, STREAMS)
