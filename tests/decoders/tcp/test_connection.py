from __future__ import annotations

import pytest

from decoders.limits import REORDER_GRACE_PACKETS
from decoders.tcp.connection import Connection
from decoders.tcp.history import History
from decoders.tcp.model import ACK, FIN, RST, SYN, Data, Fate, Gap, Segment, Side

from .segments import HIGH, ISN, LOW, START, data, seg, syn, syn_ack

PEER_ISN = 9000
PEER = PEER_ISN + 1


def connect(*segments: Segment) -> Connection:
    connection = Connection(segments[0])
    for segment in segments:
        connection.feed(segment)
    connection.finish()
    return connection


def low(payload: bytes = b"", seq: int = START, flags: int = ACK, ack: int = PEER, window: int = 9) -> Segment:
    return seg(payload, seq, sender=LOW, flags=flags, ack=ack, window=window)


def high(payload: bytes = b"", seq: int = PEER, flags: int = ACK, ack: int = START, window: int = 9) -> Segment:
    return seg(payload, seq, sender=HIGH, flags=flags, ack=ack, window=window)


S, H, A = syn(), syn_ack(PEER_ISN, START), low()
HANDSHAKE = (S, H, A)
LOW_FIN, HIGH_FIN = low(flags=FIN | ACK), high(flags=FIN | ACK)
LOW_RST, HIGH_RST = low(flags=RST), high(flags=RST | ACK)
NULL_SCAN = low(flags=0)

CASES = [
    ((S,), "S0", "S"),
    (HANDSHAKE, "S1", "ShA"),
    ((*HANDSHAKE, low(b"ab"), high(b"c"), LOW_FIN, HIGH_FIN), "SF", "ShADdFf"),
    ((S, HIGH_RST), "REJ", "Sr"),
    ((*HANDSHAKE, LOW_FIN), "S2", "ShAF"),
    ((*HANDSHAKE, HIGH_FIN), "S3", "ShAf"),
    ((*HANDSHAKE, low(b"ab"), LOW_RST), "RSTO", "ShADR"),
    ((*HANDSHAKE, high(b"ab"), HIGH_RST), "RSTR", "ShAdr"),
    ((S, LOW_RST), "RSTOS0", "SR"),
    ((H, HIGH_RST), "RSTRH", "^hr"),
    ((S, LOW_FIN), "SH", "SF"),
    ((H, HIGH_FIN), "SHR", "^hf"),
    ((low(b"ab"), high(b"cd")), "OTH", "Dd"),
    ((low(b"ab"), LOW_RST), "OTH", "DR"),
    ((H, S, A), "S1", "^hSA"),
    ((H, A, low(b"ab")), "S1", "^hAD"),
    ((S, syn(PEER_ISN, sender=HIGH)), "S1", "Ss"),
    ((S, low(flags=FIN | RST | ACK)), "OTH", "SI"),
    ((low(flags=SYN | FIN),), "SH", "Q"),
    ((low(flags=SYN | RST),), "OTH", "Q"),
    ((*HANDSHAKE, LOW_FIN, LOW_RST, HIGH_FIN), "SF", "ShAFRf"),
    ((*HANDSHAKE, LOW_FIN, HIGH_FIN, HIGH_RST), "SF", "ShAFfr"),
    ((S, high(), LOW_RST), "RSTOS0", "SaR"),
    ((low(b"a"), syn(ISN)), "S0", "DS"),
    ((NULL_SCAN,), "OTH", ""),
]


@pytest.mark.parametrize(("segments", "state", "history"), CASES, ids=[f"{case[1]}-{case[2]}" for case in CASES])
def test_state_and_history_mean_what_they_mean_in_zeek(segments: tuple[Segment, ...], state: str, history: str) -> None:
    connection = connect(*segments)
    assert (connection.conn_state(LOW), connection.history(LOW)) == (state, history)


