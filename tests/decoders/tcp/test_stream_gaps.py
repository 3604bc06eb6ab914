from __future__ import annotations

import pytest

from decoders.limits import (
    MAX_AHEAD_BYTES,
    MAX_CUT_RANGES,
    MAX_GAPS_REMEMBERED,
    MAX_HELD_BYTES,
    MAX_HELD_SEGMENTS,
    REORDER_GRACE_PACKETS,
)
from decoders.tcp.model import ACK, FIN, RST, SYN, Data, Fate, Gap, GapReason
from decoders.tcp.stream import Stream
from tests.timing import quickest

from .segments import ISN, LOW, START, conflicts, data, end, fates, gaps, opened, run, seg

NOT_CAPTURED, SNAP_LENGTH, LIMIT = GapReason.NOT_CAPTURED, GapReason.SNAP_LENGTH, GapReason.LIMIT


def test_bytes_cut_by_the_snap_length_are_a_gap_at_the_end() -> None:
    stream = opened()
    events = run(stream, seg(b"ab", cut=3), seg(b"fg", START + 5, cut=1)) + end(stream)
    assert gaps(events) == [(2, 3, SNAP_LENGTH), (7, 1, SNAP_LENGTH)]
    assert data(events) == b"abfg"


def test_another_copy_supplies_what_the_snap_length_cut() -> None:
    stream = opened()
    events = run(stream, seg(b"ab", cut=3), seg(b"fg", START + 5), seg(b"abcde")) + end(stream)
    assert data(events) == b"abcdefg"
    assert not gaps(events)


def test_hole_partly_cut_is_told_in_parts() -> None:
    stream = opened()
    events = run(stream, seg(b"a", START + 2, cut=2), seg(b"b", START + 8)) + end(stream)
    assert gaps(events) == [(0, 2, NOT_CAPTURED), (3, 2, SNAP_LENGTH), (5, 3, NOT_CAPTURED)]


def test_cut_ranges_are_bounded_without_acknowledgements() -> None:
    stream = opened()
    events = run(stream, *(seg(b"ab", START + 4 * i, cut=2) for i in range(MAX_CUT_RANGES + 5)))
    assert len(gaps(events)) == 5
    assert {reason for _, _, reason in gaps(events)} == {SNAP_LENGTH}


def test_hole_is_given_up_the_grace_after_its_acknowledgement() -> None:
    stream = opened()
    run(stream, seg(b"de", START + 3, at=4))
    assert stream.tick(1000, seg()) == []
    stream.acknowledge(START + 3, 1001)
    assert stream.tick(1000 + REORDER_GRACE_PACKETS, seg()) == []
    assert stream.tick(1001 + REORDER_GRACE_PACKETS, seg(at=9, capture=1)) == [
        Gap(LOW, 0, 3, NOT_CAPTURED, 9, 1, 9),
        Data(LOW, 3, b"de", 4, 0, 4),
    ]
    assert not stream.waiting


def test_acknowledgement_that_does_not_cover_the_hole_leaves_it_open() -> None:
    stream = opened()
    run(stream, seg(b"de", START + 3))
    stream.acknowledge(START + 2, 1)
    assert stream.tick(500, seg()) == []
    assert data(run(stream, seg(b"abc"))) == b"abcde"


def test_bytes_for_a_gap_given_up_are_late() -> None:
    stream = opened()
    run(stream, seg(b"ab"), seg(b"ef", START + 4))
    stream.acknowledge(START + 6, 1)
    assert gaps(stream.tick(100, seg())) == [(2, 2, NOT_CAPTURED)]
    assert run(stream, seg(b"abXYef")) == []
    assert fates(stream) == {Fate.DELIVERED: 4, Fate.DUPLICATE: 4, Fate.LATE: 2}


def test_forgotten_gaps_never_make_false_conflicts() -> None:
    stream = opened()
    count = MAX_GAPS_REMEMBERED + 50
    stream.acknowledge(START + 2 * count, 0)
    for i in range(count):
        run(stream, seg(b"a", START + 2 * i + 1))
        stream.tick(100, seg())
    assert stream.gaps == count
    assert not conflicts(run(stream, seg(b"ba" * count)))
    assert fates(stream)[Fate.LATE] == MAX_GAPS_REMEMBERED


