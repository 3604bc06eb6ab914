"""What a queue manager keeps: queues, messages, open queues, cursors. [MS-MQDMPR] 3.1.1, 3.1.7, 3.2."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.conforming.transport import Host

if TYPE_CHECKING:
    from tests.conforming.products import Product
    from tests.conforming.stage import Value
    from tests.conforming.world import World

AVAILABLE, LOCKED, PURGED, DELETED = "available", "locked", "purge pending", "deleted"
RECEIVE_ACCESS, PEEK_ACCESS = 0x01, 0x20
LOW_SEVEN: Final = (1 << 56) - 1
_BODIES: Final = (0, 1, 100, 700, 3_000, 9_000)


@dataclass(slots=True, eq=False)
class Message:
    lookup_id: int
    number: int
    """Of all messages of the conversation."""
    body: int
    arrived_s: int
    state: str = AVAILABLE
    told: dict[str, Value] = field(default_factory=dict)
    """What its sender said of it to this server, as receivers are to get it."""
    put: dict[str, Value] = field(default_factory=dict)
    """The same of an object of [MC-MQAC]."""


@dataclass(slots=True, eq=False)
class Queue:
    path: str
    format_name: str
    messages: list[Message] = field(default_factory=list)
    deleted: bool = False
    open: list[Descriptor] = field(default_factory=list)
    forbidden: bool = False
    """Nobody may open it."""
    transactional: bool = False
    properties: dict[str, Value] = field(default_factory=dict)
    """As objects of [MC-MQAC] set them."""
    identifier: str = ""
    """The format name of a private queue, which no other queue ever gets: [MS-MQMQ] 2.1.4."""

    def is_denied(self, access: int, *, exclusive: bool) -> bool:
        """3.1.7.1.5: peeking goes with everybody who does not want to be alone."""
        held = {(one.access, one.exclusive) for one in self.open}
        if (RECEIVE_ACCESS, True) in held:
            return exclusive or access == RECEIVE_ACCESS
        if (PEEK_ACCESS, True) in held:
            return access == RECEIVE_ACCESS
        return exclusive and (RECEIVE_ACCESS, False) in held

    def available(self) -> list[Message]:
        return [one for one in self.messages if one.state == AVAILABLE]

    def purge(self) -> None:
        for one in self.messages:
            if one.state == AVAILABLE:
                one.state = DELETED
            elif one.state == LOCKED:
                one.state = PURGED

    def put_back(self, message: Message) -> None:
        message.state = DELETED if message.state == PURGED else AVAILABLE


@dataclass(slots=True, eq=False)
class Cursor:
    handle: int
    at: Message | None = None
    """None: unread."""


@dataclass(slots=True, eq=False)
class Descriptor:
    """OpenQueueDescriptor, 3.1.1.16."""

    handle: int
    reference: int
    """What dwpQueue says of it."""
    queue: Queue
    access: int
    exclusive: bool
    cursors: dict[int, Cursor] = field(default_factory=dict)
    remote_read: bool = False
    """A session of qm2qm has taken it over."""
    open: bool = True
    person: str = ""
    client: str = ""
    sealed: bool = False
    """Nobody saw it opened."""


class QueueManager(Host):
    def __init__(self, world: World, name: str, address: str, product: Product) -> None:
        super().__init__(world, name, address, product)
        self.queues: list[Queue] = []
        self.descriptors: dict[int, Descriptor] = {}
        self._high = world.one_of((0, 4 << 56))
        self._base = world.one_of((7, 7, 0x01F4_A310))
        self._next = self._base
        self._free: list[int] = []
        """Numbers that were given, and that nothing has any more."""
        self._handles, self._mark = 0, world.one_of(("", "", f"_{name}_"))
        self.handshake_port, self.read_port = 2103, 2105

    def add_queue(self, name: str) -> Queue:
        path = f"{self.name}\\private$\\{name}"
        machine = uuid.uuid5(uuid.NAMESPACE_DNS, self.name)
        queue = Queue(path, f"DIRECT=OS:{path}", identifier=f"PRIVATE={machine}\\{len(self.queues) + 1:08x}")
        self.queues.append(queue)
        return queue

    def deliver(self, queue: Queue) -> Message:
        """From elsewhere: by [MS-MQQB], mostly."""
        number = int(self.world.name("")) + 0x1400
        seconds = self.world.stage.now_us // 1_000_000
        message = Message(self._high | number, number, self.world.one_of(_BODIES), seconds)
        queue.messages.append(message)
        return message

    def number(self) -> int:
        """A DWORD for whatever needs one; the same after a restart. No document has it unlike the one before."""
        if self._free:
            return self._free.pop()
        self._next += self.world.one_of((1, 1, 4))
        return self._next

    def release(self, *numbers: int) -> None:
        """What had them is closed."""
        if self.world.thrifty:
            self._free += numbers

    def handle(self, kind: str) -> str:
        """The name of a context handle; the same after a restart, and mostly the same at another server."""
        self._handles += 1
        return f"{kind}{self._mark}{self._handles}"

    def open_queue(self, queue: Queue, access: int, *, exclusive: bool) -> Descriptor:
        handle = self.number()
        reference = 0x0015_0000 + handle * 16 if self.product.descriptor_differs else handle
        descriptor = Descriptor(handle, reference, queue, access, exclusive)
        queue.open.append(descriptor)
        self.descriptors[handle] = descriptor
        return descriptor

    def close_queue(self, descriptor: Descriptor) -> None:
        """3.1.7.1.6: cursors go with it."""
        if descriptor.open:
            self.release(*descriptor.cursors, descriptor.handle)
        descriptor.open = False
        descriptor.cursors.clear()
        if descriptor in descriptor.queue.open:
            descriptor.queue.open.remove(descriptor)
        if self.descriptors.get(descriptor.handle) is descriptor:
            del self.descriptors[descriptor.handle]

    def close_cursor(self, descriptor: Descriptor, number: int) -> bool:
        """Whether there was one."""
        cursor = descriptor.cursors.pop(number, None)
        if cursor is not None:
            self.release(number)
        return cursor is not None

    def forget(self) -> None:
        """A restart: messages stay."""
        for descriptor in list(self.descriptors.values()):
            self.close_queue(descriptor)
        for queue in self.queues:
            for message in queue.messages:
                if message.state in (LOCKED, PURGED):
                    queue.put_back(message)
        self._next, self._handles = self._base, 0
        self._free.clear()
