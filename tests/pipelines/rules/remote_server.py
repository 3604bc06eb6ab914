"""The server of random conversations over RemoteRead: what it has decides what it answers, so it breaks no rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from tests.pipelines.rules.talking_server import (
    ABANDONED,
    BAD_HANDLE,
    BAD_PARAMETER,
    MISMATCH,
    NOT_FOUND,
    NOTHING_PENDING,
    OK,
    Line,
)

QUEUES: Final = ("orders", "invoices")
RECEIVE, PEEK, MOVE = 0x01, 0x20, 0x04
NO_CURSOR: Final = "status=STATUS_INVALID_HANDLE"
DENIED: Final = "status=STATUS_ACCESS_DENIED"
NOT_RELATED: Final = "status=STATUS_INVALID_PARAMETER"
NOT_ENLISTED: Final = "status=MQ_ERROR_TRANSACTION_SEQUENCE"
NOT_IN_TRANSACTION: Final = "status=MQ_ERROR_TRANSACTION_USAGE"


@dataclass(slots=True)
class Opened:
    association: int
    queue: str
    access: int
    move_context: int | None = None
    cursors: set[int] = field(default_factory=set)
    made: int = 0


@dataclass(frozen=True, slots=True)
class Held:
    handle: str
    request_id: int
    message: int
    transactional: bool


@dataclass(slots=True)
class Pending:
    connection: str
    handle: str
    request_id: int
    verdict: str | None = None


@dataclass(slots=True)
class RemoteServer:
    lines: dict[str, Line] = field(default_factory=dict)
    opened: dict[str, Opened] = field(default_factory=dict)
    held: list[Held] = field(default_factory=list)
    pending: dict[str, Pending] = field(default_factory=dict)
    messages: dict[str, list[int]] = field(default_factory=lambda: {queue: [] for queue in QUEUES})
    enlisted: set[str] = field(default_factory=set)
    in_transaction: set[int] = field(default_factory=set)
    """Messages that were received in one."""
    _numbers: Counter[str] = field(default_factory=Counter)

    def number(self, kind: str) -> int:
        self._numbers[kind] += 1
        return self._numbers[kind]

    def latest(self, kind: str) -> int:
        return self._numbers[kind]

    def own(self, connection: str) -> list[str]:
        association = self.lines[connection].association
        return [handle for handle, one in self.opened.items() if one.association == association]

    def open(self, connection: str, queue: str, access: int) -> str:
        handle = f"H{self.number('H')}"
        opened = Opened(self.lines[connection].association, queue, access)
        self.opened[handle] = opened
        if access != MOVE:
            return f"pphContext={handle}"
        opened.move_context = self.number("move context")
        return f"pphContext={handle} pMoveContext={opened.move_context}"

    def refusal(self, connection: str, handle: str) -> str | None:
        """Of a handle that is to be read from."""
        if handle not in self.own(connection):
            return MISMATCH
        return BAD_HANDLE if self.opened[handle].access == MOVE else None

    def close(self, connection: str, handle: str) -> str:
        if handle not in self.own(connection):
            return MISMATCH
        self._shut(handle)
        return OK

    def make_cursor(self, connection: str, handle: str) -> str:
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        opened = self.opened[handle]
        opened.made += 1
        opened.cursors.add(opened.made)
        return f"phCursor={opened.made}"

    def close_cursor(self, connection: str, handle: str, cursor: int) -> str:
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        if cursor not in self.opened[handle].cursors:
            return BAD_HANDLE
        self.opened[handle].cursors.remove(cursor)
        return OK

    def purge(self, connection: str, handle: str) -> str:
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        if self.opened[handle].access != RECEIVE:
            return DENIED
        self.messages[self.opened[handle].queue].clear()
        return OK

    def start_refused(self, connection: str, handle: str, action: str, cursor: int) -> str | None:
        if action == "PEEK_NEXT" and not cursor:
            return BAD_PARAMETER
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        if cursor and cursor not in self.opened[handle].cursors:
            return NO_CURSOR
        return DENIED if action == "RECEIVE" and self.opened[handle].access != RECEIVE else None

    def give(self, handle: str, request_id: int, action: str, *, transactional: bool) -> str:
        there = self.messages[self.opened[handle].queue]
        if not there:
            there.append(self.number("message"))
        message = there[0]
        if action == "RECEIVE":
            there.remove(message)
            self.held.append(Held(handle, request_id, message, transactional))
            if transactional:
                self.in_transaction.add(message)
        return f"pSequenceId={message} message=60/{message}"

    def end(self, connection: str, handle: str, request_id: int, *, acked: bool) -> str:
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        own = [one for one in self.held if one.handle == handle]
        found = [one for one in own if one.request_id == request_id]
        if not found:
            return BAD_PARAMETER if own else BAD_HANDLE
        self._release(found[0], acked=acked)
        return OK

    def cancel(self, connection: str, handle: str, request_id: int) -> str:
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        for one in self.pending.values():
            if one.verdict is None and one.handle == handle and one.request_id == request_id:
                one.verdict = ABANDONED
                return OK
        return NOTHING_PENDING

    def move(self, connection: str, handle: str, context: int, transaction: str) -> str:
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        if self.opened[handle].access != RECEIVE:
            return DENIED
        target = next((one for one in self.opened.values() if one.move_context == context), None)
        if target is None:
            return BAD_HANDLE
        if target.queue != self.opened[handle].queue:
            return NOT_RELATED
        return NOT_ENLISTED if transaction != "null" and transaction not in self.enlisted else NOT_FOUND

    def reject(self, connection: str, handle: str, message: int) -> str:
        if (refusal := self.refusal(connection, handle)) is not None:
            return refusal
        if self.opened[handle].access != RECEIVE:
            return DENIED
        return OK if message in self.in_transaction else NOT_IN_TRANSACTION

    def sever(self, connection: str) -> None:
        """[MS-MQRR] 3.1.6.2: with the last connection of an association its handles are run down."""
        association = self.lines.pop(connection).association
        self.pending = {label: one for label, one in self.pending.items() if one.connection != connection}
        if any(line.association == association for line in self.lines.values()):
            return
        for handle in [handle for handle, one in self.opened.items() if one.association == association]:
            self._shut(handle)

    def _release(self, read: Held, *, acked: bool) -> None:
        self.held.remove(read)
        if not acked:
            self.messages[self.opened[read.handle].queue].insert(0, read.message)
            self.in_transaction.discard(read.message)

    def _shut(self, handle: str) -> None:
        for one in [one for one in self.held if one.handle == handle]:
            self._release(one, acked=False)
        for waiting in self.pending.values():
            if waiting.handle == handle:
                waiting.verdict = waiting.verdict or ABANDONED
        del self.opened[handle]
