"""Who ended a connection: told by numbers, and by nobody where packets around its end are missing."""

from __future__ import annotations

import pytest

from decoders.tcp.connection import Connection
from decoders.tcp.model import ACK, FIN, RST, Segment

from .segments import HIGH, LOW, START, seg, syn, syn_ack

PEER_ISN = 9000
PEER = PEER_ISN + 1
HANDSHAKE = (syn(), syn_ack(PEER_ISN, START), seg(seq=START, ack=PEER))
ASK = seg(b"ask", ack=PEER)
REPLY = seg(b"reply", PEER, sender=HIGH, ack=START + 3)
L, H = START + 3, PEER + 5
"""Where the bytes of both end."""


def low(flags: int, seq: int = L, ack: int = H, payload: bytes = b"") -> Segment:
    return seg(payload, seq, sender=LOW, flags=flags, ack=ack)


def high(flags: int, seq: int = H, ack: int = L, payload: bytes = b"") -> Segment:
    return seg(payload, seq, sender=HIGH, flags=flags, ack=ack)


def ended(*segments: Segment) -> Connection:
    timed = [one._replace(ts_ns=at, frame=at) for at, one in enumerate(segments, 1)]
    connection = Connection(timed[0])
    for one in timed:
        connection.feed(one)
    connection.finish()
    return connection


TALK = (*HANDSHAKE, ASK, REPLY)
LOW_FIN, HIGH_FIN = low(FIN | ACK), high(FIN | ACK)
HIGH_ANSWERS, LOW_ANSWERS = high(FIN | ACK, ack=L + 1), low(FIN | ACK, ack=H + 1)
CASES = {
    "low closes": ((LOW_FIN, HIGH_ANSWERS, low(ACK, L + 1, H + 1)), LOW, "Ff"),
    "high closes": ((HIGH_FIN, LOW_ANSWERS, high(ACK, H + 1, L + 1)), HIGH, "fF"),
    "captured in another order": ((HIGH_ANSWERS, LOW_FIN), LOW, "fF"),
    "half closed": ((LOW_FIN, high(ACK, ack=L + 1)), LOW, "F"),
    "with the last bytes": ((low(FIN | ACK, payload=b"bye"), high(FIN | ACK, ack=L + 4)), LOW, "Ff"),
    "the other still answers": ((LOW_FIN, high(ACK, payload=b"more"), high(FIN | ACK, H + 4, L + 1)), LOW, "Ff"),
    "then reset": ((LOW_FIN, high(ACK, ack=L + 1), low(RST, L + 1)), LOW, "FR"),
    "fins cross": ((LOW_FIN, HIGH_FIN, low(ACK, L + 1, H + 1), high(ACK, H + 1, L + 1)), None, "Ff"),
    "low resets": ((low(RST | ACK),), LOW, "R"),
    "high resets": ((high(RST | ACK),), HIGH, "r"),
    "high resets what it had not read": ((low(ACK, payload=b"more"), high(RST | ACK)), HIGH, "r"),
    "reset by a host that forgot": ((low(ACK, payload=b"more"), high(RST, ack=0)), None, "r"),
    "reset of what was closed": ((LOW_FIN, high(ACK, ack=L + 1), high(RST, ack=0)), LOW, "Fr"),
    "reset and fin cross": ((high(RST | ACK), LOW_FIN), None, "rF"),
    "both reset": ((high(RST | ACK), low(RST | ACK)), None, "rR"),
    "a reset that does not fit": ((high(RST | ACK, H + 700),), None, ""),
    "a reset that one goes on after": ((low(RST | ACK), low(ACK), high(ACK)), None, ""),
    "it just stops": ((), None, ""),
    "the first fin is missing": ((HIGH_ANSWERS, low(ACK, L + 1, H + 1)), None, "f"),
    "the first fin comes again": ((HIGH_ANSWERS, low(FIN | ACK, ack=H + 1)), None, "fF"),
    "it crossed, is missing and comes again": (
        (HIGH_FIN, high(ACK, H + 1, L + 1), low(FIN | ACK, ack=H + 1)),
        None,
        "fF",
    ),
    "bytes before the fin are missing": ((low(FIN | ACK, L + 50), high(FIN | ACK, ack=L + 51)), None, "Ff"),
    "bytes of the other are missing": ((low(FIN | ACK, ack=H + 50), high(FIN | ACK, H + 50, L + 1)), None, "Ff"),
}


@pytest.mark.parametrize("name", CASES)
def test_who_ended(name: str) -> None:
    segments, by, letters = CASES[name]
    connection = ended(*TALK, *segments)
    assert connection.ended_by is by
    told = "".join(f"{one.how}"[0] for one in connection.endings)
    assert told == letters.lower()
    assert [one.sender for one in connection.endings] == [LOW if letter.isupper() else HIGH for letter in letters]


def test_bytes_that_the_snap_length_cut_hide_no_end() -> None:
    cut = REPLY._replace(payload=b"re")
    assert ended(*HANDSHAKE, ASK, cut, LOW_FIN, HIGH_ANSWERS).ended_by is LOW


def test_a_side_of_which_nothing_was_seen_may_have_ended_before() -> None:
    assert ended(seg(b"ask", ack=PEER), low(FIN | ACK, ack=PEER)).ended_by is None
    assert ended(ASK, REPLY, LOW_FIN).ended_by is LOW


def test_numbers_wrap() -> None:
    isn = 2**32 - 4
    opening = syn(isn), syn_ack(PEER_ISN, isn + 1), seg(seq=isn + 1, ack=PEER)
    said = seg(b"ask", isn + 1, ack=PEER)
    fins = seg(seq=isn + 4, flags=FIN | ACK, ack=PEER), high(FIN | ACK, PEER, ack=1)
    assert isn + 4 == 2**32
    assert ended(*opening, said, *fins).ended_by is LOW
