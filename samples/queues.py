"""Queues of the sample's queue manager: peek, receive in two steps, lookup, waiting, cancel, purge."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import uuid

    from samples.user_message import Message

MQ_OK = 0x00000000
MQ_ERROR = 0xC00E0001
MQ_ERROR_INVALID_PARAMETER = 0xC00E0006
MQ_ERROR_INVALID_HANDLE = 0xC00E0007
MQ_ERROR_IO_TIMEOUT = 0xC00E001B
MQ_ERROR_MESSAGE_NOT_FOUND = 0xC00E0088
MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT = 0x400E03E9
INFINITE = 0xFFFFFFFF
LONGEST_WAIT_MS = 10_000


@dataclass
class Queue:
    """One queue and the DWORD by which [MS-MQMP] 3.1.4.2 would have made it known to the client."""

    name: str
    handle: int
    source: uuid.UUID
    messages: list[Message] = field(default_factory=list)
    taken: set[int] = field(default_factory=set)
    waiting: dict[int, threading.Event] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def packet(self, message: Message) -> bytes:
        return message.packet(self.source, self.name)

    def first(self) -> Message | None:
        return next((message for message in self.messages if message.lookup_id not in self.taken), None)

    def by_lookup_id(self, lookup_id: int) -> tuple[int, Message | None]:
        for message in self.messages:
            if message.lookup_id == lookup_id and lookup_id not in self.taken:
                return MQ_OK, message
        return MQ_ERROR_MESSAGE_NOT_FOUND, None

    def front(self, request_id: int, timeout_ms: int) -> tuple[int, Message | None]:
        """The first message, waiting for a cancel as long as there is none; nothing arrives during the story."""
        if message := self.first():
            return MQ_OK, message
        cancelled = threading.Event()
        with self.changed:
            self.waiting[request_id] = cancelled
            self.changed.notify_all()
        called_off = cancelled.wait(min(timeout_ms, LONGEST_WAIT_MS) / 1000)
        self.waiting.pop(request_id, None)
        return (MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT if called_off else MQ_ERROR_IO_TIMEOUT), None

    def await_reader(self, request_id: int) -> None:
        """Until that request waits on the server, so that the story's cancel comes after it."""
        with self.changed:
            if not self.changed.wait_for(lambda: request_id in self.waiting, timeout=5):
                raise TimeoutError(f"no read {request_id} came to wait on {self.name}")

    def cancel(self, request_id: int) -> int:
        """[MS-MQQP] 3.1.4.6: no read on this queue and no such read on it are different errors."""
        if not self.waiting:
            return MQ_ERROR_INVALID_HANDLE
        if request_id not in self.waiting:
            return MQ_ERROR
        self.waiting[request_id].set()
        return MQ_OK

    def finish(self, message: Message, acknowledged: bool) -> None:
        """After RR_ACK the message is gone, after RR_NACK it can be read again."""
        self.taken.discard(message.lookup_id)
        if acknowledged and message in self.messages:
            self.messages.remove(message)

    def purge(self) -> None:
        self.messages.clear()
        self.taken.clear()
