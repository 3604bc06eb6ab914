"""What we say about a capture: the stages of a run without Spark, with every conversation wanted."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa

from decoders.dcerpc.framing import ConnectionFramer
from decoders.net.addresses import to_text
from decoders.net.model import PacketOutcome
from decoders.tcp import conversation
from decoders.tcp.connection import Connection
from decoders.tcp.conversation import Conversation
from decoders.tcp.model import Data, Gap, Segment, Side
from ingest.captures import open_capture
from ingest.conversations import conversation_keys
from ingest.defragment import GROUP, ORDER, Defragmenter
from ingest.dissection import headers_of
from ingest.scan import scan_split
from ingest.segments import segment_batches
from ingest.splits import SPLIT_BYTES, SplitReader, exact, first_frames, plan, walk
from ingest.stream_bases import NUMBER_BITS
from pipelines.connections.decoding import segment_rows
from schemas.internal import CONVERSATIONS, FRAGMENTS, MADE_SEGMENTS, NO_SPLIT
from tests.second_opinion.opinion import Opinion, Stream

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from decoders.net.model import Column
    from ingest.choice import Endpoint
    from ingest.splits import Split, SplitReport
    from pipelines.connections.segment_runs import SegmentRow


class _Watched(Connection):
    """A connection that remembers which frames it was given."""

    def __init__(self, first: Segment) -> None:
        super().__init__(first)
        self.frames: list[int] = []

    def feed(self, segment: Segment) -> list[Any]:
        self.frames.append(segment.frame)
        return super().feed(segment)

    def feed_stray(self, segment: Segment) -> None:
        self.frames.append(segment.frame)
        super().feed_stray(segment)


def ours(path: Path, split_bytes: int = SPLIT_BYTES) -> Opinion:
    splits, reports, frames = _proven(path, split_bytes)
    batches = [
        batch
        for split, first in zip(splits, frames, strict=True)
        for batch in segment_batches(split, 0, first, _all_keys(split))
    ]
    batches += scanned(path, split_bytes)[MADE_SEGMENTS.name]
    rows = sorted(
        segment_rows(iter(batches)), key=lambda row: (_conversation(row), row.segment.ts_ns, row.segment.frame)
    )
    with patch.object(conversation, "Connection", _Watched):
        streams = [
            stream
            for (_, low, high), group in groupby(rows, key=_conversation)
            for stream in _streams(low, high, [row.segment for row in group])
        ]
    return Opinion(sum(report.packets for report in reports), sorted(streams, key=lambda stream: stream.frames[0]))


def scanned(path: Path, split_bytes: int = SPLIT_BYTES) -> dict[str, list[pa.RecordBatch]]:
    """The tables that the scan and the putting together of fragments make, with frames from 1."""
    made: dict[str, list[pa.RecordBatch]] = defaultdict(list)
    fragments: list[dict[str, Any]] = []
    splits, _, frames = _proven(path, split_bytes)
    for split, first in zip(splits, frames, strict=True):
        for table, batch in scan_split(split):
            placed = _numbered(batch, first)
            made[table.name].append(placed)
            rows = placed.to_pylist() if table is FRAGMENTS else []
            # Their frames are final.
            fragments += (row | {"is_new": True, "split": NO_SPLIT} for row in rows)
    fragments.sort(key=lambda row: tuple(row[name] for name in (*GROUP, *ORDER)))
    for table, batch in Defragmenter().run(fragments):
        made[table.name].append(batch)
    return made


def _proven(path: Path, split_bytes: int) -> tuple[list[Split], list[SplitReport], list[int]]:
    planned = plan(open_capture(str(path)), 0, split_bytes)
    reports = exact(planned, [walk(split) for split in planned])
    splits = [replace(split, start=report.start) for split, report in zip(planned, reports, strict=False)]
    return splits, reports, first_frames(reports)


def _all_keys(split: Split) -> Column:
    keys = [
        conversation_keys(headers, np.flatnonzero(headers.outcome == PacketOutcome.TCP))
        for headers in map(headers_of, SplitReader(split))
    ]
    return np.unique(np.concatenate([np.empty(0, np.int64), *keys]))


def read_again(path: Path) -> set[int]:
    """Frames of the conversations that a run takes a second look at: no other can be recognised."""
    tables = scanned(path)
    rows = [row for batch in tables[CONVERSATIONS.name] for row in batch.to_pylist()]
    wanted = np.unique(np.array([row["key"] for row in rows if row["may_be_rpc"] or row["well_known_port"]], np.int64))
    splits, _, frames = _proven(path, SPLIT_BYTES)
    batches = [
        batch for split, first in zip(splits, frames, strict=True) for batch in segment_batches(split, 0, first, wanted)
    ]
    chosen = set(wanted.tolist())
    return {row.segment.frame for row in segment_rows(iter(batches + tables[MADE_SEGMENTS.name])) if row.key in chosen}


def _numbered(batch: pa.RecordBatch, first_frame: int) -> pa.RecordBatch:
    for name, shift in (("frame", 0), ("base_low", NUMBER_BITS), ("base_high", NUMBER_BITS)):
        if (place := batch.schema.get_field_index(name)) >= 0:
            moved = pa.compute.add(batch.column(place), first_frame << shift)
            batch = batch.set_column(place, batch.schema.field(place), moved)
    return batch


def _conversation(row: SegmentRow) -> tuple[int, Endpoint, Endpoint]:
    return row.key, row.low, row.high


def _streams(low: Endpoint, high: Endpoint, segments: Iterable[Segment]) -> list[Stream]:
    names = {Side.LOW: _name(low), Side.HIGH: _name(high)}
    talk = Conversation()
    found: dict[Connection, tuple[Stream, ConnectionFramer]] = {}
    events = [pair for segment in segments for pair in talk.feed(segment)] + talk.finish()
    for connection, event in events:
        stream, framer = found.setdefault(connection, (Stream(), ConnectionFramer()))
        if isinstance(event, Data | Gap):
            framer.feed(event, from_start=event.offset == 0 and not connection.starts_midstream)
            stream.add(names[event.sender], event.payload if isinstance(event, Data) else event.size)
    for connection, (stream, framer) in found.items():
        assert isinstance(connection, _Watched)
        stream.frames = sorted(connection.frames)
        framer.finish()
        stream.rpc = any(one.speaks for one in framer.framers.values())
    return [stream for stream, _ in found.values()]


def _name(end: Endpoint) -> str:
    address, port = end
    return f"{to_text(address)}:{port}" if len(address) == 4 else f"[{to_text(address)}]:{port}"