def test_state_and_history_turn_with_the_originator() -> None:
    connection = connect(low(b"ab"), high(b"cd"), HIGH_FIN)
    assert (connection.conn_state(LOW), connection.history(LOW)) == ("SHR", "Ddf")
    assert (connection.conn_state(HIGH), connection.history(HIGH)) == ("SH", "^dDF")


def test_zero_windows_repeat_in_powers_of_ten() -> None:
    connection = connect(*HANDSHAKE, *(high(window=0) for _ in range(100)))
    assert connection.history(LOW) == "ShAawww"
    assert connect(*HANDSHAKE, LOW_FIN, high(window=0)).history(LOW) == "ShAFa"


def test_retransmissions_and_gaps_repeat_in_powers_of_ten() -> None:
    connection = connect(*HANDSHAKE, low(b"ab"), *(low(b"ab") for _ in range(10)), low(b"cd", START + 5))
    assert connection.history(LOW) == "ShADTTG"


def test_scaled_letters_may_come_many_at_once() -> None:
    history = History()
    for times in (9, 1, 989):
        history.note_scaled(LOW, "g", times)
    assert history.oriented(LOW, LOW) == "GGG"


@pytest.mark.parametrize(
    ("segments", "originator"),
    [
        ((S,), LOW),
        ((H,), LOW),
        ((syn(PEER_ISN, sender=HIGH), S), HIGH),
        ((low(b"a"), high(b"b")), None),
        ((low(b"a"), S), LOW),
    ],
)
def test_syn_tells_the_originator(segments: tuple[Segment, ...], originator: Side | None) -> None:
    connection = connect(*segments)
    assert connection.syn_originator is originator
    assert connection.starts_midstream is (originator is None)


def test_answer_to_a_syn_not_captured_starts_the_originators_stream() -> None:
    connection = Connection(H)
    events = connection.feed(H) + connection.feed(low(b"cd", START + 2)) + connection.feed(low(b"ab"))
    assert data(events) == b"abcd"
    assert connection.isn(LOW) == ISN


def test_hole_is_given_up_by_packets_of_either_side() -> None:
    connection = Connection(S)
    for segment in (*HANDSHAKE, low(b"cd", START + 2), high(ack=START + 4)):
        connection.feed(segment)
    for _ in range(REORDER_GRACE_PACKETS - 1):
        assert connection.feed(high(ack=START + 4)) == []
    events = connection.feed(seg(sender=HIGH, seq=PEER, ack=START + 4, at=77))
    assert isinstance(events[0], Gap)
    assert (events[0].sender, events[0].size, events[0].frame) == (LOW, 2, 77)
    assert data(events) == b"cd"


def test_byte_counts_of_each_side() -> None:
    connection = connect(*HANDSHAKE, low(b"ab"), low(b"ef", START + 4), high(b"xyz", ack=START + 6), LOW_FIN)
    assert [connection.stream_bytes(side) for side in Side] == [6, 3]
    assert [connection.missed_bytes(side) for side in Side] == [2, 0]
    assert [connection.delivered_bytes(side) for side in Side] == [4, 3]


def test_packets_and_bytes_are_counted_by_capture() -> None:
    connection = connect(
        seg(flags=SYN, seq=ISN, capture=3, at=5),
        seg(b"ab", capture=3, at=6),
        seg(b"ab", capture=4, at=7),
        seg(b"x", PEER, sender=HIGH, capture=4, at=9),
    )
    assert connection.packets == {LOW: 3, HIGH: 1}
    assert connection.packets_by_capture == {3: 2, 4: 2}
    assert connection.payload_bytes_in == {3: 2, 4: 3}
    assert {c: sum(by_fate.values()) for c, by_fate in connection.fates.items()} == {3: 2, 4: 3}
    assert connection.fates[4][Fate.DUPLICATE] == 2
    assert (connection.first_ts_ns, connection.last_ts_ns) == (5, 9)
    assert (connection.first_capture, connection.first_frame) == (3, 5)
    assert (connection.first_sender, connection.first_seq) == (LOW, ISN)


