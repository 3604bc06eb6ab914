"""Random talks of unruly clients with a server that behaves, as scripts. And ways to lose packets.

The parties of tests/conforming keep every rule, or break one on purpose. These clients do at any time what they must
not: they use handles of others, closed ones and none, and are refused as the documents say. What the server answers
follows from what it has: associations, open queues, messages given out, reads that wait. So whatever is held against
it, or against a client that did nothing wrong, is an error of ours.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tests.pipelines.rules.talking_server import (
    BAD_HANDLE,
    BAD_PARAMETER,
    CURSORS,
    NOT_FOUND,
    OK,
    QUEUES,
    REFUSED,
    TIMED_OUT,
    Held,
    Line,
    Pending,
    Server,
)

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

CLIENTS: Final = ("10.0.0.5", "10.0.0.6")
STATEMENTS: Final = range(8, 24)
"""Of a talk, before its end."""
MOST_CONNECTIONS: Final = 4
NAUGHTINESS: Final = (0, 0.1, 0.3, 0.5)
"""How often a client does what it must not, of a whole talk."""

ODD_ARGUMENTS: Final = (
    ("RemoteQMStartReceive2 hRemoteQueue={queue} dwQueue=99", BAD_PARAMETER),
    ("RemoteQMStartReceive2 descriptor=null", BAD_HANDLE),
    ("RemoteQMStartReceiveByLookupId hRemoteQueue={queue} ulTimeout=5", BAD_PARAMETER),
    ("RemoteQMStartReceiveByLookupId hRemoteQueue={queue} hCursor=3", BAD_PARAMETER),
    ("RemoteQMEndReceive pphContext=null", BAD_HANDLE),
    ("RemoteQMCloseQueue pphContext=null", BAD_HANDLE),
    ("RemoteQMCancelReceive hQueue={queue} pQueue=99", BAD_PARAMETER),
    ("RemoteQMOpenQueue hQueue={queue} dwMQS=99", "fault=0x6f7"),
    ("RemoteQMOpenQueue hQueue={queue} dwpContext=99", BAD_PARAMETER),
)
"""Calls that the server refuses for their arguments alone."""


def talk(rng: random.Random) -> str:
    return "\n".join(_Talk(rng).lines) + "\n"


class _Talk:
    """One act after the other, each by a connection chosen at random."""

    def __init__(self, rng: random.Random) -> None:
        self.lines: list[str] = []
        self._rng, self._server = rng, Server()
        self._clients = rng.choice((CLIENTS[:1], CLIENTS))
        self._naughty = rng.choice(NAUGHTINESS)
        for client in self._clients:
            self._connect(client)
        enough = rng.choice(STATEMENTS)
        while len(self.lines) < enough:
            if self._server.lines:
                (act,) = rng.choices(list(_ACTS), list(_ACTS.values()))
                act(self, rng.choice(list(self._server.lines)))
            else:
                self._connect(rng.choice(self._clients))
        self._finish()

    def _say(self, connection: str, call: str, answer: str = OK) -> None:
        self.lines.append(f"{connection}: {call}" + (f" -> {answer}" if answer else ""))

    def _chance(self, share: float) -> bool:
        return self._rng.random() < share

    @property
    def _bad(self) -> bool:
        return self._chance(self._naughty)

    # What a client has

    def _opened(self, connection: str) -> list[str]:
        association = self._server.association(connection)
        return [handle for handle, one in self._server.opened.items() if one.association == association]

    def _held(self, connection: str) -> list[str]:
        association = self._server.association(connection)
        return [handle for handle, one in self._server.held.items() if one.association == association]

    def _queue(self, connection: str) -> int | None:
        """One that it has open; sometimes one that another may have, or nobody."""
        if self._bad:
            return self._rng.choice([*QUEUES, *(one.queue for one in self._server.opened.values())])
        handles = self._opened(connection)
        return self._server.opened[self._rng.choice(handles)].queue if handles else None

    def _handle(self, kind: str, own: list[str]) -> str | None:
        """One of its own; sometimes one that somebody was given before, or nobody."""
        if self._bad:
            given = self._server.latest(kind)
            return f"{kind}{self._rng.randint(1, given) if given and self._chance(0.8) else given + 1}"
        return self._rng.choice(own) if own else None

    def _request_id(self, queue: int) -> int:
        if self._bad:
            return self._rng.randint(1, 3)
        reads: tuple[Held | Pending, ...] = (*self._server.held.values(), *self._server.pending.values())
        used = {one.request_id for one in reads if one.queue == queue}
        return next(number for number in range(1, len(used) + 2) if number not in used)

    # Connections

    def _connect(self, client: str) -> None:
        self._begin(Line(client, self._server.number("association")))

    def _begin(self, line: Line, option: str = "") -> None:
        name = self._server.name("c")
        self._server.lines[name] = line
        self.lines.append(f"connect {name} from {line.client}{option}")
        if self._chance(0.9):
            self._say(name, "RemoteQmGetVersion")

    def connect(self, _: str) -> None:
        if len(self._server.lines) < MOST_CONNECTIONS:
            self._connect(self._rng.choice(self._clients))

    def join(self, connection: str) -> None:
        if len(self._server.lines) < MOST_CONNECTIONS:
            self._begin(self._server.lines[connection], f" group {connection}")

    def close_connection(self, connection: str) -> None:
        self._server.sever(connection)
        self.lines.append(f"close {connection}")

    def reset(self, connection: str) -> None:
        self._server.sever(connection)
        self.lines.append(f"reset {connection}{self._rng.choice(('', ' by server'))}")

    def reset_second(self, connection: str) -> None:
        """One that is not the last of its association, where there is such a one."""
        lines = self._server.lines
        associations = Counter(line.association for line in lines.values())
        seconds = [name for name, line in lines.items() if associations[line.association] > 1]
        if seconds:
            self.reset(self._rng.choice(seconds))
        else:
            self.join(connection)

    # Queues

    def open(self, connection: str) -> None:
        shut = [queue for queue in QUEUES if not self._server.is_open(queue)]
        queues = QUEUES if self._bad else shut
        if queues:
            queue = self._rng.choice(queues)
            answer = REFUSED if self._chance(0.05) else self._server.open(connection, queue)
            self._say(connection, f"RemoteQMOpenQueue hQueue={queue}", answer)

    def close(self, connection: str) -> None:
        handle = self._handle("S", self._opened(connection))
        if handle is not None:
            self._say(connection, f"RemoteQMCloseQueue pphContext={handle}", self._server.close(connection, handle))

    def purge(self, connection: str) -> None:
        queue = self._queue(connection)
        if queue is not None:
            self._say(connection, f"RemoteQMPurgeQueue hQueue={queue}", self._server.purge(queue))

    def close_cursor(self, connection: str) -> None:
        queue, cursor = self._queue(connection), self._rng.choice(CURSORS)
        if queue is not None:
            answer = self._server.close_cursor(queue, cursor)
            self._say(connection, f"RemoteQMCloseCursor hQueue={queue} hCursor={cursor}", answer)

    def make_cursor(self, _: str) -> None:
        """Out of sight: on another interface."""
        closed = sorted(self._server.closed_cursors)
        if closed:
            self._server.closed_cursors.remove(self._rng.choice(closed))

    # Reads

    def start(self, connection: str) -> None:
        queue = self._queue(connection)
        if queue is None:
            return
        request_id, cursor = self._request_id(queue), self._cursor(queue)
        action = self._action(cursor)
        refusal = self._server.refusal(queue, request_id, action, cursor)
        call = f"RemoteQMStartReceive2 hRemoteQueue={queue} dwRequestID={request_id} ulAction={action} hCursor={cursor}"
        if refusal is not None:
            self._say(connection, call, refusal)
        elif self._chance(0.3):
            label = self._server.name("p")
            self._server.pending[label] = Pending(connection, queue, request_id, action)
            self._say(connection, f"ask {label} {call} ulTimeout=60000")
        else:
            self._say(connection, call, self._read(connection, queue, request_id, action))

    def _action(self, cursor: int) -> str:
        actions = ("RECEIVE", "RECEIVE", "RECEIVE", "PEEK_CURRENT", "PEEK_NEXT")
        return self._rng.choice(actions if cursor or self._bad else actions[:-1])

    def _cursor(self, queue: int) -> int:
        known = [0, 0, 0, *(cursor for cursor in CURSORS if (queue, cursor) not in self._server.closed_cursors)]
        return self._rng.choice(CURSORS if self._bad else known)

    def _read(self, connection: str, queue: int, request_id: int, action: str) -> str:
        if self._chance(0.2):
            return TIMED_OUT
        return self._server.give(connection, queue, request_id, action, self._server.first_message(queue))

    def look_up(self, connection: str) -> None:
        queue = self._queue(connection)
        if queue is None:
            return
        kind, place = self._rng.choice(("PEEK", "RECEIVE")), self._rng.choice(("CURRENT", "CURRENT", "NEXT", "PREV"))
        action, lookup_id = f"LOOKUP_{kind}_{place}", self._lookup_id(queue)
        request_id = self._request_id(queue)
        answer = self._found(connection, queue, request_id, action, lookup_id)
        call = f"RemoteQMStartReceiveByLookupId hRemoteQueue={queue} dwRequestID={request_id}"
        self._say(connection, f"{call} ulAction={action} LookupId={lookup_id}", answer)

    def _lookup_id(self, queue: int) -> int:
        """Of a message that is there, or of one that was."""
        there = [self._server.first_message(queue), *self._server.messages[queue]]
        return self._rng.choice(there) if self._chance(0.7) else self._rng.randint(1, self._server.latest("message"))

    def _found(self, connection: str, queue: int, request_id: int, action: str, lookup_id: int) -> str:
        if not self._server.is_open(queue):
            return BAD_PARAMETER
        message = self._server.looked_up(queue, action, lookup_id)
        return NOT_FOUND if message is None else self._server.give(connection, queue, request_id, action, message)

    def answer(self, _: str) -> None:
        if self._server.pending:
            self._answer(self._rng.choice(list(self._server.pending)))

    def _answer(self, label: str) -> None:
        one = self._server.pending.pop(label)
        answer = one.verdict or self._read(one.connection, one.queue, one.request_id, one.action)
        self.lines.append(f"answer {label} -> {answer}")

    def cancel(self, connection: str) -> None:
        client, server = self._server.lines[connection].client, self._server
        asked = {label: one for label, one in server.pending.items() if server.lines[one.connection].client == client}
        if self._bad:
            self._cancel(connection, self._rng.choice(QUEUES), self._rng.randint(1, 3))
        elif asked:
            label = self._rng.choice(list(asked))
            self._cancel(connection, asked[label].queue, asked[label].request_id)
            if self._chance(0.7):
                self._answer(label)

    def _cancel(self, connection: str, queue: int, request_id: int) -> None:
        answer = self._server.cancel(queue, request_id)
        self._say(connection, f"RemoteQMCancelReceive hQueue={queue} dwRequestID={request_id}", answer)

    def end(self, connection: str) -> None:
        handle = self._handle("R", self._held(connection))
        if handle is not None:
            self._end(connection, handle, acked=self._chance(0.6))

    def _end(self, connection: str, handle: str, *, acked: bool) -> None:
        answer = self._server.end(connection, handle, acked=acked)
        self._say(connection, f"RemoteQMEndReceive pphContext={handle} dwAck={2 if acked else 1}", answer)

    # The rest

    def odd_arguments(self, connection: str) -> None:
        if self._bad:
            call, answer = self._rng.choice(ODD_ARGUMENTS)
            self._say(connection, call.format(queue=self._rng.choice(QUEUES)), answer)

    def wait(self, _: str) -> None:
        self.lines.append("wait 5s")

    def _finish(self) -> None:
        """Some tidy up, some hang up, and of some the capture does not see the end."""
        for connection in list(self._server.lines):
            if self._chance(0.7):
                self._tidy(connection)
            if self._chance(0.8):
                self.close_connection(connection)

    def _tidy(self, connection: str) -> None:
        for handle in self._held(connection):
            self._end(connection, handle, acked=True)
        for handle in self._opened(connection):
            self._say(connection, f"RemoteQMCloseQueue pphContext={handle}", self._server.close(connection, handle))


_ACTS: Final[dict[Callable[[_Talk, str], None], int]] = {
    _Talk.connect: 3,
    _Talk.join: 5,
    _Talk.close_connection: 2,
    _Talk.reset: 1,
    _Talk.reset_second: 3,
    _Talk.open: 15,
    _Talk.close: 7,
    _Talk.purge: 2,
    _Talk.close_cursor: 6,
    _Talk.make_cursor: 1,
    _Talk.start: 27,
    _Talk.look_up: 6,
    _Talk.answer: 7,
    _Talk.cancel: 10,
    _Talk.end: 20,
    _Talk.odd_arguments: 6,
    _Talk.wait: 2,
}
"""With their weights."""

SHARES: Final = (0.03, 0.1, 0.25, 0.5)
WINDOWS: Final = 12
LONGEST_WINDOW: Final = 12
AT_RANDOM: Final = 16


def losses(packets: int, rng: random.Random) -> Iterator[frozenset[int]]:
    """Places of packets that are missing: each one, prefixes, suffixes, windows, random shares. Never all of them."""
    for place in range(packets):
        yield frozenset((place,))
    for place in range(1, packets):
        yield frozenset(range(place))
        yield frozenset(range(place, packets))
    for _ in range(WINDOWS):
        first = rng.randrange(1, packets)
        yield frozenset(range(first, min(packets, first + rng.randint(2, LONGEST_WINDOW))))
    for _ in range(AT_RANDOM):
        share = rng.choice(SHARES)
        yield frozenset(place for place in range(1, packets) if rng.random() < share)
