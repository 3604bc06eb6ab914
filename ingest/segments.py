"""The second, narrow pass over one split: the segments of the conversations that may be of interest, with payload."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from decoders.net.model import PacketOutcome
from ingest.address_columns import address_bytes
from ingest.conversations import conversation_keys, from_low_side
from ingest.dissection import headers_of
from ingest.splits import SplitReader
from schemas.internal import SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.net.model import Column, Headers
    from ingest.splits import Split

BATCH_ROWS = 2_048


def segment_batches(
    split: Split, file: int, first_frame: int, wanted: Column, most: int = BATCH_ROWS
) -> Iterator[pa.RecordBatch]:
    """Rows of SEGMENTS, at `most` so many in a batch, nor more than are read at once.

    `wanted`: the sorted keys of the conversations to keep; `file`: the capture's ordinal.
    """
    for records in SplitReader(split):
        headers = headers_of(records)
        tcp = np.flatnonzero(headers.outcome == PacketOutcome.TCP)
        keys = conversation_keys(headers, tcp)
        of_interest = contains(wanted, keys)
        rows, keys = tcp[of_interest], keys[of_interest]
        for start in range(0, len(rows), most):
            part = slice(start, start + most)
            yield segment_rows(
                headers,
                rows[part],
                keys[part],
                records.buffer,
                file,
                rows[part] + first_frame,
                records.ts_ns[rows[part]],
            )
        first_frame += len(records)


def contains(wanted: Column, keys: Column) -> Column:
    if not len(wanted):
        return np.zeros(len(keys), np.bool_)
    place = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
    found: Column = wanted[place] == keys
    return found


def segment_rows(
    headers: Headers, rows: Column, keys: Column, buffer: bytes, file: int, frames: Column, ts_ns: Column
) -> pa.RecordBatch:
    low = from_low_side(headers, rows)
    version = headers.ip_version[rows]

    def side(name: str, other: str) -> Column:
        column: Column = np.where(low, getattr(headers, name)[rows], getattr(headers, other)[rows])
        return column

    spans = zip(headers.payload_offset[rows].tolist(), headers.payload_len[rows].tolist(), strict=True)
    columns = {
        "key": keys,
        "ts_ns": ts_ns,
        "file": np.full(len(rows), file, np.int32),
        "frame": frames,
        "low_h": address_bytes(side("src_high", "dst_high"), side("src_low", "dst_low"), version),
        "low_p": side("sport", "dport"),
        "high_h": address_bytes(side("dst_high", "src_high"), side("dst_low", "src_low"), version),
        "high_p": side("dport", "sport"),
        "from_low": low,
        "seq": headers.seq[rows].astype(np.int64),
        "ack": headers.ack[rows].astype(np.int64),
        "flags": headers.flags[rows],
        "window": headers.window[rows],
        "wire_len": headers.payload_wire_len[rows],
        "payload": [buffer[start : start + length] for start, length in spans],
    }
    arrays = [
        columns[column.name]
        if isinstance(columns[column.name], pa.Array)
        else pa.array(columns[column.name], column.type)
        for column in SEGMENTS.columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SEGMENTS.arrow)
