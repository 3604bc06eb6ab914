from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from decoders.limits import MAX_AHEAD_BYTES, MAX_DOUBTFUL_SYNS, MAX_HELD_BYTES, STRANGE_SEGMENTS_BEFORE_RESTART
from decoders.tcp.conversation import CLOSED, Conversation
from decoders.tcp.model import ACK, FIN, RST, Fate, Segment

from .segments import HIGH, ISN, LOW, START, data, seg, syn, syn_ack

if TYPE_CHECKING:
    from decoders.tcp.connection import Connection

PEER_ISN = 9000
PEER = PEER_ISN + 1
OTHER_ISN = 2_000_000_000
OTHER = OTHER_ISN + 1
FAR = START + MAX_AHEAD_BYTES + 100


def follow(*segments: Segment) -> list[tuple[Connection, bytes, bytes]]:
    """Each connection with the bytes of both sides, in the order they closed."""
    conversation = Conversation()
    events = [event for segment in segments for event in conversation.feed(segment)] + conversation.finish()
    closed = [connection for connection, event in events if event is CLOSED]
    result = []
    for connection in closed:
        own = [event for of, event in events if of is connection]
        assert own[-1] is CLOSED
        assert own.count(CLOSED) == 1
        result.append((connection, data(own), data(own, HIGH)))
    assert {id(connection) for connection, _ in events} <= {id(connection) for connection in closed}
    assert sum(sum(connection.packets.values()) for connection in closed) == len(segments)
    return result


def streams(*segments: Segment) -> list[tuple[bytes, bytes]]:
    return [(low, high) for _, low, high in follow(*segments)]


def low(payload: bytes = b"", seq: int = START, flags: int = ACK, ack: int = PEER) -> Segment:
    return seg(payload, seq, sender=LOW, flags=flags, ack=ack)


def high(payload: bytes = b"", seq: int = PEER, flags: int = ACK, ack: int = START) -> Segment:
    return seg(payload, seq, sender=HIGH, flags=flags, ack=ack)


HANDSHAKE = (syn(), syn_ack(PEER_ISN, START), low())
AGAIN = (syn(OTHER_ISN), syn_ack(PEER_ISN + 777_777, OTHER), low(seq=OTHER))
FINS = (low(seq=START + 2, flags=FIN | ACK), high(seq=PEER, flags=FIN | ACK, ack=START + 3))


def test_nothing_fed_gives_nothing() -> None:
    assert Conversation().finish() == []


def test_one_connection_closes_at_the_end() -> None:
    assert streams(*HANDSHAKE, low(b"ab"), high(b"c")) == [(b"ab", b"c")]


@pytest.mark.parametrize("ending", [FINS, (low(seq=START + 2, flags=RST),), FINS[:1], ()])
def test_handshake_with_other_numbers_is_another_connection(ending: tuple[Segment, ...]) -> None:
    again = (*AGAIN, low(b"xyz", OTHER))
    assert streams(*HANDSHAKE, low(b"ab"), *ending, *again) == [(b"ab", b""), (b"xyz", b"")]


def test_stragglers_after_the_end_belong_to_the_old_connection() -> None:
    tail = (low(seq=START + 3), FINS[1], FINS[0], high(seq=PEER + 1, flags=RST), low(b"ab"))
    (only,) = follow(*HANDSHAKE, low(b"ab"), *FINS, *tail)
    assert only[0].conn_state(LOW) == "SF"
    assert only[0].packets == {LOW: 7, HIGH: 4}


def test_repeated_syn_and_syn_ack_are_retransmissions() -> None:
    assert streams(syn(), syn(), HANDSHAKE[1], HANDSHAKE[1], low(), low(b"ab"), syn(), low(b"cd", START + 2)) == [
        (b"abcd", b"")
    ]


def test_attempts_without_answer_are_told_apart_by_their_number() -> None:
    assert [c.conn_state(LOW) for c, _, _ in follow(syn(), syn(), syn(OTHER_ISN), syn(OTHER_ISN))] == ["S0", "S0"]


def test_refused_attempt_repeated_with_its_number_is_one_connection() -> None:
    refusal = seg(sender=HIGH, seq=0, flags=RST | ACK, ack=START)
    assert streams(syn(), refusal, *HANDSHAKE, low(b"ab"), high(b"c")) == [(b"ab", b"c")]


