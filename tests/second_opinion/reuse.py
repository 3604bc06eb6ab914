"""A 4-tuple used again, and what looks like it: where does a new stream begin?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.builders.conversations import ACK, FIN, RST, SYN, Packet

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

_C, _S = True, False
_SYN_ACK: Final = SYN | ACK
_A, _B = 1_000, 5_000
_N, _M = 900_000_000, 70_000
_FAR: Final = 3_000_000_000


def _open(isn: int, peer: int) -> list[Packet]:
    return [Packet(_C, isn, 0, SYN), Packet(_S, peer, isn + 1, _SYN_ACK), Packet(_C, isn + 1, peer + 1, ACK)]


def _talk(isn: int, peer: int) -> list[Packet]:
    return [Packet(_C, isn + 1, peer + 1, ACK, b"ab"), Packet(_S, peer + 1, isn + 3, ACK, b"cd")]


_OLD: Final = _open(_A, _B) + _talk(_A, _B)
_FINS: Final = [
    Packet(_C, _A + 3, _B + 3, FIN | ACK),
    Packet(_S, _B + 3, _A + 4, FIN | ACK),
    Packet(_C, _A + 4, _B + 4, ACK),
]
_NEW: Final = _open(_N, _M) + _talk(_N, _M)
_PEER_DATA: Final = Packet(_S, _B + 1, _A + 1, ACK, b"cd")
_SECOND: Final = Packet(_C, _A + 3, _B + 1, ACK, b"cd")

REUSED: Final[dict[str, list[Packet]]] = {
    "other SYN, answered": _OLD + _NEW,
    "other SYN after FINs": _OLD + _FINS + _NEW,
    "other SYN after a RST": [*_OLD, Packet(_C, _A + 3, 0, RST), *_NEW],
    "other SYN, the last packet": [*_OLD, Packet(_C, _N, 0, SYN)],
    "other SYN, the old connection goes on": [
        *_OLD,
        Packet(_C, _N, 0, SYN),
        Packet(_S, _B + 3, _A + 3, ACK, b"ef"),
    ],
    "same SYN, no end": [*_OLD, Packet(_C, _A, 0, SYN), Packet(_C, _A + 3, _B + 3, ACK, b"x")],
    "same SYN after one FIN": [*_OLD, *_FINS[:1], *_open(_A, _M)],
    "same SYN after FINs": [*_OLD, *_FINS, *_open(_A, _M), *_talk(_A, _M)],
    "same SYN after a RST": [*_OLD, Packet(_C, _A + 3, 0, RST), *_open(_A, _M), *_talk(_A, _M)],
    "same SYN after a refusal": [Packet(_C, _A, 0, SYN), Packet(_S, 0, _A + 1, RST | ACK), *_open(_A, _M)],
    "same SYN three times": [Packet(_C, _A, 0, SYN)] * 3,
    "other SYN, none answered": [Packet(_C, _A, 0, SYN), Packet(_C, _N, 0, SYN)],
    "SYN after the other side's data that acknowledges it": [_PEER_DATA, *_open(_A, _B)],
    "SYN after the other side's data that acknowledges another": [_PEER_DATA, *_NEW],
    "SYN after the other side's bare RST": [Packet(_S, _B + 1, 0, RST), *_NEW],
    "SYN after the other side's RST-ACK": [Packet(_S, _B + 1, _A, RST | ACK), *_NEW],
    "SYN after its own side's RST": [Packet(_C, 5, 0, RST), *_NEW],
    "SYN-ACK first": [_OLD[1], _OLD[0], *_OLD[2:]],
    "SYN-ACK first, other SYN": [_OLD[1], *_NEW],
    "SYN after its first data": [_OLD[3], _OLD[0], _OLD[1], _OLD[2], _OLD[4]],
    "SYN after its second data": [_SECOND, _OLD[0], _OLD[3]],
    "SYN after another connection's data": [_OLD[3], *_NEW],
    "SYN after another connection's keep-alive": [
        Packet(_C, _A, _B + 1, ACK, b"\0"),
        Packet(_S, _B + 1, _A + 1, ACK),
        *_NEW,
    ],
    "other SYN-ACK to the same SYN": [_OLD[0], _OLD[1], Packet(_S, _M, _A + 1, _SYN_ACK), *_talk(_A, _M)],
    "SYN-ACK of another connection": [*_OLD, *_NEW[1:]],
    "SYN-ACK of another connection after FINs": [*_OLD, *_FINS, *_NEW[1:]],
    "roles swapped after FINs": [
        *_OLD,
        *_FINS,
        Packet(_S, _M, 0, SYN),
        Packet(_C, _N, _M + 1, _SYN_ACK),
        Packet(_S, _M + 1, _N + 1, ACK),
    ],
    "roles swapped, with the number of the old SYN-ACK": [
        *_OLD,
        *_FINS,
        Packet(_S, _B, 0, SYN),
        Packet(_C, _N, _B + 1, _SYN_ACK),
    ],
    "simultaneous open": [
        Packet(_C, _A, 0, SYN),
        Packet(_S, _B, 0, SYN),
        Packet(_C, _A, _B + 1, _SYN_ACK),
        Packet(_S, _B, _A + 1, _SYN_ACK),
    ],
    "back to the first number": _OLD + _NEW + _open(_A, _B),
    "SYN and RST in one": [*_OLD, Packet(_C, _N, 0, SYN | RST)],
    "SYN and FIN in one": [*_OLD, Packet(_C, _N, 0, SYN | FIN)],
    "other numbers after FINs, no SYN": [*_OLD, *_FINS, *_talk(_N, _M)],
    "far numbers, no SYN": [*_OLD, *(Packet(_C, _FAR + i, _B + 3, ACK, b"n") for i in range(3))],
}


def begins(packets: Sequence[Packet]) -> list[int]:
    """Where tshark 4.0 begins a stream, as places in the packets of one 4-tuple.

    Each side has a base: the number of its last SYN or SYN-ACK in the stream; without one, one less than its first
    number or than the first one the other side acknowledged, whichever was seen first. A SYN without ACK begins a
    stream if it differs from its side's base. FIN and RST play no part.
    """
    base: dict[bool, int] = {}
    places = [0]
    for place, packet in enumerate(packets):
        side, flags = packet.from_client, packet.flags
        seq = packet.seq % (1 << 32)
        if flags & _SYN_ACK == SYN and base.get(side, seq) != seq:
            places.append(place)
            base = {}
        if flags & SYN:
            base[side] = seq
        base.setdefault(side, (seq - 1) % (1 << 32))
        if flags & ACK:
            base.setdefault(not side, (packet.ack - 1) % (1 << 32))
    return places


def anything(rng: random.Random) -> list[Packet]:
    """Packets of few numbers and all flags, likely to fit each other or just not to."""
    flags = (SYN, SYN, SYN, _SYN_ACK, _SYN_ACK, ACK, ACK, RST, RST | ACK, FIN | ACK, SYN | RST, SYN | FIN, 0)
    numbers, acknowledged = (1_000, 1_000, 1_001, 500_000, -1, 0), (1_000, 1_001, 1_002, 500_001, 0, 1)
    return [
        Packet(rng.random() < 0.6, rng.choice(numbers), rng.choice(acknowledged), rng.choice(flags))
        for _ in range(rng.randint(2, 7))
    ]
