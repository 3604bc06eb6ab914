"""What a transaction does once its outcome is known: [MS-MQDMPR] 3.1.1.13, 3.1.1.14, 3.1.4.7, 3.1.4.8."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.conforming.queue_manager import AVAILABLE, DELETED, LOCKED, PURGED, Message, Queue

if TYPE_CHECKING:
    from tests.conforming.truth import Read, Send, Transaction

RECEIVED, SENT, MOVED = "received", "sent", "moved"


@dataclass(slots=True, eq=False)
class Operation:
    kind: str
    queue: Queue
    message: Message
    target: Queue | None = None


@dataclass(slots=True, eq=False)
class UnitOfWork:
    identifier: str
    truth: Transaction
    internal: bool = False
    """The queue manager itself decides it."""
    operations: list[Operation] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    """Which removed their message at once, but for the outcome."""
    sent: list[Send] = field(default_factory=list)

    def receive(self, queue: Queue, message: Message, read: Read | None = None) -> None:
        message.state = LOCKED
        self.reads += [read] if read is not None else []
        self.operations.append(Operation(RECEIVED, queue, message))
        self.truth.reads += 1

    def send(self, queue: Queue, message: Message, send: Send) -> None:
        message.state = LOCKED
        self.sent.append(send)
        self.operations.append(Operation(SENT, queue, message))
        self.truth.sends += 1

    def move(self, queue: Queue, message: Message, target: Queue) -> None:
        message.state = LOCKED
        self.operations.append(Operation(MOVED, queue, message, target))
        self.truth.moves += 1

    def give_back(self, message: Message) -> None:
        """One read that was not received."""
        for one in [one for one in self.operations if one.message is message and one.kind == RECEIVED]:
            self.operations.remove(one)
            one.queue.put_back(message)

    def holds(self, message: Message) -> bool:
        return any(one.message is message for one in self.operations)

    def commit(self) -> None:
        for one in self._ended():
            if one.kind == SENT:
                one.message.state = AVAILABLE
                continue
            one.message.state = DELETED
            if one.target is not None:
                move(one.queue, one.message, one.target)

    def abort(self) -> None:
        for one in self._ended():
            if one.kind == SENT:
                one.queue.messages.remove(one.message)
            elif one.message.state in (LOCKED, PURGED):
                one.queue.put_back(one.message)

    def _ended(self) -> list[Operation]:
        ended, self.operations = self.operations, []
        return ended


def move(queue: Queue, message: Message, target: Queue) -> None:
    """3.1.7.1.16: the position in the source is deleted, and one in the target is new."""
    place = queue.messages.index(message)
    queue.messages[place] = Message(message.lookup_id, message.number, message.body, message.arrived_s, DELETED)
    message.state = AVAILABLE
    target.messages.append(message)
