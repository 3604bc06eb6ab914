"""Records as rows of the table `packets`: only the columns asked for are made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from decoders.net.model import PacketOutcome
from ingest.address_columns import address_text
from ingest.dissection import NO_LINK_TYPE, headers_of, link_types
from ingest.splits import SplitReader
from schemas.model import TIMESTAMP
from schemas.tables.packets import PACKETS
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from decoders.net.model import Column, Headers
    from ingest.containers.model import Records
    from ingest.splits import Split

BATCH_ROWS = 8_192
"""Rows a batch with payload: about 12 MB of full Ethernet frames."""


class _Batch:
    """The records of one buffer with their headers, dissected only if a column needs them."""

    def __init__(self, split: Split, records: Records, first_frame: int) -> None:
        self.path = split.capture.path
        self.records = records
        self.first_frame = first_frame
        self._headers: Headers | None = None

    @property
    def headers(self) -> Headers:
        if self._headers is None:
            self._headers = headers_of(self.records)
        return self._headers

    @property
    def not_tcp(self) -> Column:
        rows: Column = self.headers.outcome != PacketOutcome.TCP
        return rows

    def tcp_column(self, name: str) -> pa.Array:
        kind = PACKETS.arrow.field({"sport": "src_p", "dport": "dst_p"}.get(name, name)).type
        return pa.array(getattr(self.headers, name).astype(kind.to_pandas_dtype()), kind, mask=self.not_tcp)

    def address(self, side: str) -> pa.Array:
        version = self.headers.ip_version
        text = address_text(getattr(self.headers, f"{side}_high"), getattr(self.headers, f"{side}_low"), version)
        return pc.if_else(pa.array(~self.not_tcp), text, pa.scalar(None, pa.string()))

    def payload(self) -> pa.Array:
        buffer = self.records.buffer
        spans = zip(self.headers.payload_offset.tolist(), self.headers.payload_len.tolist(), strict=True)
        bodies = [buffer[start : start + length] for start, length in spans]
        return pa.array(bodies, pa.binary(), mask=self.not_tcp)


_OUTCOMES = pa.array([outcome.counter for outcome in PacketOutcome])


def _times(batch: _Batch) -> pa.Array:
    ts_ns = batch.records.ts_ns
    return pa.array(ts_ns // 1000, pa.int64(), mask=ts_ns == NO_TIME).cast(TIMESTAMP)


_COLUMNS: dict[str, Callable[[_Batch], pa.Array]] = {
    "path": lambda b: pa.array([b.path] * len(b.records), pa.string()),
    "frame_number": lambda b: pa.array(np.arange(len(b.records), dtype=np.int64) + b.first_frame),
    "ts": _times,
    "ts_ns": lambda b: pa.array(b.records.ts_ns, mask=b.records.ts_ns == NO_TIME),
    "interface_id": lambda b: pa.array(b.records.interface.astype(np.int32)),
    "link_type": lambda b: pa.array(link_types(b.records), pa.int32(), mask=link_types(b.records) == NO_LINK_TYPE),
    "captured_len": lambda b: pa.array(b.records.captured_len),
    "wire_len": lambda b: pa.array(b.records.wire_len),
    "outcome": lambda b: _OUTCOMES.take(pa.array(b.headers.outcome)),
    "ip_version": lambda b: b.tcp_column("ip_version"),
    "src_h": lambda b: b.address("src"),
    "src_p": lambda b: b.tcp_column("sport"),
    "dst_h": lambda b: b.address("dst"),
    "dst_p": lambda b: b.tcp_column("dport"),
    "seq": lambda b: b.tcp_column("seq"),
    "ack": lambda b: b.tcp_column("ack"),
    "flags": lambda b: b.tcp_column("flags"),
    "window": lambda b: b.tcp_column("window"),
    "payload_len": lambda b: b.tcp_column("payload_len"),
    "payload_wire_len": lambda b: b.tcp_column("payload_wire_len"),
    "payload": _Batch.payload,
}


def packet_batches(split: Split, first_frame: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    schema = pa.schema([PACKETS.arrow.field(name) for name in columns])
    for records in SplitReader(split):
        batch = _Batch(split, records, first_frame)
        whole = pa.RecordBatch.from_arrays([_COLUMNS[name](batch) for name in columns], schema=schema)
        for start in range(0, len(whole), BATCH_ROWS):
            yield whole.slice(start, BATCH_ROWS)
        first_frame += len(records)
