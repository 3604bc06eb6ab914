"""Reassembly under everything that can happen to segments on their way into a capture."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.limits import (
    HISTORY_BYTES,
    MAX_AHEAD_BYTES,
    MAX_CUT_RANGES,
    MAX_HELD_BYTES,
    MAX_HELD_SEGMENTS,
    REORDER_GRACE_PACKETS,
    SETTLE_SEGMENTS,
)
from decoders.tcp.conversation import CLOSED, Closed, Conversation
from decoders.tcp.model import ACK, PSH, Conflict, Data, Gap, Segment, Side
from decoders.tcp.stream import Stream

from .segments import LOW, conflicts, data, end, fates, gaps, opened, run, seg, syn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.tcp.connection import Connection
    from decoders.tcp.model import StreamEvent

NUMBERS = st.integers(0, 2**32 - 1)
ISNS = st.one_of(NUMBERS, st.sampled_from([0, 2**31 - 5, 2**32 - 1, 2**32 - 20]))
CONTENT = st.binary(min_size=1, max_size=200)


@st.composite
def cover(draw: st.DrawFn, size: int, most: int) -> list[tuple[int, int]]:
    """Ranges that leave no byte of `size` out, split, overlapping, repeated and shuffled."""
    inner = st.lists(st.integers(1, size), max_size=most // 2 - 1, unique=True)
    edges = sorted({0, size, *draw(inner)})
    ranges = list(pairwise(edges))
    extra = st.tuples(st.integers(0, size - 1), st.integers(1, 50)).map(lambda r: (r[0], min(size, sum(r))))
    ranges += draw(st.lists(st.one_of(st.sampled_from(ranges), extra), max_size=most - len(ranges)))
    return draw(st.permutations(ranges))


@st.composite
def shuffled(draw: st.DrawFn, most: int = 40) -> tuple[bytes, int, list[Segment]]:
    content, isn = draw(CONTENT), draw(ISNS)
    ranges = draw(cover(len(content), most))
    segments = [
        seg(content[low:high], isn + 1 + low, flags=PSH | ACK, at=at) for at, (low, high) in enumerate(ranges, 1)
    ]
    return content, isn, segments


@given(shuffled())
def test_any_order_repetition_and_split_gives_the_same_bytes(case: tuple[bytes, int, list[Segment]]) -> None:
    content, isn, segments = case
    stream = opened(isn)
    events = run(stream, *segments) + end(stream, isn + 1 + len(content))
    assert data(events) == content
    assert not gaps(events)
    assert not conflicts(events)


@given(shuffled(most=SETTLE_SEGMENTS))
def test_without_syn_too_as_long_as_the_stream_settles(case: tuple[bytes, int, list[Segment]]) -> None:
    content, _, segments = case
    stream = Stream(LOW)
    events = run(stream, *segments) + end(stream)
    assert data(events) == content
    assert not gaps(events)
    assert not conflicts(events)


@given(shuffled(), st.data())
def test_syn_may_come_anywhere_among_the_first_segments(
    case: tuple[bytes, int, list[Segment]], choose: st.DataObject
) -> None:
    content, isn, segments = case
    place = choose.draw(st.integers(0, min(len(segments), SETTLE_SEGMENTS - 1)))
    segments.insert(place, syn(isn))
    events = feed_all(segments)
    assert data(event for _, event in events) == content
    assert len({id(connection) for connection, _ in events}) == 1


@given(ISNS, st.lists(st.tuples(st.integers(0, 120), st.binary(min_size=2, max_size=40)), max_size=25))
def test_agrees_with_a_model_that_keeps_the_first_byte_of_each_position(
    isn: int, pieces: list[tuple[int, bytes]]
) -> None:
    stream = opened(isn)
    model: dict[int, int] = {}
    differing = 0
    events: list[StreamEvent] = []
    for position, payload in pieces:
        for offset, byte in enumerate(payload, position):
            differing += model.setdefault(offset, byte) != byte
        events += run(stream, seg(payload, isn + 1 + position))
    events += end(stream)
    got = {e.offset + i: byte for e in events if isinstance(e, Data) for i, byte in enumerate(e.payload)}
    assert got == model
    assert sum(size for _, size in conflicts(events)) == differing
    missing = {offset + i for offset, size, _ in gaps(events) for i in range(size)}
    assert missing == set(range(max(model, default=-1) + 1)) - set(model)
    assert sum(fates(stream).values()) == sum(len(payload) for _, payload in pieces)


@st.composite
def anything(draw: st.DrawFn) -> list[Segment]:
    """Segments that mean nothing together, near enough to each other to get in each other's way."""
    bases = draw(st.lists(NUMBERS, min_size=1, max_size=3))
    near = st.one_of(
        st.integers(-5, 60),
        st.integers(-70_000, 70_000),
        st.sampled_from([MAX_AHEAD_BYTES, -MAX_AHEAD_BYTES, MAX_AHEAD_BYTES + 1, MAX_AHEAD_BYTES // 2 + 9, 1 << 31]),
    )
    number = st.builds(lambda base, step: (base + step) % 2**32, st.sampled_from(bases), near)
    flags = st.one_of(st.just(ACK), st.just(ACK), st.integers(0, 255))
    one = st.builds(
        lambda sender, capture, seq, ack, flags, window, payload, cut: (
            seg(payload, seq, sender=sender, flags=flags, ack=ack, capture=capture, window=window, cut=cut)
        ),
        st.sampled_from(Side), st.integers(0, 2), number, number, flags, st.integers(0, 3),
        st.one_of(st.just(b""), st.binary(max_size=30), st.just(bytes(700))), st.sampled_from([0, 0, 0, 1, 50, 70_000]),
    )  # fmt: skip
    few = draw(st.lists(one, max_size=60))
    repeats = draw(st.lists(st.sampled_from(few), max_size=40)) if few else []
    return [segment._replace(ts_ns=at, frame=at) for at, segment in enumerate(few + repeats, 1)]


def feed_all(segments: Sequence[Segment]) -> list[tuple[Connection, StreamEvent | Closed]]:
    conversation = Conversation()
    events: list[tuple[Connection, StreamEvent | Closed]] = []
    for segment in segments:
        events += conversation.feed(segment)
        if (current := conversation._current) is not None:
            for stream in current.streams:
                assert_bounded(stream)
    return events + conversation.finish()


def assert_bounded(stream: Stream) -> None:
    held = stream._held
    assert held.size == sum(len(piece[0]) for piece in held._pieces) <= MAX_HELD_BYTES
    assert len(held.starts) == len(held._pieces) <= MAX_HELD_SEGMENTS
    assert all(held.starts[i] + len(held._pieces[i][0]) <= held.starts[i + 1] for i in range(len(held.starts) - 1))
    assert len(stream._past) <= HISTORY_BYTES
    assert len(stream._cuts) <= MAX_CUT_RANGES
    assert len(stream._acks) <= REORDER_GRACE_PACKETS + 1
    assert len(stream._start.segments) < SETTLE_SEGMENTS


@settings(max_examples=300, deadline=None)
@given(anything())
def test_every_byte_and_packet_of_anything_is_accounted_for(segments: list[Segment]) -> None:
    events = feed_all(segments)
    closed = [connection for connection, event in events if event is CLOSED]
    assert len({id(connection) for connection, _ in events}) == len(closed)
    assert sum(sum(connection.packets.values()) for connection in closed) == len(segments)
    for capture in range(3):
        fed = sum(len(segment.payload) for segment in segments if segment.capture == capture)
        assert sum(connection.payload_bytes_in.get(capture, 0) for connection in closed) == fed
        assert sum(sum(connection.fates.get(capture, {}).values()) for connection in closed) == fed
    for connection in closed:
        own = [event for of, event in events if of is connection]
        for side in Side:
            assert_contiguous(own, connection, side)
            assert connection.conn_state(side)
            assert connection.history(side) is not None


def assert_contiguous(events: list[StreamEvent | Closed], connection: Connection, side: Side) -> None:
    position = delivered = 0
    for event in events:
        if isinstance(event, Data | Gap) and event.sender is side:
            assert event.offset == position
            size = event.size if isinstance(event, Gap) else len(event.payload)
            assert size > 0
            position += size
            delivered += size if isinstance(event, Data) else 0
    assert position == connection.stream_bytes(side)
    assert delivered == connection.delivered_bytes(side)
    assert position - delivered == connection.missed_bytes(side)


@settings(max_examples=100, deadline=None)
@given(anything())
def test_captures_the_traffic_is_split_over_change_nothing_else(segments: list[Segment]) -> None:
    def without_capture(case: list[Segment]) -> list[object]:
        plain: list[object] = []
        for connection, event in feed_all(case):
            if isinstance(event, Data | Gap | Conflict):
                plain.append(event._replace(capture=0))
            else:
                plain.append(connection.history(LOW))
        return plain

    assert without_capture(segments) == without_capture([segment._replace(capture=0) for segment in segments])


@given(shuffled())
def test_second_tap_adds_only_duplicates(case: tuple[bytes, int, list[Segment]]) -> None:
    content, isn, segments = case
    stream = opened(isn)
    events = [event for one in segments for event in run(stream, one, one._replace(capture=1))]
    assert data(events) == content
    assert not conflicts(events)
    assert all(event.capture == 0 for event in events)