def test_old_duplicate_syn_does_not_end_a_connection_under_way() -> None:
    stray = syn(OTHER_ISN, payload=b"zz")
    ((connection, first, _),) = follow(*HANDSHAKE, low(b"ab"), stray, high(), low(b"cd", START + 2))
    assert first == b"abcd"
    assert connection.fates[0][Fate.OUT_OF_WINDOW] == 2


def test_forged_syn_before_any_data_does_not_move_the_stream() -> None:
    assert streams(*HANDSHAKE, syn(OTHER_ISN), high(), low(b"ab")) == [(b"ab", b"")]


def test_syn_answered_or_followed_up_is_another_connection() -> None:
    assert streams(*HANDSHAKE, low(b"ab"), syn(OTHER_ISN), low(b"xy", OTHER)) == [(b"ab", b""), (b"xy", b"")]
    refusal = seg(sender=HIGH, seq=0, flags=RST | ACK, ack=OTHER)
    first, second = follow(*HANDSHAKE, low(b"ab"), syn(OTHER_ISN), syn(OTHER_ISN), refusal)
    assert (first[0].conn_state(LOW), second[0].conn_state(LOW)) == ("S1", "REJ")


def test_last_syn_of_the_input_is_an_attempt_of_its_own() -> None:
    assert [c.conn_state(LOW) for c, _, _ in follow(*HANDSHAKE, syn(OTHER_ISN))] == ["S1", "S0"]


def test_copies_of_a_doubtful_syn_are_bounded() -> None:
    conversation = Conversation()
    for segment in (*HANDSHAKE, *(syn(OTHER_ISN) for _ in range(10 * MAX_DOUBTFUL_SYNS))):
        conversation.feed(segment)
        assert len(conversation._doubtful) <= MAX_DOUBTFUL_SYNS


def test_syn_overtaken_by_its_data_belongs_to_it() -> None:
    assert streams(low(b"cd", START + 2), syn(), low(b"ab")) == [(b"abcd", b"")]
    assert streams(HANDSHAKE[1], syn(), low(b"ab")) == [(b"ab", b"")]


def test_syn_after_the_middle_of_a_stream_is_another_connection() -> None:
    assert streams(low(b"ab"), low(b"cd", START + 2), *AGAIN, low(b"xy", OTHER)) == [(b"abcd", b""), (b"xy", b"")]


def test_syn_after_nothing_but_acknowledgements_is_another_connection() -> None:
    first, second = follow(low(), high(), syn(OTHER_ISN), syn_ack(77, OTHER))
    assert first[0].starts_midstream
    assert second[0].syn_originator is LOW


@pytest.mark.parametrize("ending", [FINS, (high(flags=RST),)])
def test_far_data_after_the_end_is_another_connection_joined_in_the_middle(ending: tuple[Segment, ...]) -> None:
    far = START + MAX_HELD_BYTES + 100
    first, second = follow(*HANDSHAKE, low(b"ab"), *ending, low(b"xy", far))
    assert (first[1], second[1]) == (b"ab", b"xy")
    assert second[0].starts_midstream


def test_far_data_on_an_open_connection_must_repeat_to_be_another_one() -> None:
    strange = [low(b"xy", FAR + 2 * i) for i in range(STRANGE_SEGMENTS_BEFORE_RESTART)]
    assert streams(*HANDSHAKE, low(b"ab"), *strange) == [(b"ab", b""), (b"xy" * len(strange), b"")]
    ((connection, first, _),) = follow(*HANDSHAKE, low(b"ab"), *strange[:-1], low(b"cd", START + 2), strange[-1])
    assert first == b"abcd"
    assert connection.fates[0][Fate.OUT_OF_WINDOW] == 2 * len(strange)


def test_strange_data_of_both_sides_goes_to_the_new_connection() -> None:
    peer_far = PEER + MAX_AHEAD_BYTES + 100
    strange = [low(b"a", FAR), high(b"x", peer_far), low(b"b", FAR + 1), low(b"c", FAR + 2), high(b"y", peer_far + 1)]
    assert streams(*HANDSHAKE, low(b"ab"), high(b"z"), *strange) == [(b"ab", b"z"), (b"abc", b"xy")]


