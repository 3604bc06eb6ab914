"""Connections by the thousand, associations, contexts, and conversations that share a key."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from tests.builders import rpc
from tests.builders.msmq import stub
from tests.builders.rpc import QM2QM
from decoders.ndr.model import Direction
from tests.hostile.tape import ACK, PSH, SYN, CLIENT, SERVER, Line, Tape, frame, host

if TYPE_CHECKING:
    import random

_ASKED = stub(QM2QM, 8, Direction.IN, {})
_TOLD = stub(QM2QM, 8, Direction.OUT, {"pMajor": 5, "pMinor": 1, "pBuildNumber": 1})


def more_at_once(size: int, _: random.Random) -> bytes:
    """Ever more connections of one client, none of which ends."""
    tape, serial = Tape(size), 0
    while not tape.full():
        serial += 1
        port = 2103 + 11 * (serial // 50_000)
        Line(tape, 10_000 + serial % 50_000, port).open().bind(QM2QM, serial).call(8, _ASKED, _TOLD)
    return tape.octets()


def ended_at_last(size: int, _: random.Random) -> bytes:
    """Connections of one client, whose binds were not seen, that end when all of them have begun."""
    tape, lines = Tape(size), []
    while not tape.full(0.7):
        line = Line(tape, 10_000 + len(lines) % 50_000, 2103 + 11 * (len(lines) // 50_000))
        lines.append(line.call(8, _ASKED, _TOLD))
    for line in lines:
        line.close()
    return tape.octets()


def unnumbered(size: int, _: random.Random) -> bytes:
    """Connections of one client that begin with a request: each may be of any association of it."""
    tape, serial = Tape(size), 0
    while not tape.full():
        serial += 1
        line = Line(tape, 10_000 + serial % 50_000, 2103)
        if serial % 2:
            line.open().bind(QM2QM, serial).call(8, _ASKED, _TOLD)
        else:
            line.call(8, _ASKED, _TOLD).close()
    return tape.octets()


def accepted_and_silent(size: int, _: random.Random) -> bytes:
    """SYN-ACKs from port 2103 to everywhere; somebody calls the server now and then."""
    tape, serial = Tape(size), 0
    Line(tape, 30_000).open().bind(QM2QM).call(8, _ASKED, _TOLD).close()
    while not tape.full():
        serial += 1
        tape.packet(frame(SERVER, host(serial), 2103, 40_000, serial, 1, SYN | ACK, b""))
    return tape.octets()


def many_clients(size: int, _: random.Random) -> bytes:
    """A client of its own for each connection."""
    tape, serial = Tape(size), 0
    while not tape.full():
        serial += 1
        Line(tape, 40_000, client=host(serial)).open().bind(QM2QM, serial).call(8, _ASKED, _TOLD)
    return tape.octets()


def many_servers(size: int, _: random.Random) -> bytes:
    tape, serial = Tape(size), 0
    while not tape.full():
        serial += 1
        Line(tape, 40_000, server=host(serial)).open().bind(QM2QM, serial).call(8, _ASKED, _TOLD)
    return tape.octets()


def one_group(size: int, _: random.Random) -> bytes:
    """One number of an association for connections of ever more clients."""
    tape, serial = Tape(size), 0
    while not tape.full():
        serial += 1
        Line(tape, 40_000, client=host(serial)).open().bind(QM2QM, 1).call(8, _ASKED, _TOLD)
    return tape.octets()


def many_contexts(size: int, _: random.Random) -> bytes:
    """Presentation contexts proposed without end, never answered."""
    tape, serial = Tape(size), 0
    line = Line(tape, 40_000).open().bind(QM2QM)
    while not tape.full():
        serial += 1
        octets = bytearray(rpc.bind(*[QM2QM] * 20, kind=rpc.ALTER_CONTEXT))
        for place in range(20):
            struct.pack_into("<H", octets, 28 + 44 * place, (serial * 20 + place) & 0xFFFF)
        line.send(bytes(octets))
    return tape.octets()


def unanswered_calls(size: int, _: random.Random) -> bytes:
    """Requests that nobody answers, and answers to what nobody asked."""
    tape, serial = Tape(size), 0
    line = Line(tape, 40_000).open().bind(QM2QM)
    while not tape.full():
        serial += 1
        line.send(rpc.request(_ASKED, 8, serial)).send(rpc.response(_TOLD, (1 << 31) + serial), by_client=False)
    return tape.octets()


def one_call_id(size: int, _: random.Random) -> bytes:
    """Requests under one call id, then answers under it."""
    tape = Tape(size)
    line = Line(tape, 40_000).open().bind(QM2QM)
    while not tape.full(0.5):
        line.send(rpc.request(_ASKED, 8, 1))
    while not tape.full():
        line.send(rpc.response(_TOLD, 1), by_client=False)
    return tape.octets()


def fragments_of_calls(size: int, _: random.Random) -> bytes:
    """First fragments of requests whose last ones never come."""
    tape, serial = Tape(size), 0
    line = Line(tape, 40_000).open().bind(QM2QM)
    while not tape.full():
        serial += 1
        octets = bytearray(rpc.request(bytes(200), 6, serial))
        octets[3] = 1
        line.send(bytes(octets))
    return tape.octets()


def holes(size: int, _: random.Random) -> bytes:
    """A hole before every call, acknowledged by the peer."""
    tape = Tape(size)
    line = Line(tape, 40_000).open().bind(QM2QM)
    while not tape.full():
        line.lose(100).call(8, _ASKED, _TOLD)
    return tape.octets()


def small_segments(size: int, _: random.Random) -> bytes:
    """Every byte in a segment of its own, the first of each PDU last."""
    tape = Tape(size)
    line = Line(tape, 40_000).open().bind(QM2QM)
    call = 0
    while not tape.full():
        call += 1
        octets, start = rpc.request(_ASKED, 8, call), line.next[True]
        for place in (*range(1, len(octets)), 0):
            tape.packet(
                frame(CLIENT, SERVER, 40_000, 2103, start + place, line.next[False], PSH | ACK, octets[place : place + 1])
            )
        line.next[True] = start + len(octets)
        line.answer(call, _TOLD)
    return tape.octets()


_WORD = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def one_key(size: int, _: random.Random) -> bytes:
    """IPv6 conversations that would share a key if its hash were known, each with a hole that its peer acknowledged."""
    tape, serial = Tape(size), 0
    while not tape.full():
        serial += 1
        high = (0x2001_0DB8 << 32) + serial
        # What is mixed of an address is high * golden ^ low: the low half undoes the high one.
        client = high.to_bytes(8, "big") + (high * _GOLDEN & _WORD ^ 0x1234).to_bytes(8, "big")
        line = Line(tape, 40_000, client=client, server=b"\x20\x01\x0d\xb8" + bytes(11) + b"\x02").open().bind(QM2QM)
        line.lose(100).call(8, _ASKED, _TOLD).lose(3_000, by_client=False).call(8, _ASKED, _TOLD)
    return tape.octets()


IDEAS = (
    more_at_once,
    ended_at_last,
    unnumbered,
    accepted_and_silent,
    many_clients,
    many_servers,
    one_group,
    many_contexts,
    unanswered_calls,
    one_call_id,
    fragments_of_calls,
    holes,
    small_segments,
    one_key,
)
