"""Segments of a conversation are put together, and never too many."""

from __future__ import annotations

from itertools import chain

from decoders.tcp.model import ACK, Segment, Side
from pipelines.connections.segment_runs import SegmentRow, runs

LOW, HIGH, OTHER = (b"\x0a\0\0\1", 1), (b"\x0a\0\0\2", 2103), (b"\x0a\0\0\3", 2103)


def row(frame: int, key: int = 1, high: tuple[bytes, int] = HIGH, wire_len: int = 0) -> SegmentRow:
    return SegmentRow(key, LOW, high, Segment(Side.LOW, frame, 0, frame, 0, 0, ACK, 1, b"", wire_len))


def frames(rows: list[SegmentRow]) -> list[list[int]]:
    return [[one.frame for one in run.segments] for run in runs(rows)]


def test_keys_and_ends_tell_conversations_apart() -> None:
    rows = [row(1), row(2), row(3, high=OTHER), row(4), row(5, key=2)]
    assert frames(rows) == [[1, 2], [3], [4], [5]]


def test_no_run_is_long() -> None:
    found = frames([row(number) for number in range(1_200)])
    assert [len(one) for one in found] == [512, 512, 176]
    assert list(chain(*found)) == list(range(1_200))


def test_no_run_is_large() -> None:
    sizes = [60_000] * 40 + [5_000_000] + [10] * 3
    found = frames([row(number, wire_len=size) for number, size in enumerate(sizes)])
    assert list(chain(*found)) == list(range(len(sizes)))
    assert [len(one) for one in found] == [17, 17, 6, 1, 3]