def test_conflicts_are_counted() -> None:
    assert connect(*HANDSHAKE, low(b"abc"), low(b"aXc"), low(b"aYc")).conflicts == 2


def test_acknowledgement_of_an_older_connection_makes_no_gap() -> None:
    connection = connect(S, high(seq=5, ack=START + 500_000), LOW_RST)
    assert connection.missed_bytes(LOW) == 0


def test_acknowledgement_in_a_reset_proves_nothing() -> None:
    assert connect(*HANDSHAKE, high(flags=RST | ACK, ack=START + 5000)).missed_bytes(LOW) == 0


def test_server_that_forgot_its_first_answer_starts_at_the_second() -> None:
    connection = Connection(S)
    for segment in (S, H, syn_ack(PEER_ISN + 5000, START)):
        connection.feed(segment)
    assert data(connection.feed(high(b"hi", PEER + 5000)), HIGH) == b"hi"


@pytest.mark.parametrize(
    ("then", "late"),
    [
        # In order, and a packet that overtook another before anybody acknowledged it.
        (((b"ab", 0, 1), (b"cd", 2, 3)), [0, 0]),
        (((b"cd", 2, 1), (b"ab", 0, 2)), [0, 0]),
        # Acknowledged at 5, captured at 9; what follows is in order again.
        (((None, 2, 5), (b"ab", 0, 9), (b"cd", 2, 10)), [4, 0]),
        # The same, with an older acknowledgement in between that comes late itself.
        (((None, 2, 5), (None, 0, 8), (b"ab", 0, 9), (b"cd", 2, 10)), [4, 0]),
    ],
)
def test_bytes_captured_after_they_were_acknowledged(
    then: tuple[tuple[bytes | None, int, int], ...], late: list[int]
) -> None:
    connection = Connection(S)
    found = []
    for one in HANDSHAKE:
        connection.feed(one)
    for payload, place, at in then:
        if payload is None:
            segment = seg(b"", PEER, sender=HIGH, ack=START + place, at=at)
        else:
            segment = seg(payload, START + place, sender=LOW, ack=PEER, at=at)
        events = connection.feed(segment)
        found += [connection.captured_late_ns(event) for event in events if isinstance(event, Data)]
    assert found == late


def late_of_the_server(*segments: Segment) -> list[int]:
    connection, found = Connection(segments[0]), []
    for segment in segments:
        found += [connection.captured_late_ns(one) for one in connection.feed(segment) if isinstance(one, Data)]
    return found


def test_bytes_captured_late_are_known_where_the_syn_ack_is_late_too() -> None:
    """The client acknowledged the server's answer at 5; SYN-ACK and answer were captured at 8 and 9."""
    asked, heard = (seg(b"ab", START, sender=LOW, ack=PEER, at=2), seg(b"", START + 2, sender=LOW, ack=PEER + 2, at=5))
    answer = seg(b"hi", PEER, sender=HIGH, ack=START + 2, at=9)
    assert late_of_the_server(S, asked, heard, H._replace(ts_ns=8), answer) == [0, 4]


def test_a_connection_joined_in_the_middle_is_not_late() -> None:
    """What was acknowledged was captured before, though nobody knew its place then."""
    asked, answer = (seg(b"ab", START, sender=LOW, ack=PEER, at=1), seg(b"hi", PEER, sender=HIGH, ack=START + 2, at=2))
    heard = seg(b"cd", START + 2, sender=LOW, ack=PEER + 2, at=3)
    more = [seg(b"hi", PEER + 2 + 2 * n, sender=HIGH, ack=START + 4, at=4 + n) for n in range(REORDER_GRACE_PACKETS)]
    assert not any(late_of_the_server(asked, answer, heard, *more))
