"""Segments on their way to the others of their conversation: many of them in one row, a bundle.

What Spark does costs by the row. docs/adr/0036 says how large a bundle may be, and what that takes of memory.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, insort
from functools import partial
from itertools import accumulate, chain, repeat
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from decoders.tcp.model import Segment, Side
from pipelines.connections.segment_runs import SegmentRow
from schemas.internal import BUNDLES, SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    import numpy.typing as npt

    from decoders.net.model import Column
    from ingest.choice import Endpoint

BUNDLE_SEGMENTS: Final = 512
BUNDLE_BYTES: Final = 256 * 1024
"""Of payload. One that is larger has a single segment."""
AT_ONCE_SEGMENTS: Final = 1 << 17
_AT_ONCE_BYTES: Final = 8 * 1024 * 1024
"""From which bundles are made: neighbours of a conversation may lie far apart."""
_HEADER: Final = struct.Struct("<qqIIiiiiB")
_FIELDS: Final = ("ts_ns", "frame", "seq", "ack", "flags", "window", "wire_len", "size", "from_low")
_HEADERS: Final = np.dtype(
    list(zip(_FIELDS, ("<i8", "<i8", "<u4", "<u4", "<i4", "<i4", "<i4", "<i4", "u1"), strict=True))
)
_ALIKE: Final = ("key", "file", "low_h", "low_p", "high_h", "high_p")
"""What the segments of a bundle share."""
_BEFORE_ALL: Final = np.iinfo(np.int64).min
_SENDERS: Final = (Side.HIGH, Side.LOW)
"""By `from_low`."""
_when: Final[Callable[[Segment], Any]] = itemgetter(1, 2, 3)
"""Time, capture, frame: the order in which segments are read."""
# As their `_make`, which is written in Python.
_segment: Final[Callable[[tuple[Any, ...]], Segment]] = partial(tuple.__new__, Segment)
_row: Final[Callable[[tuple[Any, ...]], SegmentRow]] = partial(tuple.__new__, SegmentRow)


def bundled(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """`batches`: SEGMENTS of one split, in the order of its frames.

    A bundle is in order of time, and those of one conversation are one after the other: a segment that is older than
    one in front of it goes alone.
    """
    newest = _BEFORE_ALL
    for some in _together(batches):
        times = some.column("ts_ns").to_numpy()
        until = np.maximum.accumulate(np.concatenate((np.array([newest], np.int64), times)))
        newest = int(until[-1])
        order = np.argsort(some.column("key").to_numpy(), kind="stable")
        late = (times < until[:-1])[order]
        yield _bundles(some.take(pa.array(order)), late, is_stored=False)


def alone(batch: pa.RecordBatch, *, is_stored: bool) -> pa.RecordBatch:
    """A bundle each, whatever their order."""
    return _bundles(batch, np.ones(len(batch), np.bool_), is_stored=is_stored)


def sizes(bundles: pa.RecordBatch) -> Column:
    """How many segments each has."""
    found: Column = pc.binary_length(bundles.column("headers")).to_numpy() // _HEADER.size
    return found


def opened(batches: Iterable[pa.RecordBatch]) -> Iterator[SegmentRow]:
    """`batches`: bundles sorted by key, time, capture and frame of their first segments. Segments come out sorted so.

    No line of Python runs for a segment: there is one a packet.
    """
    key: int | None = None
    waiting: dict[tuple[Endpoint, Endpoint], list[Segment]] = {}
    for batch in batches:
        for bundle in zip(*(batch.column(name).to_pylist() for name in _OPENED), strict=True):
            of, ts_ns, file, frame, low_h, low_p, high_h, high_p, headers, payloads = bundle
            if of != key:
                yield from _in_time(key, waiting)
                key, waiting = of, {}
            first = ts_ns, file, frame
            ready = {}
            for ends, held in list(waiting.items()):
                # Whatever comes later is not older than this bundle.
                until = len(held) if _when(held[-1]) < first else bisect_left(held, first, key=_when)
                ready[ends], waiting[ends] = held[:until], held[until:]
                if until == len(held):
                    del waiting[ends]
            yield from _in_time(key, ready)
            # Two conversations can share a key by accident; their endpoints tell them apart.
            ends = (low_h, low_p), (high_h, high_p)
            found = _segments(file, headers, payloads)
            others = waiting.get(ends)
            if others is None:
                waiting[ends] = found
            elif len(found) == 1:
                insort(others, found[0], key=_when)
            else:
                waiting[ends] = sorted([*others, *found], key=_when)
    yield from _in_time(key, waiting)


_OPENED: Final = ("key", "ts_ns", "file", "frame", "low_h", "low_p", "high_h", "high_p", "headers", "payloads")


def _in_time(key: int | None, some: dict[tuple[Endpoint, Endpoint], list[Segment]]) -> Iterable[SegmentRow]:
    rows = [_rows(key, ends, segments) for ends, segments in some.items()]
    return rows[0] if len(rows) == 1 else sorted(chain.from_iterable(rows), key=lambda row: _when(row.segment))


def _rows(key: int | None, ends: tuple[Endpoint, Endpoint], segments: list[Segment]) -> Iterator[SegmentRow]:
    low, high = ends
    return map(_row, zip(repeat(key), repeat(low), repeat(high), segments))


def _segments(file: int, headers: bytes, payloads: bytes) -> list[Segment]:
    times, frames, seqs, acks, flags, windows, wire_lens, lengths, from_low = zip(
        *_HEADER.iter_unpack(headers), strict=True
    )
    ends = list(accumulate(lengths))
    parts = [payloads[end - length : end] for end, length in zip(ends, lengths, strict=True)]
    senders = map(_SENDERS.__getitem__, from_low)
    columns = senders, times, repeat(file, len(ends)), frames, seqs, acks, flags, windows, parts, wire_lens
    return list(map(_segment, zip(*columns, strict=True)))


def segments_of(bundles: pa.RecordBatch) -> pa.RecordBatch:
    """SEGMENTS once more, as they lie in the bundles."""
    some = b"".join(bundles.column("headers").to_pylist())
    headers = np.frombuffer(some, _HEADERS)
    ends = np.concatenate((np.zeros(1, np.int32), np.cumsum(headers["size"], dtype=np.int32)))
    payloads = pa.py_buffer(b"".join(bundles.column("payloads").to_pylist()))
    alike = bundles.select(list(_ALIKE)).take(pa.array(np.repeat(np.arange(len(bundles)), sizes(bundles))))
    columns: dict[str, Any] = {name: alike.column(name) for name in _ALIKE}
    columns |= {name: headers[name] for name in _FIELDS if name != "size"}
    columns["from_low"] = headers["from_low"].astype(np.bool_)
    columns["payload"] = pa.Array.from_buffers(pa.binary(), len(headers), [None, pa.py_buffer(ends), payloads])
    arrays = [
        columns[one.name] if isinstance(columns[one.name], pa.Array) else pa.array(columns[one.name], one.type)
        for one in SEGMENTS.columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=SEGMENTS.arrow)


def _together(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    held: list[pa.RecordBatch] = []
    size = count = 0
    for batch in batches:
        held.append(batch)
        size, count = size + batch.nbytes, count + len(batch)
        if size >= _AT_ONCE_BYTES or count >= AT_ONCE_SEGMENTS:
            yield _one(held)
            held, size, count = [], 0, 0
    if count:
        yield _one(held)


def _one(held: list[pa.RecordBatch]) -> pa.RecordBatch:
    return held[0] if len(held) == 1 else pa.Table.from_batches(held).combine_chunks().to_batches()[0]


def _bundles(rows: pa.RecordBatch, late: npt.NDArray[np.bool_], *, is_stored: bool) -> pa.RecordBatch:
    if not len(rows):
        return pa.RecordBatch.from_pylist([], BUNDLES.arrow)
    payload = rows.column("payload")
    _, offsets, octets = payload.buffers()
    ends = np.frombuffer(offsets, np.int32)[payload.offset : payload.offset + len(rows) + 1]
    first = np.flatnonzero(_begins(rows, late, ends))
    bounds = np.append(first, len(rows))
    found = rows.take(pa.array(first))
    columns = {name: found.column(name) for name in SEGMENTS.names}
    columns["headers"] = _binary(bounds * _HEADER.size, _headers(rows, ends))
    columns["payloads"] = _binary(ends[bounds], octets or pa.py_buffer(b""))
    columns["is_stored"] = pa.array(np.full(len(first), is_stored))
    return pa.RecordBatch.from_arrays([columns[name] for name in BUNDLES.names], schema=BUNDLES.arrow)


def _binary(bounds: Column, octets: pa.Buffer) -> pa.Array:
    offsets = pa.py_buffer(np.ascontiguousarray(bounds, np.int32))
    return pa.Array.from_buffers(pa.binary(), len(bounds) - 1, [None, offsets, octets])


def _headers(rows: pa.RecordBatch, ends: Column) -> pa.Buffer:
    headers = np.empty(len(rows), _HEADERS)
    for name in _FIELDS:
        headers[name] = np.diff(ends) if name == "size" else rows.column(name).to_numpy(zero_copy_only=False)
    return pa.py_buffer(headers.tobytes())


def _begins(rows: pa.RecordBatch, late: npt.NDArray[np.bool_], ends: Column) -> npt.NDArray[np.bool_]:
    """Which segments are the first of a bundle."""
    begins = late.copy()
    begins[0] = True
    begins[1:] |= late[:-1]
    for name in _ALIKE:
        values = rows.column(name)
        begins[1:] |= pc.not_equal(values.slice(1), values.slice(0, len(rows) - 1)).to_numpy(zero_copy_only=False)
    first = np.flatnonzero(begins)
    of = np.repeat(first, np.diff(np.append(first, len(rows))))
    for place in ((np.arange(len(rows)) - of) // BUNDLE_SEGMENTS, (ends[:-1] - ends[of]) // BUNDLE_BYTES):
        begins[1:] |= place[1:] != place[:-1]
    return begins
