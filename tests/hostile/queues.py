"""Calls of qm2qm whose state grows: opens, numbers, associations, transactions, cursors, message ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.builders.msmq import descriptor
from tests.builders.rpc import QM2QM
from tests.hostile.tape import Line, Tape, host, stubs

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

LICENCE = "0b0a0908-0706-0504-0302-010000000001"
_OPEN, _OPENED = stubs(QM2QM, 2)
_CLOSE, _CLOSED = stubs(QM2QM, 3)
_PURGE, _PURGED = stubs(QM2QM, 6)
_START, _STARTED = stubs(QM2QM, 0)
_END, _ENDED = stubs(QM2QM, 1)
_CURSOR, _CURSOR_CLOSED = stubs(QM2QM, 4)
_DONE = {"return_value": 0}


def uuid_of(number: int) -> str:
    return f"{number:08x}-1111-2222-3333-444444444444"


def _opening(number: int) -> bytes:
    return _OPEN({"pLicGuid": LICENCE, "dwMQS": 1, "hQueue": number, "pQueue": number, "dwpContext": number})


def _purge(number: int) -> bytes:
    return _PURGE({"hQueue": number})


_PURGE_DONE = _PURGED(_DONE)


def ordinary(size: int, rng: random.Random) -> bytes:
    """Clients that open a queue, read some messages and close it."""
    tape, serial = Tape(size), 0
    while not tape.full():
        serial += 1
        client, server = host(rng.randrange(200), 12), host(rng.randrange(20), 13)
        line = Line(tape, 20_000 + serial % 40_000, client=client, server=server).open().bind(QM2QM, serial)
        queue, session = rng.randrange(1, 1 << 20), uuid_of(serial)
        line.call(2, _opening(queue), _OPENED({"phContext": session, **_DONE}))
        for read in range(1, 11):
            handle, message = f"{read:08x}-1111-2222-3333-{serial:012x}", rng.randbytes(rng.randrange(50, 300))
            numbers = {"hRemoteQueue": queue, "dwQueue": queue, "dwRequestID": read, "ulAction": 0}
            given = {"pphContext": handle, "lpRemoteReadDesc": descriptor(message, **numbers), **_DONE}
            line.call(0, _START({"lpRemoteReadDesc": descriptor(**numbers)}), _STARTED(given))
            line.call(1, _END({"pphContext": handle, "dwAck": 2}), _ENDED({"pphContext": None, **_DONE}))
        line.call(3, _CLOSE({"pphContext": session}), _CLOSED({"pphContext": None, **_DONE})).close()
    return tape.octets()


def unanswered_opens(size: int, _: random.Random) -> bytes:
    """Opens that nobody answers, then purges of queues that nobody opened."""
    tape, number = Tape(size), 0
    line = Line(tape, 30_000).open().bind(QM2QM)
    while not tape.full(0.5):
        number += 1
        line.ask(2, _opening(number))
    while not tape.full():
        number += 1
        line.call(6, _purge(number), _PURGE_DONE)
    return tape.octets()


def one_number(size: int, _: random.Random) -> bytes:
    """One queue number opened on and on over many associations of one client, then purged on and on."""
    tape, serial = Tape(size), 0
    while not tape.full(0.5):
        line = Line(tape, 10_000 + serial % 50_000, server_port=2103 + 11 * (serial // 50_000)).open()
        line.bind(QM2QM, serial + 1)
        for _ in range(8):
            serial += 1
            line.call(2, _opening(7), _OPENED({"phContext": uuid_of(serial), **_DONE}))
    line = Line(tape, 9_000).open().bind(QM2QM, 1 << 30)
    while not tape.full():
        line.call(6, _purge(7), _PURGE_DONE)
    return tape.octets()


def many_sessions(size: int, _: random.Random) -> bytes:
    """Queues opened without end in one association, each with a number of its own; some are then purged."""
    tape, serial = Tape(size), 0
    line = Line(tape, 30_000).open().bind(QM2QM)
    while not tape.full():
        serial += 1
        line.call(2, _opening(serial), _OPENED({"phContext": uuid_of(serial), **_DONE}))
        line.call(6, _purge(1 << 31 | serial), _PURGE_DONE)
    return tape.octets()


def unseen_handles(size: int, _: random.Random) -> bytes:
    """Sessions that are closed, each by a handle that nobody was seen to get."""
    tape, serial = Tape(size), 0
    line = Line(tape, 30_000).open().bind(QM2QM)
    while not tape.full():
        serial += 1
        line.call(3, _CLOSE({"pphContext": uuid_of(serial)}), _CLOSED({"pphContext": None, **_DONE}))
    return tape.octets()


def _reads(size: int, numbers: Callable[[int], dict[str, Any]], *, answer: bool, share: float = 1.0) -> tuple[Tape, Line]:
    tape, serial = Tape(size), 0
    line = Line(tape, 30_000).open().bind(QM2QM)
    line.call(2, _opening(7), _OPENED({"phContext": LICENCE, **_DONE}))
    while not tape.full(share):
        serial += 1
        told = {"ulAction": 0, "dwRequestID": serial, **numbers(serial)}
        call = line.ask(0, _START({"lpRemoteReadDesc": descriptor(**told)}))
        if answer:
            given = {"pphContext": uuid_of(serial), "lpRemoteReadDesc": descriptor(b"message", **told), **_DONE}
            line.answer(call, _STARTED(given))
    return tape, line


def held_reads(size: int, _: random.Random) -> bytes:
    """Messages given out, none of them acknowledged."""
    return _reads(size, lambda _: {}, answer=True)[0].octets()


def one_request_id(size: int, _: random.Random) -> bytes:
    """The same, all asked for under one request id."""
    return _reads(size, lambda _: {"dwRequestID": 1}, answer=True)[0].octets()


def unanswered_reads(size: int, _: random.Random) -> bytes:
    """Reads that nobody answers, then ends of reads by handles that nobody was seen to get."""
    tape, line = _reads(size, lambda _: {}, answer=False, share=0.5)
    serial = 0
    while not tape.full():
        serial += 1
        line.call(1, _END({"pphContext": uuid_of(serial), "dwAck": 2}), _ENDED({"pphContext": None, **_DONE}))
    return tape.octets()


def many_cursors(size: int, _: random.Random) -> bytes:
    """Each read by a cursor of its own."""
    return _reads(size, lambda serial: {"hCursor": serial}, answer=True)[0].octets()


def closed_cursors(size: int, _: random.Random) -> bytes:
    tape, line = _reads(size, lambda serial: {"hCursor": serial}, answer=True, share=0.5)
    serial = 0
    while not tape.full():
        serial += 1
        line.call(4, _CURSOR({"hQueue": 7, "hCursor": serial}), _CURSOR_CLOSED(_DONE))
    return tape.octets()


IDEAS = (
    unanswered_opens,
    one_number,
    many_sessions,
    unseen_handles,
    held_reads,
    one_request_id,
    unanswered_reads,
    many_cursors,
    closed_cursors,
)
