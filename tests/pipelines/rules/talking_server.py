"""The server of random conversations: what it has decides what it answers, so that it never breaks a rule."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

QUEUES: Final = (7, 8, 9, 10)
CURSORS: Final = (3, 4)

OK: Final = ""
MISMATCH: Final = "fault=nca_s_fault_context_mismatch"
BAD_HANDLE: Final = "status=MQ_ERROR_INVALID_HANDLE"
BAD_PARAMETER: Final = "status=MQ_ERROR_INVALID_PARAMETER"
BAD_CURSOR: Final = "status=STATUS_INVALID_PARAMETER"
NOTHING_PENDING: Final = "status=MQ_ERROR"
TIMED_OUT: Final = "status=MQ_ERROR_IO_TIMEOUT"
NOT_FOUND: Final = "status=MQ_ERROR_MESSAGE_NOT_FOUND"
CANCELLED: Final = "status=MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT"
ABANDONED: Final = "status=MQ_ERROR_OPERATION_CANCELLED"
REFUSED: Final = "status=MQ_ERROR_ACCESS_DENIED"


@dataclass(frozen=True, slots=True)
class Line:
    client: str
    association: int


@dataclass(frozen=True, slots=True)
class Opened:
    association: int
    queue: int


@dataclass(frozen=True, slots=True)
class Held:
    """A read whose message waits for its end."""

    association: int
    queue: int
    request_id: int
    message: int


@dataclass(slots=True)
class Pending:
    """A read that waits for its answer."""

    connection: str
    queue: int
    request_id: int
    action: str
    verdict: str | None = None
    """The answer, where something has decided it: then the server has forgotten the request id."""


@dataclass(slots=True)
class Server:
    lines: dict[str, Line] = field(default_factory=dict)
    opened: dict[str, Opened] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    pending: dict[str, Pending] = field(default_factory=dict)
    messages: dict[int, list[int]] = field(default_factory=lambda: {queue: [] for queue in QUEUES})
    """In the queues, by the lower part of their lookup ids; those that are held are not there."""
    closed_cursors: set[tuple[int, int]] = field(default_factory=set)
    _numbers: Counter[str] = field(default_factory=Counter)

    def name(self, kind: str) -> str:
        return f"{kind}{self.number(kind)}"

    def number(self, kind: str) -> int:
        self._numbers[kind] += 1
        return self._numbers[kind]

    def latest(self, kind: str) -> int:
        return self._numbers[kind]

    def association(self, connection: str) -> int:
        return self.lines[connection].association

    def is_open(self, queue: int) -> bool:
        """The numbers of queues are valid in every association, whoever opened them."""
        return any(one.queue == queue for one in self.opened.values())

    def pending_on(self, queue: int) -> dict[int, str]:
        """Labels by request id."""
        waiting = ((label, one) for label, one in self.pending.items() if one.verdict is None)
        return {one.request_id: label for label, one in waiting if one.queue == queue}

    def open(self, connection: str, queue: int) -> str:
        handle = self.name("S")
        self.opened[handle] = Opened(self.association(connection), queue)
        return f"phContext={handle}"

    def close(self, connection: str, handle: str) -> str:
        opened = self.opened.get(handle)
        if opened is None or opened.association != self.association(connection):
            return MISMATCH
        self._shut(handle)
        return OK

    def close_cursor(self, queue: int, cursor: int) -> str:
        if not self.is_open(queue) or (queue, cursor) in self.closed_cursors:
            return BAD_HANDLE
        self.closed_cursors.add((queue, cursor))
        return OK

    def purge(self, queue: int) -> str:
        if not self.is_open(queue):
            return BAD_HANDLE
        self.messages[queue].clear()
        return OK

    def refusal(self, queue: int, request_id: int, action: str, cursor: int) -> str | None:
        """Of a read by position; None: it may wait for a message."""
        if not self.is_open(queue) or request_id in self.pending_on(queue):
            return BAD_PARAMETER
        unknown = (queue, cursor) in self.closed_cursors
        return BAD_CURSOR if unknown or (action == "PEEK_NEXT" and not cursor) else None

    def first_message(self, queue: int) -> int:
        if not self.messages[queue]:
            self.messages[queue].append(self.number("message"))
        return self.messages[queue][0]

    def looked_up(self, queue: int, action: str, lookup_id: int) -> int | None:
        """*_CURRENT, *_NEXT and *_PREV."""
        there = sorted(self.messages[queue])
        if action.endswith("_NEXT"):
            return next((one for one in there if one > lookup_id), None)
        if action.endswith("_PREV"):
            return next((one for one in reversed(there) if one < lookup_id), None)
        return lookup_id if lookup_id in there else None

    def give(self, connection: str, queue: int, request_id: int, action: str, message: int) -> str:
        answer = f"SequentialId={message} message={_body_bytes(message)}/{message}"
        if "RECEIVE" not in action:
            return answer
        handle = self.name("R")
        self.messages[queue].remove(message)
        self.held[handle] = Held(self.association(connection), queue, request_id, message)
        return f"pphContext={handle} {answer}"

    def end(self, connection: str, handle: str, *, acked: bool) -> str:
        read = self.held.get(handle)
        if read is None or read.association != self.association(connection):
            return MISMATCH
        self._release(handle, acked=acked)
        return OK

    def cancel(self, queue: int, request_id: int) -> str:
        waiting = self.pending_on(queue)
        if request_id not in waiting:
            return NOTHING_PENDING if waiting else BAD_HANDLE
        self.pending[waiting[request_id]].verdict = CANCELLED
        return OK

    def sever(self, connection: str) -> None:
        """[MS-MQQP] 3.1.6: with the last connection of an association goes all that it has open."""
        association = self.lines.pop(connection).association
        self.pending = {label: one for label, one in self.pending.items() if one.connection != connection}
        if any(line.association == association for line in self.lines.values()):
            return
        for handle in [handle for handle, one in self.held.items() if one.association == association]:
            self._release(handle, acked=False)
        for handle in [handle for handle, one in self.opened.items() if one.association == association]:
            self._shut(handle)

    def _release(self, handle: str, *, acked: bool) -> None:
        read = self.held.pop(handle)
        if not acked:
            self.messages[read.queue].insert(0, read.message)

    def _shut(self, handle: str) -> None:
        """Whatever waits on a queue that nobody has open any more is given up: [MS-MQQP] 3.1.4.4."""
        queue = self.opened.pop(handle).queue
        if self.is_open(queue):
            return
        self.closed_cursors -= {(queue, cursor) for cursor in CURSORS}
        for label in self.pending_on(queue).values():
            self.pending[label].verdict = ABANDONED


def _body_bytes(message: int) -> int:
    """Some messages take several segments."""
    return 100 if message % 5 else 3_000
