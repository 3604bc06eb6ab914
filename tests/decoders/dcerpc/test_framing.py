"""Framing: every byte once and in order, the same PDUs however they arrive, none that is not there."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc.framing import BrokenPdu, ConnectionFramer, Framed, FramedPdu, Framer, Skipped, SkipReason
from decoders.limits import MAX_PDU_BYTES, MAX_RESYNC_BYTES
from decoders.tcp.model import Data
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import HIGH, LOW, Piece, cut, events, frame_all, sizes
from tests.timing import quickest

PDUS = [
    d.bind((d.QM2QM, (d.NDR, d.NDR64))),
    d.request(b"x" * 50, flags=d.FIRST),
    d.request(b"\x05\0\0\3\x10\0\0\0" * 9, ">", flags=d.LAST),
    d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER, auth=d.Auth(pad=4)),
    d.pdu(d.ORPHANED),
    d.request(),
]
STREAM = b"".join(PDUS)
STARTS = {sum(map(len, PDUS[:n])): pdu for n, pdu in enumerate(PDUS)}


def whole(framed: list[Framed]) -> list[bytes]:
    return [one.data for one in framed if isinstance(one, FramedPdu)]


def shape(framed: list[Framed]) -> list[tuple[str, int, int]]:
    return [(type(one).__name__, one.offset, one.size if isinstance(one, Skipped) else len(one.data)) for one in framed]


def spans(framed: list[Framed]) -> list[tuple[int, int]]:
    return [
        (one.offset, one.offset + one.size if isinstance(one, Skipped) else min(one.end, len(STREAM))) for one in framed
    ]


@given(st.lists(st.integers(1, 60), min_size=1))
def test_how_a_stream_is_cut_changes_nothing(lengths: list[int]) -> None:
    pieces = cut(STREAM, lengths)
    framed = frame_all(pieces)
    assert whole(framed) == PDUS
    assert [one.offset for one in framed] == list(STARTS)
    assert sum(sizes(framed).values()) == len(STREAM)


def test_a_pdu_is_traced_to_its_frames_captures_and_times() -> None:
    pdu = d.request(b"x" * 76)
    first, second = frame_all([pdu[:10], pdu[10:60], pdu[60:] + pdu[:5], pdu[5:]])
    assert isinstance(first, FramedPdu)
    assert isinstance(second, FramedPdu)
    assert first.origin.frames == ((1, 1), (0, 2), (1, 3))
    assert (first.origin.first_ts_ns, first.origin.last_ts_ns) == (1, 3)
    assert first.origin.bytes_by_capture == {1: 50, 0: 50}
    assert second.origin.frames == ((1, 3), (0, 4))
    assert second.origin.bytes_by_capture == {1: 5, 0: 95}


LURES = st.sampled_from([b"\x05", d.request()[:16], PDUS[0][:20], d.request(), STREAM, d.pdu(d.BIND)[:8] + b"\xff\xff"])
NOISE = st.binary(max_size=40) | LURES
PIECES = st.lists(NOISE | st.integers(1, 200), max_size=20)


@given(PIECES, st.booleans())
def test_every_byte_comes_out_once_and_in_order(pieces: list[Piece], from_start: bool) -> None:
    fed: dict[int, int] = {}
    for event in events(pieces):
        if isinstance(event, Data) and event.payload:
            fed[event.capture] = fed.get(event.capture, 0) + len(event.payload)
    framed = frame_all(pieces, from_start=from_start)
    assert sizes(framed) == fed
    for one, following in itertools.pairwise(framed):
        end = one.offset + one.size if isinstance(one, Skipped) else one.end
        assert end <= following.offset
    for one in framed:
        if isinstance(one, BrokenPdu):
            captured = sum(one.origin.bytes_by_capture.values())
            assert captured + one.missing == one.header.frag_length
            assert one.missing > 0
        elif isinstance(one, FramedPdu):
            assert len(one.data) == one.header.frag_length == sum(one.origin.bytes_by_capture.values())
        else:
            assert one.size == sum(one.bytes_by_capture.values()) > 0


@given(NOISE, NOISE, st.lists(st.integers(1, 40), min_size=1), st.booleans())
def test_how_noise_is_cut_changes_nothing(before: bytes, after: bytes, lengths: list[int], from_start: bool) -> None:
    data = before + STREAM + after
    if data:
        assert shape(frame_all(cut(data, lengths), from_start=from_start)) == shape(
            frame_all([data], from_start=from_start)
        )


@given(st.integers(0, len(STREAM) - 1), st.integers(1, len(STREAM)), st.booleans())
def test_a_hole_anywhere_never_invents_a_pdu(at: int, size: int, from_start: bool) -> None:
    size = min(size, len(STREAM) - at)
    framed = frame_all([STREAM[:at], size, STREAM[at + size :]], from_start=from_start)
    for one in framed:
        if isinstance(one, FramedPdu):
            assert STARTS[one.offset] == one.data
        elif isinstance(one, BrokenPdu):
            assert STARTS[one.offset].startswith(one.data)
    if from_start:
        # What lies before the hole is there, and what follows it if a whole PDU does.
        assert [one.offset for one in framed if isinstance(one, FramedPdu) and one.end <= at] == [
            start for start, pdu in STARTS.items() if start + len(pdu) <= at
        ]
        untouched = [start for start in STARTS if start >= at + size]
        found = [one.offset for one in framed if isinstance(one, FramedPdu) and one.offset >= at + size]
        assert found == untouched


def test_a_hole_inside_a_pdu_keeps_step_and_counts_both_ends() -> None:
    pdu = d.request(b"y" * 500)
    broken, following = frame_all([pdu[:100], 200, pdu[300:400], 50, pdu[450:] + d.request()])
    assert isinstance(broken, BrokenPdu)
    assert isinstance(following, FramedPdu)
    assert broken.data == pdu[:100]
    assert broken.missing == 250
    assert broken.origin.bytes_by_capture == {1: 100 + 100 + len(pdu) - 450}
    assert broken.origin.frames == ((1, 1), (1, 3), (1, 5))
    assert following.offset == len(pdu)


@pytest.mark.parametrize(
    ("pieces", "from_start", "reasons"),
    [
        ([d.request(), d.request()[:7], 40, STREAM], True, [SkipReason.HEADER_CUT]),
        ([d.request(), d.request()[:7]], True, [SkipReason.HEADER_CUT]),
        ([b"tail of something" + STREAM], False, [SkipReason.SEARCHING]),
        ([d.request() + b"sixteen bytes or more of junk" + STREAM], True, [SkipReason.SEARCHING]),
        ([b"GET / HTTP/1.1\r\n\r\n", STREAM], True, [SkipReason.NOT_RPC]),
        ([b"short"], True, [SkipReason.NOT_RPC]),
        ([bytes(MAX_RESYNC_BYTES + 90), STREAM], False, [SkipReason.SEARCHING, SkipReason.NOT_RPC]),
    ],
)
def test_skipped_bytes_say_why(pieces: list[Piece], from_start: bool, reasons: list[SkipReason]) -> None:
    framed = frame_all(pieces, from_start=from_start)
    assert [one.reason for one in framed if isinstance(one, Skipped)] == reasons


def test_a_direction_that_spoke_rpc_is_searched_however_long_it_takes() -> None:
    framed = frame_all([d.request(), 10, bytes(MAX_RESYNC_BYTES * 2), STREAM])
    assert whole(framed) == [d.request(), *PDUS]


def test_a_trace_of_rpc_inside_a_message_is_not_taken_for_the_connections_own() -> None:
    trace = STREAM * 3
    message = d.request(b"body:" + trace + b" and more of the message", flags=d.LAST)
    framed = frame_all([message[20:] + STREAM], from_start=False)
    assert whole(framed) == PDUS
    answers = d.bind_ack() + d.response()
    framed = frame_all([d.request(STREAM + answers + STREAM)[21:] + STREAM], from_start=False)
    assert whole(framed)[-len(PDUS) :] == PDUS
    assert d.bind_ack() not in whole(framed)


def test_a_chain_is_believed_before_the_end_once_no_single_body_could_hold_it() -> None:
    framer = Framer(LOW)
    pdu = d.request(b"z" * 1_000)
    found = 0
    for event in events([b"middle"] + [pdu] * 100):
        found += len([one for one in framer.feed(event) if isinstance(one, FramedPdu)])
        assert len(framer._held) <= 2 * MAX_PDU_BYTES
    assert found == 100


def test_a_side_that_began_otherwise_is_looked_at_again_once_its_peer_speaks() -> None:
    framer = ConnectionFramer()
    framed = framer.feed(Data(LOW, 0, b"x" * 40, 0, 0, 1), from_start=True)
    framed += framer.feed(Data(HIGH, 0, d.bind_ack(), 0, 0, 2), from_start=True)
    framed += framer.feed(Data(LOW, 40, STREAM, 0, 0, 3))
    framed += framer.finish()
    assert whole(framed) == [d.bind_ack(), *PDUS]
    assert sum(sizes(framed).values()) == 40 + len(d.bind_ack()) + len(STREAM)


CHEAP_HEADER = d.pdu(d.SHUTDOWN)
HOSTILE = {
    "one byte at a time": [bytes((octet,)) for octet in d.request(b"q" * 65_000) * 2],
    "fives": [b"\x05" * 1_460] * 400,
    "chains that break": [(CHEAP_HEADER * 4_000 + b"break")[:65_000]] * 8,
    "roles that alternate": [(CHEAP_HEADER + d.pdu(d.ORPHANED)) * 2_000] * 8,
    "long headers": [(d.pdu(d.BIND)[:8] + b"\xff\xff\0\0\0\0\0\0") * 4_000] * 8,
}


@pytest.mark.parametrize("from_start", [True, False])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bytes_cost_linear_time(name: str, from_start: bool) -> None:
    framed, seconds = quickest(lambda: frame_all(HOSTILE[name], from_start=from_start), 5, times=2)
    assert seconds < 5
    assert sum(sizes(framed).values()) == sum(map(len, HOSTILE[name]))