@pytest.mark.parametrize("jump", [100_000_000, -100_000_000, MAX_HELD_BYTES + 100])
def test_both_sides_with_other_numbers_are_another_connection_of_the_same_ends(jump: int) -> None:
    """Its beginning was not captured, nor the end of the one before."""
    seq, ack = (START + jump) % (1 << 32), (PEER - jump) % (1 << 32)
    again = (low(b"x", seq, ack=ack), high(b"y", ack, ack=seq + 1), low(b"z", seq + 1, ack=ack + 1))
    assert streams(*HANDSHAKE, low(b"ab"), high(b"c"), *again) == [(b"ab", b"c"), (b"xz", b"y")]


def test_last_data_with_other_numbers_is_another_connection() -> None:
    """Nobody answers it, and nothing goes on."""
    far = START + 100_000_000
    assert streams(*HANDSHAKE, low(b"ab"), high(b"c"), low(b"x", far, ack=far)) == [(b"ab", b"c"), (b"x", b"")]


def test_data_with_other_numbers_is_no_part_of_a_connection_that_goes_on() -> None:
    far = START + 100_000_000
    ((connection, mine, theirs),) = follow(
        *HANDSHAKE, low(b"ab"), high(b"c"), low(b"x", far, ack=far), low(b"d", START + 2, ack=PEER + 1)
    )
    assert (mine, theirs) == (b"abd", b"c")
    assert connection.missed_bytes(LOW) == 0
    assert connection.fates[0][Fate.OUT_OF_WINDOW] == 1


def test_much_missing_of_one_side_is_no_other_connection() -> None:
    far = PEER + 100_000_000
    answered = (low(b"d", START + 2, ack=far), high(b"y", far, ack=START + 3))
    assert streams(*HANDSHAKE, low(b"ab"), high(b"c"), *answered) == [(b"abd", b"cy")]


def test_late_copies_of_old_data_are_no_other_connection() -> None:
    """Two taps, of which one has a clock that lags."""
    size = MAX_HELD_BYTES // 4
    mine = [low(bytes(size), START + place * size, ack=PEER + place * size) for place in range(6)]
    theirs = [high(bytes(size), PEER + place * size, ack=START + place * size + size) for place in range(6)]
    turns = [one for pair in zip(mine, theirs, strict=True) for one in pair]
    ((connection, _, _),) = follow(*HANDSHAKE, *turns, mine[0], theirs[0])
    assert connection.fates[0][Fate.DUPLICATE] == 2 * size


def test_stream_that_goes_on_after_its_own_reset_is_seen_as_another_connection() -> None:
    after = [low(b"cd", START + 2 + 2 * i) for i in range(STRANGE_SEGMENTS_BEFORE_RESTART)]
    assert streams(*HANDSHAKE, low(b"ab"), low(seq=START + 2, flags=RST), *after) == [(b"ab", b""), (b"cdcdcd", b"")]


def test_reset_that_the_peer_did_not_take_hides_nothing() -> None:
    goes_on = (low(b"cd", START + 2), high(b"", ack=START + 4), low(b"ef", START + 4), high(b"z", ack=START + 6))
    assert streams(*HANDSHAKE, low(b"ab"), low(seq=START + 2, flags=RST), *goes_on) == [(b"abcdef", b"z")]


def test_fin_far_ahead_makes_no_gap_where_a_nearer_one_follows() -> None:
    forged = low(seq=START + 50_000, flags=FIN | ACK)
    ((connection, bytes_low, _),) = follow(*HANDSHAKE, low(b"ab"), forged, high(b"z", ack=START + 2), *FINS)
    assert bytes_low == b"ab"
    assert connection.missed_bytes(LOW) == 0


def test_many_connections_follow_each_other() -> None:
    segments: list[Segment] = []
    for i in range(50):
        isn = (ISN + i * 123_456_789) % 2**32
        segments += (syn(isn), syn_ack(isn // 2, isn + 1), low(b"%02d" % i, isn + 1))
        segments.append(low(seq=isn + 3, flags=FIN | ACK))
    assert [first for first, _ in streams(*segments)] == [b"%02d" % i for i in range(50)]
