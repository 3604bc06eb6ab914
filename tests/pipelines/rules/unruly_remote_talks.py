"""Random talks of unruly clients of RemoteRead with a server that behaves: see unruly_talks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.pipelines.rules.remote_server import MOVE, PEEK, QUEUES, RECEIVE, Held, Pending, RemoteServer
from tests.pipelines.rules.talking_server import OK, TIMED_OUT, Line
from tests.pipelines.rules.unruly_talks import MOST_CONNECTIONS, NAUGHTINESS, STATEMENTS

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_CLIENTS: Final = {
    "10.0.0.5": "11111111-2222-3333-4444-555555555555",
    "10.0.0.6": "22222222-2222-3333-4444-555555555555",
}
_TRANSACTIONS: Final = ("T", "U")
_NAMES: Final = {
    RECEIVE: "OS:hq\\private$\\{}",
    PEEK: "OS:hq\\private$\\{}",
    MOVE: "SUBQUEUE=OS:hq\\private$\\{};moved",
}


def remote_talk(rng: random.Random) -> str:
    return "\n".join(_Talk(rng).lines) + "\n"


class _Talk:
    """One act after the other, each by a connection chosen at random."""

    def __init__(self, rng: random.Random) -> None:
        self.lines: list[str] = []
        self._rng, self._server = rng, RemoteServer()
        self._clients = list(_CLIENTS)[: rng.choice((1, 2))]
        self._naughty = rng.choice(NAUGHTINESS)
        for client in self._clients:
            self._begin(Line(client, self._server.number("association")))
        enough = rng.choice(STATEMENTS)
        while len(self.lines) < enough:
            if not self._server.lines:
                self._begin(Line(rng.choice(self._clients), self._server.number("association")))
            (act,) = rng.choices(list(_ACTS), list(_ACTS.values()))
            act(self, rng.choice(list(self._server.lines)))
        self._finish()

    def _say(self, connection: str, call: str, answer: str = OK) -> None:
        self.lines.append(f"{connection}: {call}" + (f" -> {answer}" if answer else ""))

    @property
    def _bad(self) -> bool:
        return self._rng.random() < self._naughty

    def _begin(self, line: Line, option: str = "") -> None:
        name = f"c{self._server.number('c')}"
        self._server.lines[name] = line
        self.lines.append(f"connect {name} interface RemoteRead from {line.client}{option}")

    def _handle(self, connection: str, *, to_read: bool = True) -> str | None:
        """One of its own; sometimes one that somebody was given before, or nobody."""
        given = self._server.latest("H")
        if self._bad:
            return f"H{self._rng.randint(1, given + 1)}"
        own = [one for one in self._server.own(connection) if not to_read or self._server.opened[one].access != MOVE]
        return self._rng.choice(own) if own else None

    def _request_id(self, handle: str) -> int:
        if self._bad:
            return self._rng.randint(1, 3)
        reads: tuple[Held | Pending, ...] = (*self._server.held, *self._server.pending.values())
        used = {one.request_id for one in reads if one.handle == handle}
        return next(number for number in range(1, len(used) + 2) if number not in used)

    def _cursor(self, handle: str) -> int:
        opened = self._server.opened.get(handle)
        if self._bad:
            return self._rng.randint(1, 3)
        known = sorted(opened.cursors) if opened else []
        return self._rng.choice([0, 0, *known])

    def connect(self, connection: str) -> None:
        if len(self._server.lines) < MOST_CONNECTIONS:
            line = self._server.lines[connection]
            if self._rng.random() < 0.5:
                self._begin(line, f" group {connection}")
            else:
                self._begin(Line(line.client, self._server.number("association")))

    def hang_up(self, connection: str) -> None:
        self._server.sever(connection)
        self.lines.append(f"{self._rng.choice(('close', 'reset'))} {connection}")

    def open(self, connection: str) -> None:
        access, queue = self._rng.choice((RECEIVE, RECEIVE, PEEK, MOVE)), self._rng.choice(QUEUES)
        name = "R_OpenQueueForMove" if access == MOVE else "R_OpenQueue"
        who = _CLIENTS[self._server.lines[connection].client]
        call = f'{name} queue="{_NAMES[access].format(queue)}" dwAccess={access} pClientId={who}'
        self._say(connection, call, self._server.open(connection, queue, access))

    def close(self, connection: str) -> None:
        handle = self._handle(connection, to_read=False)
        if handle is not None:
            self._say(connection, f"R_CloseQueue pphContext={handle}", self._server.close(connection, handle))

    def make_cursor(self, connection: str) -> None:
        handle = self._handle(connection)
        if handle is not None:
            answer = self._server.make_cursor(connection, handle)
            self._say(connection, f"R_CreateCursor phContext={handle}", answer)

    def close_cursor(self, connection: str) -> None:
        handle = self._handle(connection)
        cursor = self._cursor(handle) if handle else 0
        if handle is not None and cursor:
            answer = self._server.close_cursor(connection, handle, cursor)
            self._say(connection, f"R_CloseCursor phContext={handle} hCursor={cursor}", answer)

    def purge(self, connection: str) -> None:
        handle = self._handle(connection)
        if handle is not None:
            self._say(connection, f"R_PurgeQueue phContext={handle}", self._server.purge(connection, handle))

    def enlist(self, connection: str) -> None:
        transaction = self._rng.choice(_TRANSACTIONS)
        self._server.enlisted.add(transaction)
        self._say(connection, f"R_QMEnlistRemoteTransaction transaction={transaction}")

    def start(self, connection: str) -> None:
        handle = self._handle(connection)
        if handle is None:
            return
        request_id, cursor, server = self._request_id(handle), self._cursor(handle), self._server
        action = self._rng.choice(
            ("RECEIVE", "RECEIVE", "PEEK_CURRENT", "PEEK_NEXT" if cursor or self._bad else "RECEIVE")
        )
        transactional = action == "RECEIVE" and self._rng.random() < 0.3
        of_transaction = f" transaction={self._rng.choice(_TRANSACTIONS)}" if transactional else ""
        call = "R_StartTransactionalReceive" if transactional else "R_StartReceive"
        call += f" phContext={handle} dwRequestId={request_id} hCursor={cursor} ulAction={action}{of_transaction}"
        refusal = server.start_refused(connection, handle, action, cursor)
        if refusal is not None or transactional or self._rng.random() < 0.7:
            given = refusal or server.give(handle, request_id, action, transactional=transactional)
            self._say(connection, call, given)
            return
        label = f"w{server.number('w')}"
        server.pending[label] = Pending(connection, handle, request_id)
        self._say(connection, f"ask {label} {call} ulTimeout=INFINITE")

    def answer(self, _: str) -> None:
        if self._server.pending:
            label = self._rng.choice(list(self._server.pending))
            verdict = self._server.pending.pop(label).verdict
            self.lines.append(f"answer {label} -> {verdict or TIMED_OUT}")

    def cancel(self, connection: str) -> None:
        waiting = [one for one in self._server.pending.values() if one.handle in self._server.own(connection)]
        handle = self._handle(connection) if self._bad or not waiting else self._rng.choice(waiting).handle
        ids = [one.request_id for one in waiting if one.handle == handle]
        if handle is not None and (ids or self._bad):
            request_id = self._rng.choice(ids) if ids else self._rng.randint(1, 3)
            answer = self._server.cancel(connection, handle, request_id)
            self._say(connection, f"R_CancelReceive phContext={handle} dwRequestId={request_id}", answer)

    def end(self, connection: str) -> None:
        own = [one for one in self._server.held if one.handle in self._server.own(connection)]
        if self._bad:
            self._end(connection, self._handle(connection), self._rng.randint(1, 3), transactional=self._bad)
        elif own:
            read = self._rng.choice(own)
            self._end(connection, read.handle, read.request_id, transactional=read.transactional)

    def _end(self, connection: str, handle: str | None, request_id: int, *, transactional: bool) -> None:
        if handle is not None:
            acked = self._rng.random() < 0.6
            name = "R_EndTransactionalReceive" if transactional else "R_EndReceive"
            answer = self._server.end(connection, handle, request_id, acked=acked)
            call = f"{name} phContext={handle} dwRequestId={request_id} dwAck={2 if acked else 1}"
            self._say(connection, call, answer)

    def move(self, connection: str) -> None:
        handle = self._handle(connection)
        if handle is not None:
            context = self._rng.randint(1, self._server.latest("move context") + 1)
            transaction = self._rng.choice(("null", *_TRANSACTIONS))
            answer = self._server.move(connection, handle, context, transaction)
            call = f"R_MoveMessage phContextFrom={handle} ullContextTo={context} transaction={transaction}"
            self._say(connection, call, answer)

    def reject(self, connection: str) -> None:
        handle, messages = self._handle(connection), self._server.latest("message")
        if handle is not None and messages:
            message = self._rng.randint(1, messages)
            answer = self._server.reject(connection, handle, message)
            self._say(connection, f"R_SetUserAcknowledgementClass phContext={handle} LookupId={message}", answer)

    def wait(self, _: str) -> None:
        self.lines.append(f"wait {self._rng.choice(('5s', '5s', '2h'))}")

    def _finish(self) -> None:
        """Some tidy up, some hang up, and of some the capture does not see the end."""
        for connection in list(self._server.lines):
            if self._rng.random() < 0.6:
                for handle in self._server.own(connection):
                    self._say(connection, f"R_CloseQueue pphContext={handle}", self._server.close(connection, handle))
            if self._rng.random() < 0.8:
                self.hang_up(connection)


_ACTS: Final[dict[Callable[[_Talk, str], None], int]] = {
    _Talk.connect: 6,
    _Talk.hang_up: 3,
    _Talk.open: 16,
    _Talk.close: 7,
    _Talk.make_cursor: 6,
    _Talk.close_cursor: 6,
    _Talk.purge: 2,
    _Talk.enlist: 4,
    _Talk.start: 25,
    _Talk.answer: 6,
    _Talk.cancel: 6,
    _Talk.end: 16,
    _Talk.move: 8,
    _Talk.reject: 4,
    _Talk.wait: 5,
}
"""With their weights."""
