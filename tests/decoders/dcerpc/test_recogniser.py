"""The recogniser: RPC is known by its chain of PDUs, however the bytes arrive, and nothing else is taken for it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.dcerpc.framing import ConnectionFramer, Framed, Skipped
from decoders.dcerpc.recogniser import Recogniser
from decoders.limits import MAX_INTERFACES_KEPT, MAX_RESYNC_BYTES
from decoders.tcp.model import Data, Gap, GapReason, Side
from tests.decoders.dcerpc import pdus as d

LOW, HIGH = Side.LOW, Side.HIGH
BIND = d.bind((d.QM2QM, (d.NDR, d.NDR64)))
STREAM = BIND + d.request(b"x" * 50) + d.bind((d.SAMR, (d.NDR,)), kind=d.ALTER) + d.request()


class Watched:
    """A recogniser behind a framer, fed bytes and holes."""

    def __init__(self) -> None:
        self.framer = ConnectionFramer()
        self.recogniser = Recogniser()
        self.ends = {LOW: 0, HIGH: 0}

    def data(self, sender: Side, payload: bytes, *, from_start: bool) -> None:
        event = Data(sender, self.ends[sender], payload, 0, 0, 1)
        self.ends[sender] += len(payload)
        self._note(self.framer.feed(event, from_start=from_start))

    def gap(self, sender: Side, size: int) -> None:
        event = Gap(sender, self.ends[sender], size, GapReason.NOT_CAPTURED, 0, 0, 1)
        self.ends[sender] += size
        self._note(self.framer.feed(event))

    def finish(self) -> None:
        self._note(self.framer.finish())

    def _note(self, events: list[Framed]) -> None:
        for framed in events:
            if not isinstance(framed, Skipped):
                self.recogniser.note(framed.sender, framed)

    def held(self, sender: Side) -> int:
        return len(self.framer.framers[sender]._held)

    @property
    def pdus(self) -> int:
        return self.recogniser.pdus

    @property
    def interfaces(self) -> list[str]:
        return self.recogniser.interfaces

    @property
    def speaks_rpc(self) -> bool:
        return self.recogniser.speaks_rpc


def fed(*chunks: bytes, sender: Side = LOW, from_start: bool = True) -> Watched:
    watched = Watched()
    for chunk in chunks:
        watched.data(sender, chunk, from_start=from_start)
    return watched


def seen(watched: Watched) -> tuple[int, list[str], Side | None, Side | None]:
    watched.finish()
    recogniser = watched.recogniser
    return recogniser.pdus, recogniser.interfaces, recogniser.binder, recogniser.requester


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_bind_in_single_bytes_is_found(order: d.ByteOrder) -> None:
    whole = d.bind((d.QM2QM, (d.NDR,)), (d.SAMR, (d.NDR,)), order=order)
    recogniser = fed(*(bytes((octet,)) for octet in whole[:-1]))
    assert not recogniser.speaks_rpc
    recogniser.data(LOW, whole[-1:], from_start=True)
    assert seen(recogniser) == (1, [d.QM2QM[0], d.SAMR[0]], LOW, None)


def test_several_pdus_in_one_chunk_are_all_counted() -> None:
    assert seen(fed(STREAM)) == (4, [d.QM2QM[0], d.SAMR[0]], LOW, LOW)


def test_a_pdu_over_many_chunks_is_counted_once_and_not_kept() -> None:
    large = d.request(b"\x05" * 60_000)
    recogniser = fed(*(large[at : at + 1_460] for at in range(0, len(large), 1_460)), d.request())
    assert recogniser.pdus == 2
    assert recogniser.held(LOW) == 0


LURES = st.sampled_from([b"\x05", d.request()[:16], BIND[:20], d.request(), b"\x05\0\0\3\x10\0\0\0\xff\xff\0\0"])
NOISE = st.lists(st.binary(max_size=20) | LURES, max_size=6).map(b"".join)


def cut(data: bytes, sizes: list[int]) -> list[bytes]:
    chunks: list[bytes] = []
    at = 0
    while at < len(data):
        size = sizes[len(chunks) % len(sizes)]
        chunks.append(data[at : at + size])
        at += size
    return chunks


@given(st.lists(st.integers(1, 60), min_size=1))
def test_how_a_stream_is_cut_changes_nothing(sizes: list[int]) -> None:
    assert seen(fed(*cut(STREAM, sizes))) == seen(fed(STREAM)) == (4, [d.QM2QM[0], d.SAMR[0]], LOW, LOW)


@given(st.lists(st.integers(1, 60), min_size=1), st.booleans(), NOISE, NOISE)
def test_how_noise_is_cut_changes_nothing(sizes: list[int], from_start: bool, before: bytes, after: bytes) -> None:
    data = before + STREAM + after
    assert seen(fed(*cut(data, sizes), from_start=from_start)) == seen(fed(data, from_start=from_start))


def test_what_a_false_header_covered_is_found_at_the_end() -> None:
    lure = b"\x05\0\0\3\x10\0\0\0\xff\xff\0\0\0\0\0\0"
    assert seen(fed(lure + STREAM, from_start=False)) == (4, [d.QM2QM[0], d.SAMR[0]], LOW, LOW)


def test_a_pdu_that_ends_where_a_hole_begins_is_believed() -> None:
    recogniser = fed(b"middle of something" + BIND, from_start=False)
    recogniser.gap(LOW, 1_000)
    assert seen(recogniser) == (1, [d.QM2QM[0]], LOW, None)


@pytest.mark.parametrize(
    ("pdu", "binder", "requester"),
    [
        (BIND, LOW, None),
        (d.bind((d.QM2QM, (d.NDR,)), kind=d.ALTER), LOW, None),
        (d.bind_ack(), HIGH, None),
        (d.pdu(d.BIND_NAK, bytes(8)), HIGH, None),
        (d.pdu(d.ALTER_RESP, bytes(44)), HIGH, None),
        (d.request(), None, LOW),
        (d.response(), None, HIGH),
        (d.pdu(d.FAULT, bytes(16)), None, HIGH),
        (d.response(order=">"), None, HIGH),
        (d.pdu(d.AUTH3, bytes(20)), None, None),
    ],
)
def test_each_pdu_tells_who_is_the_client(pdu: bytes, binder: Side | None, requester: Side | None) -> None:
    assert seen(fed(pdu))[2:] == (binder, requester)


def test_the_first_evidence_stands() -> None:
    recogniser = fed(BIND, d.request())
    recogniser.data(HIGH, BIND + d.request(), from_start=True)  # a callback
    assert seen(recogniser)[2:] == (LOW, LOW)


def test_a_start_in_the_middle_finds_the_next_pdu() -> None:
    middle = d.request(b"a" * 200)[70:]
    assert seen(fed(middle + BIND + d.request(), from_start=False)) == (2, [d.QM2QM[0]], LOW, LOW)
    assert seen(fed(d.response(), sender=HIGH, from_start=False)) == (1, [], None, LOW)


def test_a_header_that_leads_to_no_other_header_is_not_believed_in_the_middle() -> None:
    lure = d.request(b"")[:16]
    assert seen(fed(lure + b"no header follows this one" + BIND, from_start=False)) == (1, [d.QM2QM[0]], LOW, None)


def test_a_hole_inside_a_pdu_whose_end_is_known_costs_nothing() -> None:
    large = d.request(b"\x05\0\0\3" * 500)
    recogniser = fed(large[:100])
    recogniser.gap(LOW, len(large) - 200)
    recogniser.data(LOW, large[-100:] + BIND, from_start=True)
    assert seen(recogniser) == (2, [d.QM2QM[0]], LOW, LOW)
    recogniser.data(LOW, large[:100], from_start=True)
    recogniser.gap(LOW, len(large) - 100)  # exactly to its end
    recogniser.data(LOW, d.request(), from_start=True)
    assert recogniser.pdus == 4


@pytest.mark.parametrize("before", [b"", BIND[:40], d.request(b"x" * 90)[:60]])
def test_after_a_hole_over_a_boundary_the_next_pdu_is_searched(before: bytes) -> None:
    recogniser = fed(d.request(), before)
    recogniser.gap(LOW, 5_000)
    recogniser.data(LOW, b"rest of something" + BIND + d.request(), from_start=True)
    recogniser.finish()
    assert recogniser.interfaces == [d.QM2QM[0]]
    assert recogniser.pdus == (4 if before else 3)


def test_a_hole_at_the_start_begins_a_search() -> None:
    recogniser = Watched()
    recogniser.gap(LOW, 100)
    recogniser.data(LOW, b"tail" + BIND, from_start=True)
    assert seen(recogniser) == (1, [d.QM2QM[0]], LOW, None)


def test_a_connection_that_lost_step_finds_it_again() -> None:
    assert seen(fed(d.request() + b"sixteen bytes or more of junk" + BIND))[:2] == (2, [d.QM2QM[0]])


OTHERS = {
    "http": b"POST /queue HTTP/1.1\r\nHost: mq\r\n\r\n" * 40,
    "tls": bytes.fromhex("160301020001000 1fc0303".replace(" ", "")) + bytes(range(256)) * 3,
    "smb": bytes.fromhex("000000a4ff534d4272000000001853c8") + bytes(200),
    "socks5": b"\x05\x01\x00" + b"\x05\x01\x00\x03\x0bexample.com\x00\x50" + b"GET / HTTP/1.1\r\n" * 9,
    "fives": b"\x05" * 500,
    "zeros": bytes(500),
}


@pytest.mark.parametrize("from_start", [True, False])
@pytest.mark.parametrize("name", OTHERS)
def test_other_protocols_are_not_taken_for_rpc(name: str, from_start: bool) -> None:
    assert seen(fed(OTHERS[name], from_start=from_start))[0] == 0
    assert seen(fed(*(bytes((octet,)) for octet in OTHERS[name]), from_start=from_start))[0] == 0


def test_a_connection_that_began_otherwise_is_not_searched() -> None:
    assert not fed(b"HELO mail.example.com\r\n" + BIND).speaks_rpc


@given(
    st.lists(
        st.tuples(
            st.sampled_from([LOW, HIGH]),
            st.binary(max_size=60) | st.sampled_from([BIND, BIND[:30], d.request()]) | st.integers(0, 90),
        ),
        max_size=25,
    ),
    st.booleans(),
)
def test_random_streams_never_raise_and_are_never_hoarded(
    events: list[tuple[Side, bytes | int]], from_start: bool
) -> None:
    recogniser = Watched()
    for sender, event in events:
        if isinstance(event, int):
            recogniser.gap(sender, event)
        else:
            recogniser.data(sender, event, from_start=from_start)
    recogniser.finish()
    assert all(recogniser.held(side) == 0 for side in Side)


@pytest.mark.parametrize("from_start", [True, False])
@pytest.mark.parametrize(
    "junk", [b"\x05", b"\0", d.pdu(d.BIND)[:8] + b"\xff\xff\0\0" + bytes(4)], ids=["5", "0", "binds"]
)
def test_a_bind_that_claims_the_most_holds_no_more_than_that(junk: bytes, from_start: bool) -> None:
    recogniser = fed(d.pdu(d.BIND)[:8] + b"\xff\xff\0\0" + bytes(4), from_start=from_start)
    chunk = junk * (1_440 // len(junk))
    for _ in range(400):
        recogniser.data(LOW, chunk, from_start=from_start)
        assert recogniser.held(LOW) <= 65_535 + 1_440


def test_a_search_gives_up_after_its_limit() -> None:
    zeros = [bytes(10_000)] * (MAX_RESYNC_BYTES // 10_000)
    assert seen(fed(*zeros, BIND, from_start=False))[0] == 1
    assert seen(fed(*zeros, bytes(10_000), BIND, from_start=False))[0] == 0


def test_interfaces_are_kept_once_and_up_to_the_limit() -> None:
    many = [d.bind(((f"{n:08x}-0000-0000-0000-000000000000", 1, 0), (d.NDR,)), kind=d.ALTER) for n in range(100)]
    recogniser = fed(*many, *many)
    assert recogniser.pdus == 200
    assert len(recogniser.interfaces) == len(set(recogniser.interfaces)) == MAX_INTERFACES_KEPT


def test_a_bind_whose_contexts_do_not_fit_still_tells_the_client_and_those_that_did() -> None:
    assert seen(fed(d.bind((d.QM2QM, (d.NDR,)), claimed=9))) == (1, [d.QM2QM[0]], LOW, None)


def test_junk_interfaces_cannot_crowd_out_ours() -> None:
    junk = [((f"{number:08x}-0000-0000-0000-000000000000", 1, 0), (d.NDR,)) for number in range(200)]
    recogniser = fed(d.bind(*junk, (d.QM2QM, (d.NDR,))))
    assert recogniser.interfaces[-1] == d.QM2QM[0]
    assert len(recogniser.interfaces) == MAX_INTERFACES_KEPT + 1


@pytest.mark.parametrize("cut", [52, 60, len(BIND) - 1])
def test_a_bind_cut_behind_its_interface_still_names_it(cut: int) -> None:
    at_the_end = fed(BIND[:cut])
    at_the_end.finish()
    assert seen(at_the_end) == (1, [d.QM2QM[0]], LOW, None)
    before_a_hole = fed(BIND[:cut])
    before_a_hole.gap(LOW, len(BIND) - cut)
    before_a_hole.data(LOW, d.request(), from_start=True)
    assert seen(before_a_hole) == (2, [d.QM2QM[0]], LOW, LOW)


def test_bytes_before_the_bind_do_not_hide_it_once_the_server_answers() -> None:
    recogniser = Watched()
    recogniser.data(LOW, b"x" * 40, from_start=True)
    recogniser.data(LOW.peer, d.bind_ack(), from_start=True)
    recogniser.data(LOW, BIND + d.request(), from_start=True)
    recogniser.finish()
    assert seen(recogniser) == (3, [d.QM2QM[0]], LOW, LOW)