def test_too_many_held_bytes_give_up_the_hole() -> None:
    stream = opened()
    step = 1 << 20
    events = run(stream, *(seg(bytes(step), START + 10 + step * i) for i in range(MAX_HELD_BYTES // step)))
    assert events == []
    events = run(stream, seg(b"x", START + 10 + MAX_HELD_BYTES))
    assert gaps(events) == [(0, 10, LIMIT)]
    assert stream.delivered == MAX_HELD_BYTES + 1


def test_single_bytes_in_reverse_order_cost_little() -> None:
    segments = [seg(b"x", START + i) for i in range(MAX_HELD_SEGMENTS - 1, -1, -1)]
    events, seconds = quickest(lambda: run(opened(), *segments), 1)
    assert seconds < 1
    assert len(data(events)) == MAX_HELD_SEGMENTS


def test_single_bytes_with_holes_keep_to_the_limit_of_segments() -> None:
    segments = [seg(b"x", START + 1 + 2 * i) for i in range(MAX_HELD_SEGMENTS + 1000)]
    events, seconds = quickest(lambda: run(opened(), *segments), 2)
    assert seconds < 2
    assert gaps(events) == [(2 * i, 1, LIMIT) for i in range(1000)]


def test_acknowledged_bytes_beyond_the_captured_ones_are_a_gap_at_the_end() -> None:
    stream = opened()
    assert gaps(run(stream, seg(b"ab")) + end(stream, START + 12)) == [(2, 10, NOT_CAPTURED)]


@pytest.mark.parametrize("ack", [START + 2, START + 3, START + 2 + MAX_AHEAD_BYTES + 1, START - 5])
def test_acknowledged_fin_and_absurd_acknowledgements_are_no_gap(ack: int) -> None:
    stream = opened()
    assert gaps(run(stream, seg(b"ab")) + end(stream, ack)) == []


def test_fin_shows_missing_bytes_and_its_own_number_is_none() -> None:
    stream = opened()
    events = run(stream, seg(b"ab"), seg(b"", START + 7, flags=FIN | ACK)) + end(stream, START + 8)
    assert gaps(events) == [(2, 5, NOT_CAPTURED)]
    stream = opened()
    assert not gaps(run(stream, seg(b"ab", flags=FIN | ACK)) + end(stream, START + 3))


def test_fin_of_a_stream_joined_in_the_middle_shows_missing_bytes() -> None:
    stream = Stream(LOW)
    events = run(stream, seg(b"ab"), seg(b"", START + 5, flags=FIN | ACK)) + end(stream)
    assert gaps(events) == [(2, 3, NOT_CAPTURED)]


def test_bytes_between_an_early_acknowledgement_and_the_first_data_are_missing() -> None:
    stream = Stream(LOW)
    stream.acknowledge(START, 1)
    events = run(stream, seg(b"later", START + 28)) + end(stream)
    assert gaps(events) == [(0, 28, NOT_CAPTURED)]
    assert data(events) == b"later"


@pytest.mark.parametrize("ack", [START + 28, START + 33, START - MAX_AHEAD_BYTES])
def test_acknowledgement_that_proves_nothing_leaves_the_first_data_the_first(ack: int) -> None:
    stream = Stream(LOW)
    stream.acknowledge(ack % (1 << 32), 1)
    events = run(stream, seg(b"later", START + 28)) + end(stream)
    assert (gaps(events), data(events)) == ([], b"later")


def test_side_of_which_only_acknowledgements_are_known_is_one_gap() -> None:
    stream = Stream(LOW)
    for packet in range(100):
        stream.acknowledge(START + 1000 * packet, packet)
    assert gaps(end(stream, START + 99_000)) == [(0, 99_000, NOT_CAPTURED)]


def test_side_that_is_not_captured_is_followed_past_the_reach_of_its_numbers() -> None:
    stream = opened()
    step = 1 << 22
    for packet in range(1, 2500):
        stream.acknowledge(START + step * packet & 0xFFFFFFFF, packet)
        if stream.waiting:
            stream.tick(packet, seg())
    end(stream, START + step * 2499 & 0xFFFFFFFF)
    assert stream.next == stream.missed == step * 2499 > 2**33


def test_one_damaged_acknowledgement_does_not_end_a_stream() -> None:
    stream = opened()
    stream.acknowledge(START + MAX_AHEAD_BYTES - 5, 1)
    for packet in range(100):
        assert len(run(stream, seg(b"ab", START + 2 * packet))) == 1
        assert stream.tick(packet + 2, seg()) == []
    assert not end(stream, START + 200)
    assert not stream.waiting


def test_data_sent_after_the_own_reset_is_set_aside_but_not_what_was_sent_before() -> None:
    stream = opened()
    events = run(stream, seg(b"ab"), seg(b"why", START + 4, flags=RST), seg(b"cdef", START + 2))
    assert data(events) == b"abcd"
    assert fates(stream) == {Fate.DELIVERED: 4, Fate.OUT_OF_WINDOW: 5}


def test_attempt_repeated_after_a_reset_counts_again() -> None:
    stream = opened()
    events = run(stream, seg(b"", START, flags=RST), seg(b"", ISN, flags=SYN | ACK), seg(b"ab"))
    assert data(events) == b"ab"
