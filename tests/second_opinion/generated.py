"""Conversations made up for the comparison, each with its own client port, so that one capture holds them all."""

from __future__ import annotations

import random
import struct
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from tests.builders import packets as p
from tests.builders.conversations import (
    ACK,
    FIN,
    RST,
    SYN,
    Ends,
    Packet,
    Talk,
    duplicated,
    overlapped,
    resplit,
    shuffled,
    snapped,
    without,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_PORT: Final = 50_000
HALF: Final = 1 << 31
BIND: Final = bytes.fromhex(
    "05000b03100000004800000001000000b810b8100000000001000000000001001a7e4d10e1e1d0119a3d00c04fc9b3f4"
    "01000000045d888aeb1cc9119fe808002b10486002000000"
)


def text(talk: int, size: int) -> bytes:
    return random.Random(talk).randbytes(size)


def request(call: int, size: int) -> bytes:
    return struct.pack("<BBBB4sHHIIHH", 5, 0, 0, 3, b"\x10\0\0\0", 24 + size, 0, call, size, 0, 9) + text(call, size)


def response(call: int, size: int) -> bytes:
    return struct.pack("<BBBB4sHHIIHH", 5, 0, 2, 3, b"\x10\0\0\0", 24 + size, 0, call, size, 0, 0) + text(call, size)


def _chat(talk: Talk, turns: int = 6) -> Talk:
    for turn in range(turns):
        talk.say(text(turn, 40 + turn)).acknowledge().answer(text(100 + turn, 90)).acknowledge(from_client=True)
    return talk


def _burst(talk: Talk, count: int = 12, size: int = 100) -> Talk:
    """Data of one side without an ACK between, so that order within it is free."""
    for number in range(count):
        talk.say(text(number, size))
    return talk.acknowledge()


def _twice(first_end: Callable[[Talk], Talk]) -> Callable[[Ends], list[Packet]]:
    def make(ends: Ends) -> list[Packet]:
        talk = first_end(_chat(Talk(ends).open(), 2))
        return _chat(talk.restart(900_000_000, 77).open(), 2).close().packets

    return make


def _odd(*packets: Packet) -> Callable[[Ends], list[Packet]]:
    return lambda _: list(packets)


def _moved(packets: list[Packet], source: int, target: int) -> list[Packet]:
    packets.insert(target, packets.pop(source))
    return packets


def _conflicting(ends: Ends) -> list[Packet]:
    """A retransmission that says something else, before and after its bytes were delivered."""
    packets = Talk(ends).open().say(b"first").say(b"second").say(b"third").acknowledge().close().packets
    other = replace(packets[4], payload=b"SECOND")
    return [*packets[:3], packets[4], other, packets[3], other, *packets[5:]]


_C, _S = True, False
MADE: Final[dict[str, Callable[[Ends], list[Packet]]]] = {
    "plain": lambda ends: _chat(Talk(ends).open()).close().packets,
    "out of order": lambda ends: shuffled(_burst(Talk(ends).open()).close().packets, random.Random(1)),
    "retransmissions": lambda ends: duplicated(_chat(Talk(ends).open()).close().packets, random.Random(2)),
    "out of order and repeated": lambda ends: shuffled(
        duplicated(_burst(Talk(ends).open()).close().packets, random.Random(3)), random.Random(4), 6
    ),
    "overlaps": lambda ends: overlapped(_burst(Talk(ends).open()).close().packets, 33),
    "overlaps out of order": lambda ends: shuffled(
        overlapped(_burst(Talk(ends).open()).close().packets, 130), random.Random(5)
    ),
    "conflicting overlaps": _conflicting,
    "one lost": lambda ends: without(_burst(Talk(ends).open()).say(b"more").acknowledge().close().packets, 6),
    "last lost": lambda ends: without(_burst(Talk(ends).open()).close().packets, 14),
    "lost at the end, no ACK": lambda ends: without(_burst(Talk(ends).open()).packets, 6, -1),
    "lost and acknowledged by the other side's data": lambda ends: without(_chat(Talk(ends).open()).close().packets, 7),
    "ACK captured before its data": lambda ends: _moved(
        Talk(ends).open().say(b"one").say(b"two").acknowledge().say(b"three").acknowledge().close().packets, 4, 7
    ),
    "sequence wraps": lambda ends: _burst(Talk(ends, -500, -3).open()).answer(b"x" * 50).close().packets,
    "sequence wraps at a boundary": lambda ends: _burst(Talk(ends, -401).open()).close().packets,
    "sequence wraps out of order": lambda ends: shuffled(
        _burst(Talk(ends, -555).open()).close().packets, random.Random(6)
    ),
    "repeated where the numbers wrap": lambda ends: duplicated(
        _burst(Talk(ends, -401).open()).close().packets, random.Random(7), 1.0
    ),
    "first byte has number 0": lambda ends: _burst(Talk(ends, -1).open()).close().packets,
    "crosses half the numbers": lambda ends: _burst(Talk(ends, HALF - 333).open()).close().packets,
    "keep-alives": lambda ends: _chat(Talk(ends).open(), 1).keep_alive().keep_alive().say(b"still").close().packets,
    "keep-alive before any data": lambda ends: Talk(ends).open().keep_alive().say(b"now").acknowledge().close().packets,
    "midstream": lambda ends: _chat(Talk(ends).join()).close().packets,
    "midstream, out of order at once": lambda ends: _moved(_burst(Talk(ends).join()).close().packets, 0, 2),
    "midstream with keep-alive first": lambda ends: Talk(ends).join().keep_alive().say(b"now").close().packets,
    "only acknowledgements": lambda ends: Talk(ends).join().send().acknowledge().send().packets,
    "IPv6": lambda ends: _chat(Talk(ends).open()).close().packets,
    "IP fragments": lambda ends: _burst(Talk(ends).open()).answer(b"x" * 70).close().packets,
    "VLAN": lambda ends: _chat(Talk(ends).open()).close().packets,
    "two VLAN tags": lambda ends: _chat(Talk(ends).open()).close().packets,
    "snap length": lambda ends: snapped(_chat(Talk(ends).open()).close().packets, 41),
    "data with the SYN": lambda ends: Talk(ends).send(b"early", SYN).send(flags=SYN | ACK, from_client=False)
    .say(b" and later").acknowledge().close().packets,
    "data with the FIN": lambda ends: Talk(ends).open().say(b"so ").send(b"long", FIN | ACK).acknowledge().packets,
    "text in a RST": lambda ends: Talk(ends).open().say(b"data").send(b"go away", RST | ACK, from_client=False).packets,
    "data after the other side's RST": lambda ends: Talk(ends).open().say(b"one").reset(from_client=False)
    .say(b"two").packets,
    "refused": _odd(Packet(_C, 7, 0, SYN), Packet(_S, 0, 8, RST | ACK)),
    "reused after FIN": _twice(Talk.close),
    "reused after RST": _twice(Talk.reset),
    "reused without any end": _twice(lambda talk: talk),
    "one byte a segment": lambda ends: resplit(
        Talk(ends).open().say(BIND).answer(response(1, 30)).say(request(2, 64)).close().packets, 1
    ),
    "RPC on another port": lambda ends: Talk(ends).open().say(BIND).say(request(2, 64)).answer(response(2, 8))
    .close().packets,
    "RPC midstream": lambda ends: Talk(ends).join().say(request(2, 64)).answer(response(2, 8)).say(request(3, 9))
    .answer(response(3, 90)).close().packets,
}  # fmt: skip
_ENDS: Final[dict[str, dict[str, Any]]] = {
    "IPv6": {"client": p.CLIENT6, "server": p.SERVER6},
    "VLAN": {"vlans": (7,)},
    "two VLAN tags": {"vlans": (7, 8)},
    "IP fragments": {"fragment": 48},
    "one byte a segment": {"server_port": 49_664},
    "RPC on another port": {"server_port": 49_664},
    "RPC midstream": {"server_port": 49_664},
}
RANDOM: Final = 40


def _random(seed: int) -> Callable[[Ends], list[Packet]]:
    """Nothing lost, everything else that a network does."""

    def make(ends: Ends) -> list[Packet]:
        rng = random.Random(seed)
        talk = Talk(ends, rng.randrange(1 << 32), rng.randrange(1 << 32)).open()
        _burst(talk, rng.randint(1, 20), rng.randint(1, 300)).answer(text(seed, rng.randint(1, 2000))).send()
        packets = resplit(talk.packets, rng.choice((7, 64, 1000)))
        packets = overlapped(packets, rng.choice((0, 1, 50, 500))) if rng.random() < 0.5 else packets
        packets = duplicated(packets, rng, rng.choice((0.0, 0.2, 0.9)))
        # An ACK stands where it stood: data of the other side moves within its own burst.
        halves = ([x for x in packets if x.from_client == side and x.payload] for side in (True, False))
        client, server = (shuffled(half, rng, rng.choice((1, 4, 12))) for half in halves)
        rest = [x for x in packets if not x.payload]
        opening = [x for x in rest if x.flags & SYN or (x.from_client and x.ack == talk.packets[1].seq + 1)]
        return [*opening, *client, *server]

    return make


MADE.update({f"random {seed}": _random(seed) for seed in range(RANDOM)})


def ends_of(number: int, name: str) -> Ends:
    return replace(Ends(FIRST_PORT + number), **_ENDS.get(name, {}))
