from __future__ import annotations

import pytest

from decoders.limits import (
    HISTORY_BYTES,
    MAX_AHEAD_BYTES,
    REORDER_GRACE_PACKETS,
    SETTLE_BYTES,
    SETTLE_SEGMENTS,
)
from decoders.tcp.model import ACK, PSH, Data, Fate
from decoders.tcp.stream import Stream

from .segments import ISN, LOW, START, conflicts, data, end, fates, opened, run, seg, syn


def test_delivers_in_order_bytes_with_their_frame() -> None:
    assert run(opened(), seg(b"abc", at=7, capture=2), seg(b"de", START + 3, at=8)) == [
        Data(LOW, 0, b"abc", 7, 2, 7),
        Data(LOW, 3, b"de", 8, 0, 8),
    ]


def test_held_bytes_keep_the_frame_that_brought_them() -> None:
    assert run(opened(), seg(b"de", START + 3, at=5, capture=1), seg(b"abc", at=6)) == [
        Data(LOW, 0, b"abc", 6, 0, 6),
        Data(LOW, 3, b"de", 5, 1, 5),
    ]


def test_repeats_of_delivered_and_of_held_bytes_are_duplicates() -> None:
    stream = opened()
    events = run(stream, seg(b"abc"), seg(b"abc"), seg(b"gh", START + 6), seg(b"gh", START + 6), seg(b"def", START + 3))
    assert data(events) == b"abcdefgh"
    assert fates(stream) == {Fate.DELIVERED: 8, Fate.DUPLICATE: 5}
    assert not conflicts(events)


@pytest.mark.parametrize(
    ("second", "at", "expected"),
    [(b"cdef", 2, b"abcdef"), (b"abcdefg", 0, b"abcdefg"), (b"bc", 1, b"abcd")],
)
def test_partial_overlap_with_delivered_bytes_gives_only_the_new_ones(second: bytes, at: int, expected: bytes) -> None:
    events = run(opened(), seg(b"abcd"), seg(second, START + at))
    assert data(events) == expected
    assert not conflicts(events)


def test_segment_over_several_held_pieces_fills_between_them() -> None:
    stream = opened()
    events = run(stream, seg(b"c", START + 2), seg(b"ef", START + 4), seg(b"bcdefg", START + 1), seg(b"a"))
    assert data(events) == b"abcdefg"
    assert fates(stream) == {Fate.DELIVERED: 7, Fate.DUPLICATE: 3}


def test_first_copy_wins_against_delivered_bytes() -> None:
    events = run(opened(), seg(b"abcdef"), seg(b"bXdYZ!", START + 1, at=9))
    assert data(events) == b"abcdef!"
    assert conflicts(events) == [(2, 3)]


def test_first_copy_wins_against_held_bytes() -> None:
    events = run(opened(), seg(b"def", START + 3), seg(b"cXeYg", START + 2), seg(b"ab"))
    assert data(events) == b"abcdefg"
    assert conflicts(events) == [(3, 2)]


def test_conflicts_are_seen_as_far_back_as_the_history_reaches() -> None:
    stream = opened()
    run(stream, *(seg(bytes([i % 256]) * 1000, START + 1000 * i) for i in range(1_100)))
    reach = 1_100_000 - HISTORY_BYTES
    assert conflicts(run(stream, seg(b"\xff" * 1000, START + reach - 500))) == [(reach, 500)]
    assert not conflicts(run(stream, seg(b"\xff" * 1000, START + 10)))


def test_payload_longer_than_the_history_is_compared_by_its_tail() -> None:
    stream = opened()
    run(stream, seg(b"a" * (HISTORY_BYTES + 10)))
    assert not conflicts(run(stream, seg(b"a" * (HISTORY_BYTES + 10))))
    assert conflicts(run(stream, seg(b"b" * (HISTORY_BYTES + 10)))) == [(10, HISTORY_BYTES)]


@pytest.mark.parametrize("isn", [2**32 - 4, 2**32 - 1, 2**31 - 3])
def test_sequence_numbers_wrap(isn: int) -> None:
    events = run(opened(isn), seg(b"ef", isn + 5), seg(b"abcd", isn + 1), seg(b"gh", isn + 7))
    assert data(events) == b"abcdefgh"


def test_offsets_go_on_over_several_wraps() -> None:
    stream, position = opened(), 0
    step = MAX_AHEAD_BYTES
    for packet in range(10):
        position += step
        stream.acknowledge(START + position & 0xFFFFFFFF, packet * 100)
        run(stream, seg(b"x", START + position))
        stream.tick(packet * 100 + REORDER_GRACE_PACKETS, seg())
        position += 1
    assert stream.next == 10 * (step + 1) > 2 * 2**32
    assert stream.delivered == 10


def test_data_on_syn_is_the_start_of_the_stream() -> None:
    stream = Stream(LOW)
    assert data(run(stream, syn(payload=b"ab"), seg(b"cd", START + 2))) == b"abcd"


