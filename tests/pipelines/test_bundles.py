"""Bundles hold what was put into them, and segments come out of them in order."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from decoders.tcp.model import ACK
from pipelines.connections.bundles import BUNDLE_BYTES, BUNDLE_SEGMENTS, alone, bundled, opened, segments_of, sizes
from pipelines.connections.decoding import segment_rows
from schemas.internal import BUNDLES, SEGMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.connections.segment_runs import SegmentRow

Row = dict[str, Any]
_ORDER = ("key", "ts_ns", "file", "frame")
_ENDS = (
    ((b"\1\0\0\1", 5), (b"\2\0\0\1", 135)),
    ((b"\1\0\0\1", 6), (b"\2\0\0\1", 135)),
    ((b"\1" * 16, 5), (b"\2" * 16, 9)),
)


def segment(frame: int, ts_ns: int, payload: bytes = b"", key: int = 1, ends: int = 0, file: int = 0) -> Row:
    (low_h, low_p), (high_h, high_p) = _ENDS[ends]
    places = {"low_h": low_h, "low_p": low_p, "high_h": high_h, "high_p": high_p}
    numbers = {
        "seq": (frame * 0x9E3779B1) % 2**32,
        "ack": 2**32 - frame,
        "window": 65_535,
        "wire_len": len(payload) + 1,
    }
    when = {"key": key, "ts_ns": ts_ns, "file": file, "frame": frame}
    return when | places | numbers | {"from_low": frame % 2 == 0, "flags": ACK, "payload": payload}


def batches(rows: Sequence[Row], *cuts: int) -> list[pa.RecordBatch]:
    bounds = [0, *sorted(min(cut, len(rows)) for cut in cuts), len(rows)]
    parts = [rows[start:end] for start, end in pairwise(bounds)]
    return [pa.RecordBatch.from_pylist(list(part), SEGMENTS.arrow) for part in parts if part]


def in_order(found: Sequence[pa.RecordBatch]) -> list[pa.RecordBatch]:
    if not found:
        return []
    table: pa.Table = pa.Table.from_batches(found).sort_by([(name, "ascending") for name in _ORDER])
    return list(table.to_batches())


def one_by_one(rows: Sequence[Row]) -> list[SegmentRow]:
    return list(segment_rows(batches(sorted(rows, key=lambda row: [row[name] for name in _ORDER]))))


SPLITS = st.lists(
    st.lists(
        st.tuples(
            st.integers(0, 40), st.binary(max_size=5), st.sampled_from([-5, 1, 2]), st.integers(0, len(_ENDS) - 1)
        ),
        max_size=40,
    ),
    max_size=4,
)


@given(SPLITS, st.lists(st.integers(0, 40), max_size=3))
def test_segments_of_any_splits_come_out_in_order(
    splits: list[list[tuple[int, bytes, int, int]]], cuts: list[int]
) -> None:
    of_splits = [
        [segment(frame, *one, file=file) for frame, one in enumerate(some, 1)] for file, some in enumerate(splits)
    ]
    every = [row for some in of_splits for row in some]
    met = in_order([batch for some in of_splits for batch in bundled(batches(some, *cuts))])
    assert list(opened(met)) == one_by_one(every)
    singly = in_order([alone(batch, is_stored=True) for some in of_splits for batch in batches(some, *cuts)])
    assert [row for row in opened(singly) if row.key == 1] == [row for row in one_by_one(every) if row.key == 1]


@given(SPLITS)
def test_the_rows_that_are_stored_are_those_that_came(splits: list[list[tuple[int, bytes, int, int]]]) -> None:
    rows = [segment(frame, *one) for some in splits for frame, one in enumerate(some, 1)]
    stored = [row for batch in bundled(batches(rows)) for row in segments_of(batch).to_pylist()]
    assert sorted(map(repr, stored)) == sorted(repr({name: row[name] for name in SEGMENTS.names}) for row in rows)
    assert sum(int(sizes(batch).sum()) for batch in bundled(batches(rows))) == len(rows)


def test_what_is_in_order_is_one_bundle_a_conversation() -> None:
    rows = [segment(frame, frame, b"x", key=frame % 3) for frame in range(1, 301)]
    (found,) = bundled(batches(rows, 100, 200))
    assert found.schema == BUNDLES.arrow
    assert found.column("key").to_pylist() == [0, 1, 2]
    assert sizes(found).tolist() == [100, 100, 100]


def test_a_bundle_has_bounds_and_a_late_segment_goes_alone() -> None:
    (many,) = bundled(batches([segment(frame, 0) for frame in range(1, 2 * BUNDLE_SEGMENTS + 2)]))
    assert sizes(many).tolist() == [BUNDLE_SEGMENTS, BUNDLE_SEGMENTS, 1]
    (large,) = bundled(batches([segment(frame, 0, bytes(BUNDLE_BYTES // 2)) for frame in range(1, 6)]))
    assert sizes(large).tolist() == [2, 2, 1]
    # Newer than the one in front of it, but not than the newest of the split.
    (late,) = bundled(batches([segment(1, 10), segment(2, 20), segment(3, 5), segment(4, 15), segment(5, 20)]))
    assert sizes(late).tolist() == [2, 1, 1, 1]


def test_few_wait_however_long_a_conversation_is() -> None:
    """Each bundle comes out before the next but one is asked for."""
    asked = 0

    def endless() -> Iterator[pa.RecordBatch]:
        nonlocal asked
        for number in range(1_000):
            asked = number
            rows = [segment(number * 10 + place, number * 10 + place, b"abc") for place in range(10)]
            yield from bundled(batches(rows))

    for count, row in enumerate(opened(endless())):
        assert row.segment.frame == count
        assert asked <= count // 10 + 1
