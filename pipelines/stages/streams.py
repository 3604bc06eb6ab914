"""Segments to connections, PDUs and decoded calls in Spark: repartition by conversation, sort, one streaming pass."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from decoders.tcp.model import Segment, Side
from pipelines.decode.batches import CallBatches
from pipelines.decode.connection import PlacedCall
from pipelines.streams import Assembler, SegmentRow
from schemas.envelope import envelope_schema, wrap
from schemas.internal import ANNOUNCED, ASIDES, FACTS, STREAM_FLOWS, STREAMS, VERSIONS
from schemas.model import ddl
from schemas.parcels import PARCELS, parcel
from schemas.tables.issues import ISSUES
from schemas.tables.pdus import PDUS
from schemas.tables.principals import PRINCIPALS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from ingest.choice import Choice
    from pipelines.sealed_secrets import SealedSecrets
    from pipelines.stages.select import Segments

Row = dict[str, Any]
BATCH_ROWS = 1_024
_LAST_OF_CONNECTION = (STREAM_FLOWS.name, ASIDES.name)
_TABLES = {table.name: table for table in (STREAM_FLOWS, ASIDES, ANNOUNCED, VERSIONS, ISSUES, PDUS, PRINCIPALS, FACTS)}


def streams(
    segments: Segments,
    choice: Choice,
    capture_ids: Sequence[str],
    paths: Sequence[str],
    untidy: frozenset[int],
    *,
    keep_payload: bool,
    secrets: SealedSecrets | None = None,
) -> DataFrame:
    """Envelope of schemas.internal.STREAMS. `capture_ids` and `paths` are indexed by `file`, as `untidy` names them."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        known = secrets.opened() if secrets else ()
        assembler = Assembler(choice, capture_ids, paths, untidy, known)
        return decoded(assembler, segment_rows(batches), keep_payload=keep_payload)

    ordered = segments.rows.repartition(segments.partitions, "key").sortWithinPartitions(
        "key", "ts_ns", "file", "frame"
    )
    return ordered.mapInArrow(run, ddl(envelope_schema(STREAMS))).persist()


def decoded(assembler: Assembler, rows: Iterable[SegmentRow], *, keep_payload: bool) -> Iterator[pa.RecordBatch]:
    """Batches of the envelope."""
    calls = CallBatches(assembler, assembler.choice, keep_payload=keep_payload)
    held: dict[str, list[Row]] = {name: [] for name in _TABLES}
    for name, row in assembler.run(rows):
        if isinstance(row, PlacedCall):
            yield from map(_wrapped, calls.add(row))
            continue
        held[name].append(row)
        if name in _LAST_OF_CONNECTION:
            calls.end_of_connection()
        if len(held[name]) >= BATCH_ROWS:
            yield _wrapped(_batch(name, held))
    yield from map(_wrapped, calls.flush())
    held[ANNOUNCED.name] = calls.announced.rows()
    held[VERSIONS.name] = calls.versions.rows()
    for name in _TABLES:
        if held[name]:
            yield _wrapped(_batch(name, held))


def _batch(name: str, held: dict[str, list[Row]]) -> tuple[str, pa.RecordBatch]:
    rows, held[name] = held[name], []
    return name, pa.RecordBatch.from_pylist(rows, schema=_TABLES[name].arrow)


def _wrapped(named: tuple[str, pa.RecordBatch]) -> pa.RecordBatch:
    name, batch = named
    for table in STREAMS:
        if table.name == name:
            return wrap(batch, table, STREAMS)
    return wrap(parcel(name, batch), PARCELS, STREAMS)


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
