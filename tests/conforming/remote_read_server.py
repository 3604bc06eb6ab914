"""The server of RemoteRead: [MS-MQRR] 3.1."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.conforming import truth
from tests.conforming.products import has_remote_read_extensions
from tests.conforming.queue_manager import AVAILABLE, Cursor, Queue
from tests.conforming.remote_read_reading import ReadEntry, RemoteReading
from tests.conforming.transport import CONTEXT_MISMATCH, Call, Reply
from tests.conforming.units_of_work import UnitOfWork, move

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.queue_manager import Descriptor, QueueManager
    from tests.conforming.schedule import Until

    Handling = Generator[Until | None, None, Reply]

_RECEIVE_ACCESS, _MOVE_ACCESS, _PEEK_ACCESS = 1, 4, 0x20
_LEVELS: Final = ("none", "connect", "packet", "integrity", "privacy")
_ACCESS_DENIED: Final = {"fault": 5}
"""ERROR_ACCESS_DENIED, which Windows' runtime gives for a level that does not suffice."""


@dataclass(slots=True, eq=False)
class OpenEntry:
    """What a queue context handle means: 2.2.4."""

    server: RemoteReadServer
    descriptor: Descriptor
    truth: truth.Session
    handle: str
    move_context: int | None = None
    reads: dict[int, ReadEntry] = field(default_factory=dict)
    """PendingRequestTable, 3.1.1.3."""
    looked_up: list[ReadEntry] = field(default_factory=list)
    """Received by a lookup identifier, for which some servers keep no entry."""

    def rundown(self) -> None:
        """3.1.6.2."""
        self.truth.states = frozenset((truth.RUNDOWN,))
        for read in (*self.reads.values(), *self.looked_up):
            read.truth.came_to("rundown") if read.message is not None else None
        self.end()

    def end(self) -> None:
        """3.1.4.3."""
        manager = self.server.manager
        self.truth.closed_us = manager.world.stage.now_us
        self.server.entries.remove(self)
        for waiting in self.server.waiting_on(self):
            waiting.cancelled = "MQ_ERROR_OPERATION_CANCELLED"
        for read in (*self.reads.values(), *self.looked_up):
            read.put_back()
        self.reads.clear()
        self.looked_up.clear()
        manager.close_queue(self.descriptor)


def _is_valid(call: Call) -> bool:
    modes = (_MOVE_ACCESS,) if call.operation == "R_OpenQueueForMove" else (_RECEIVE_ACCESS, _PEEK_ACCESS)
    return call.values["dwAccess"] in modes and call.values["dwShareMode"] in (0, 1)