def test_syn_with_another_number_changes_nothing() -> None:
    stream = opened()
    assert data(run(stream, seg(b"ab"), syn(ISN + 77, payload=b"zz"), seg(b"cd", START + 2))) == b"abcd"
    assert fates(stream) == {Fate.DELIVERED: 4, Fate.OUT_OF_WINDOW: 2}


@pytest.mark.parametrize("held", [False, True])
def test_keep_alive_byte_is_a_duplicate_and_never_a_conflict(held: bool) -> None:
    stream = opened()
    run(stream, seg(b"ab", START + 5 * held))
    assert run(stream, seg(b"\0", START + 1 + 5 * held)) == []
    assert fates(stream) == {Fate.DELIVERED: 2, Fate.DUPLICATE: 1}


def test_keep_alive_before_any_data_is_a_duplicate() -> None:
    stream = opened()
    assert run(stream, seg(b"\0", ISN)) == []
    assert fates(stream) == {Fate.DUPLICATE: 1}


def test_window_probe_delivers_its_byte_once() -> None:
    stream = opened()
    assert data(run(stream, seg(b"ab"), seg(b"c", START + 2), seg(b"c", START + 2), seg(b"cd", START + 2))) == b"abcd"
    assert fates(stream) == {Fate.DELIVERED: 4, Fate.DUPLICATE: 2}


def test_middle_of_a_stream_starts_at_the_smallest_of_the_first_segments() -> None:
    stream = Stream(LOW)
    assert run(stream, *(seg(b"xy", START + 2 * i) for i in range(SETTLE_SEGMENTS - 1, 0, -1))) == []
    events = run(stream, seg(b"ab"))
    assert data(events) == b"ab" + b"xy" * (SETTLE_SEGMENTS - 1)
    assert run(stream, seg(b"old", ISN - 2)) == []
    assert fates(stream)[Fate.BEFORE_START] == 3


def test_middle_of_a_stream_settles_by_size_or_at_the_end() -> None:
    stream = Stream(LOW)
    half = bytes(SETTLE_BYTES // 2)
    assert run(stream, seg(half, START + len(half))) == []
    assert data(run(stream, seg(half))) == half + half
    stream = Stream(LOW)
    assert data(run(stream, seg(b"b", START + 1), seg(b"a")) + end(stream)) == b"ab"


def test_segment_before_and_after_the_start_is_split() -> None:
    stream = Stream(LOW)
    run(stream, seg(b"x" * SETTLE_BYTES))
    events = run(stream, seg(b"....xx", START - 4))
    assert not events
    assert fates(stream) == {Fate.DELIVERED: SETTLE_BYTES, Fate.BEFORE_START: 4, Fate.DUPLICATE: 2}


def test_syn_or_the_answer_to_it_settles_at_once() -> None:
    stream = Stream(LOW)
    assert data(run(stream, seg(b"b", START + 1), syn(), seg(b"a"))) == b"ab"
    stream = Stream(LOW)
    assert data(stream.settle_at(START) + run(stream, seg(b"a"))) == b"a"


def test_keep_alive_does_not_become_the_start_of_a_stream_joined_in_the_middle() -> None:
    stream = Stream(LOW)
    stream.acknowledge(START, 1)
    events = run(stream, seg(b"\0", ISN), seg(b"ab")) + end(stream)
    assert data(events) == b"ab"


def test_keep_alive_of_windows_does_not_become_the_start_either() -> None:
    stream = Stream(LOW)
    events = run(stream, seg(b"\0", ISN), seg(b"ab"), seg(b"\0", START + 1)) + end(stream)
    assert data(events) == b"ab"
    assert not conflicts(events)
    stream = Stream(LOW)
    assert end(stream) + run(stream, seg(b"\0", ISN)) + end(stream) == []


def test_single_byte_that_was_written_is_the_start() -> None:
    stream = Stream(LOW)
    assert data(run(stream, seg(b"\0", flags=PSH | ACK), seg(b"ab", START + 1)) + end(stream)) == b"\0ab"


@pytest.mark.parametrize("away", [MAX_AHEAD_BYTES + 1, -MAX_AHEAD_BYTES - 1, 1 << 31])
def test_data_beyond_any_window_is_out_of_window(away: int) -> None:
    stream = opened()
    assert run(stream, seg(b"abc", START + away)) + end(stream) == []
    assert fates(stream) == {Fate.OUT_OF_WINDOW: 3}


def test_fates_are_counted_by_capture() -> None:
    stream = opened()
    run(stream, seg(b"abc", capture=1), seg(b"bcd", START + 1, capture=5))
    assert stream.fates[Fate.DELIVERED] == {1: 3, 5: 1}
    assert stream.fates[Fate.DUPLICATE] == {5: 2}


def test_wire_length_below_the_payload_is_not_believed() -> None:
    assert data(run(opened(), seg(b"abc", cut=-3, flags=ACK))) == b"abc"