class RemoteReadServer(RemoteReading):
    interface = "RemoteRead"

    def __init__(self, manager: QueueManager) -> None:
        super().__init__(manager)
        self.entries: list[OpenEntry] = []
        self.subqueues: dict[str, Queue] = {}
        self.minimum = manager.world.plant.level(manager.world.one_of(("none", "none", "none", "integrity", "privacy")))
        """Notes 19 and 26: the registry decides."""
        self.operations: dict[str, Callable[[Call], Handling]] = {
            "R_GetServerPort": self.port,
            "R_OpenQueue": self.open_queue,
            "R_CloseQueue": self.close_queue,
            "R_CreateCursor": self.create_cursor,
            "R_CloseCursor": self.close_cursor,
            "R_PurgeQueue": self.purge,
            "R_StartReceive": self.start,
            "R_CancelReceive": self.cancel,
            "R_EndReceive": self.end_receive,
        }
        if has_remote_read_extensions(manager.product):
            self.operations |= {
                "R_MoveMessage": self.move_message,
                "R_OpenQueueForMove": self.open_queue,
                "R_QMEnlistRemoteTransaction": self.enlist,
                "R_StartTransactionalReceive": self.start,
                "R_SetUserAcknowledgementClass": self.set_class,
                "R_EndTransactionalReceive": self.end_receive,
            }

    def port(self, _: Call) -> Handling:
        yield None
        return {"return_value": self.manager.handshake_port}

    def open_queue(self, call: Call) -> Handling:
        """3.1.4.2, 3.1.4.11."""
        yield None
        values, manager = call.values, self.manager
        security = call.connection.security
        if not values["fWorkgroup"] and _LEVELS.index(security.auth) < _LEVELS.index(self.minimum):
            return _ACCESS_DENIED
        if not _is_valid(call):
            return {"fault": "MQ_ERROR_INVALID_PARAMETER"}
        queue = self._queue(str(values["queue"]).strip('"'))
        if queue is None or queue.deleted:
            return {"fault": "MQ_ERROR_QUEUE_NOT_FOUND"}
        if queue.forbidden:
            return {"fault": "MQ_ERROR_ACCESS_DENIED"}
        exclusive = values["dwShareMode"] == 1
        readers = [one for one in queue.open if one.access != _MOVE_ACCESS]
        for_move = call.operation == "R_OpenQueueForMove"
        barred = not for_move and (any(one.exclusive for one in readers) or (exclusive and readers))
        if barred and not manager.world.plant.omits("remote sharing", call.connection):
            return {"fault": "MQ_ERROR_SHARING_VIOLATION"}
        name = manager.handle("RR")
        descriptor = manager.open_queue(queue, int(values["dwAccess"]), exclusive=exclusive)
        session = truth.Session(
            "RemoteRead", call.connection.client, manager.address, call.asked_us, name, queue.format_name,
            security.username, None, str(values["pClientId"]),
        )  # fmt: skip
        session.sealed, session.asked_for = security.auth == "privacy", queue.identifier
        manager.world.truth.sessions.append(session)
        call.if_lost(lambda: setattr(session, "told", False))
        entry = OpenEntry(self, descriptor, session, name)
        self.entries.append(entry)
        if call.connection.open:
            call.connection.association.handles[name] = entry
        else:
            entry.rundown()
        if not for_move:
            return {"pphContext": name}
        entry.move_context = manager.world.chance.getrandbits(63) + 1
        return {"pMoveContext": entry.move_context, "pphContext": name}

    def _queue(self, wanted: str) -> Queue | None:
        known = {one.format_name.removeprefix("DIRECT="): one for one in self.manager.queues}
        known |= {one.identifier: one for one in self.manager.queues}
        if not wanted.startswith("SUBQUEUE="):
            return known.get(wanted)
        wanted = wanted.removeprefix("SUBQUEUE=")
        parent = known.get(wanted.partition(";")[0])
        if parent is None:
            return None
        path = wanted.removeprefix("OS:")
        subqueue = Queue(path, f"DIRECT=OS:{path}", transactional=parent.transactional)
        return self.subqueues.setdefault(wanted, subqueue)

    def close_queue(self, call: Call) -> Handling:
        yield None
        handle = str(call.values["pphContext"])
        entry = call.context(handle)
        if not isinstance(entry, OpenEntry):
            return CONTEXT_MISMATCH
        del call.connection.association.handles[handle]
        entry.truth.states = frozenset((truth.CLOSED,))
        entry.truth.end_sealed = call.connection.security.auth == "privacy"
        for read in (*entry.reads.values(), *entry.looked_up):
            if read.message is not None:
                read.truth.came_to("unfinished", "failed", "rundown", "nacked")
        entry.end()
        return {"status": 0, "pphContext": "null"}

    def create_cursor(self, call: Call) -> Handling:
        yield None
        entry = call.context(call.values["phContext"])
        if not isinstance(entry, OpenEntry):
            return CONTEXT_MISMATCH
        cursor = Cursor(self.manager.number())
        entry.descriptor.cursors[cursor.handle] = cursor
        return {"phCursor": cursor.handle}

    def close_cursor(self, call: Call) -> Handling:
        yield None
        entry = call.context(call.values["phContext"])
        if not isinstance(entry, OpenEntry):
            return CONTEXT_MISMATCH
        if not self.manager.close_cursor(entry.descriptor, int(call.values["hCursor"])):
            return {"status": "MQ_ERROR_INVALID_HANDLE"}
        return {"status": 0}

    def purge(self, call: Call) -> Handling:
        yield None
        entry = call.context(call.values["phContext"])
        if not isinstance(entry, OpenEntry):
            return CONTEXT_MISMATCH
        may_purge = entry.descriptor.access == _RECEIVE_ACCESS
        if not may_purge and not self.manager.world.plant.omits("remote access", call.connection):
            return {"status": "STATUS_ACCESS_DENIED"}
        if not self.manager.world.plant.omits("remote purge", call.connection):
            entry.descriptor.queue.purge()
        entry.truth.purged(call.connection.security.auth)
        return {"status": 0}

    def enlist(self, call: Call) -> Handling:
        """3.1.4.12; what becomes of it is the business of [MS-DTCO]."""
        yield None
        self.unit(str(call.values["transaction"]), call)
        return {"status": 0}

    def move_message(self, call: Call) -> Handling:
        """3.1.4.10: the order is the text's."""
        yield None
        source = call.context(call.values["phContextFrom"])
        if not isinstance(source, OpenEntry):
            return CONTEXT_MISMATCH
        target = next((one for one in self.entries if one.move_context == call.values["ullContextTo"]), None)
        if target is None:
            return {"status": "MQ_ERROR_INVALID_HANDLE"}
        paths = source.descriptor.queue.path, target.descriptor.queue.path
        related = paths[0] != paths[1] and paths[0].partition(";")[0] == paths[1].partition(";")[0]
        if not related and not self.manager.world.plant.omits("remote relation", call.connection):
            return {"status": "STATUS_INVALID_PARAMETER"}
        queue, to, name = source.descriptor.queue, target.descriptor.queue, str(call.values["transaction"])
        if name != "null" and not to.transactional:
            return {"status": "MQ_ERROR_TRANSACTION_USAGE"}
        found = [one for one in queue.messages if one.lookup_id == call.values["LookupId"]]
        message = found[-1] if found else None
        if message is None or message.state not in (AVAILABLE, "locked"):
            return {"status": "MQ_ERROR_MESSAGE_NOT_FOUND"}
        if message.state != AVAILABLE:
            return {"status": "MQ_ERROR_MESSAGE_LOCKED_UNDER_TRANSACTION"}
        if name == "null":
            move(queue, message, to)
        elif name in self.units:
            self.units[name].move(queue, message, to)
        else:
            return {"status": "MQ_ERROR_TRANSACTION_SEQUENCE"}
        return {"status": 0}

    def set_class(self, call: Call) -> Handling:
        """3.1.4.14."""
        yield None
        entry = call.context(call.values["phContext"])
        if not isinstance(entry, OpenEntry):
            return CONTEXT_MISMATCH
        messages = entry.descriptor.queue.messages
        message = next((one for one in messages if one.lookup_id == call.values["LookupId"]), None)
        if message is None:
            return {"status": "MQ_ERROR_MESSAGE_NOT_FOUND"}
        if not any(unit.holds(message) for unit in self.units.values()):
            return {"status": "MQ_ERROR_TRANSACTION_USAGE"}
        return {"status": 0}

    def unit(self, name: str, call: Call) -> UnitOfWork:
        if name not in self.units:
            transaction = truth.Transaction(call.connection.client, self.manager.address, call.asked_us, name)
            transaction.sealed = call.connection.security.auth == "privacy"
            self.manager.world.truth.transactions.append(transaction)
            self.units[name] = UnitOfWork(name, transaction)
        return self.units[name]

    def restarted(self) -> None:
        """Whatever had not been committed is undone."""
        for unit in self.units.values():
            unit.abort()
        for subqueue in self.subqueues.values():
            subqueue.open.clear()
        self.units.clear()
        self.entries.clear()
        self.waiting.clear()
