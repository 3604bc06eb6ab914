"""Reads of the server of RemoteRead: [MS-MQRR] 3.1.4.7 to 3.1.4.9, 3.1.4.13, 3.1.4.15, 3.1.5.1."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming import cursors, truth
from tests.conforming.queue_manager import AVAILABLE, DELETED, LOCKED, LOW_SEVEN, Message
from tests.conforming.schedule import Until
from tests.conforming.stage import Value, text
from tests.conforming.transport import CONTEXT_MISMATCH, Call, Reply, Values
from tests.conforming.waiting import HELD_US, waited

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.remote_read_server import OpenEntry
    from tests.conforming.units_of_work import UnitOfWork

    Handling = Generator[Until | None, None, Reply]

_RECEIVE_ACCESS: Final = 1
_ACTIONS: Final = (
    *("RECEIVE", "PEEK_CURRENT", "PEEK_NEXT"),
    *(f"LOOKUP_{kind}_{way}" for kind in ("PEEK", "RECEIVE") for way in ("CURRENT", "NEXT", "PREV")),
)
_CLEANUP_US: Final = 300_000_000
"""Note 11."""
_OUTCOMES: Final = {"MQ_ERROR_IO_TIMEOUT": "timed_out", "MQ_ERROR_OPERATION_CANCELLED": "cancelled"}


@dataclass(slots=True, eq=False)
class ReadEntry:
    """PendingRequestEntry, 3.1.1.2, and what waits for a message."""

    session: OpenEntry
    action: str
    request_id: int
    truth: truth.Read
    unit: UnitOfWork | None
    cancelled: str = ""
    held_until_us: int = 0
    """By a server that goes on with what it should have ended."""
    message: Message | None = None

    def put_back(self) -> None:
        """[MS-MQDMPR] 3.1.7.1.12 without deletion; a transaction keeps what it holds."""
        message = self.message
        if message is not None and self.unit is None and message.state != AVAILABLE:
            self.session.descriptor.queue.put_back(message)


def _is_valid(values: Values) -> bool:
    """What 3.1.4.7 says of arguments that go with each other."""
    action, looks_up = str(values["ulAction"]), bool(values.get("LookupId", 0))
    if action not in _ACTIONS or looks_up != action.startswith("LOOKUP"):
        return False
    if looks_up and (values.get("ulTimeout") or values.get("hCursor")):
        return False
    return action != "PEEK_NEXT" or bool(values.get("hCursor"))


class RemoteReading(ABC):
    def __init__(self, manager: QueueManager) -> None:
        self.manager = manager
        self.waiting: list[ReadEntry] = []
        self.units: dict[str, UnitOfWork] = {}
        self.by_the_letter = manager.world.likely(0.3)
        """Where the text says less or something else than what everybody expects."""

    def waiting_on(self, session: OpenEntry) -> list[ReadEntry]:
        return [one for one in self.waiting if one.session is session]

    @abstractmethod
    def unit(self, name: str, call: Call) -> UnitOfWork: ...

    def start(self, call: Call) -> Handling:
        values, world = call.values, self.manager.world
        session: OpenEntry | None = call.context(values["phContext"])
        action, name = str(values["ulAction"]), str(values.get("transaction", "null"))
        read = truth.Read(session.truth if session else None, call.asked_us, action, int(values["dwRequestId"]))
        read.sealed, read.endpoint = call.connection.security.auth == "privacy", "RemoteRead"
        world.truth.reads.append(read)
        call.if_lost(lambda: read.came_to("unfinished", "rundown", *read.outcomes))
        yield None
        session = call.context(values["phContext"])
        if session is None:
            read.came_to("failed")
            return CONTEXT_MISMATCH
        session.truth.reads.append(read)
        refusal = self._refusal(session, call)
        if refusal is not None:
            read.came_to("failed")
            return {"status": refusal}
        unit = None if name == "null" else self.unit(name, call)
        entry = ReadEntry(session, action, int(values["dwRequestId"]), read, unit)
        if action == "RECEIVE":
            session.reads[entry.request_id] = entry
            world.schedule.add(self._cleanup(entry), self.manager)
        self.waiting.append(entry)
        found = yield from waited(call, entry, lambda: self._look(entry, call), "remote timer")
        if entry in self.waiting:
            self.waiting.remove(entry)
        if not isinstance(found, Message):
            read.came_to(_OUTCOMES.get(found, "failed"))
            return {"status": found}
        return self._answer(call, entry, found)

    def _refusal(self, session: OpenEntry, call: Call) -> str | None:
        values = call.values
        if not _is_valid(values):
            return "MQ_ERROR_INVALID_PARAMETER"
        wants_more = "RECEIVE" in str(values["ulAction"]) and session.descriptor.access != _RECEIVE_ACCESS
        if wants_more and not self.manager.world.plant.omits("remote access", call.connection):
            return "STATUS_ACCESS_DENIED"
        cursor, queue = int(values.get("hCursor", 0)), session.descriptor.queue
        if cursor and cursor not in session.descriptor.cursors:
            return "STATUS_INVALID_HANDLE"
        if str(values.get("transaction", "null")) != "null" and not queue.transactional:
            return "MQ_ERROR_TRANSACTION_USAGE"
        return None

    def _look(self, entry: ReadEntry, call: Call) -> cursors.Found:
        values, descriptor = call.values, entry.session.descriptor
        if descriptor.queue.deleted:
            return "MQ_ERROR_QUEUE_DELETED"
        if "LookupId" in values:
            return cursors.by_lookup_id(descriptor.queue, int(values["LookupId"]), entry.action)
        cursor = descriptor.cursors.get(int(values.get("hCursor", 0)))
        return (
            cursors.by_cursor(descriptor.queue, cursor, entry.action) if cursor else cursors.at_front(descriptor.queue)
        )

    def _answer(self, call: Call, entry: ReadEntry, message: Message) -> Reply:
        read, session = entry.truth, entry.session
        cursor = session.descriptor.cursors.get(int(call.values.get("hCursor", 0)))
        if cursor is not None:
            cursors.moved(cursor, message, entry.action)
        read.body, read.sequential_id = message.body, message.lookup_id & LOW_SEVEN
        reply: dict[str, Value] = {
            "message": f"{message.body}/{message.number}",
            "destination": text(session.descriptor.queue.format_name.removeprefix("DIRECT=")),
            "pdwArriveTime": message.arrived_s,
            "pSequenceId": read.sequential_id,
        }
        if "RECEIVE" not in entry.action:
            read.came_to("peeked")
            return reply
        read.came_to("unfinished", "rundown")
        entry.message = message
        if entry.unit is not None:
            entry.unit.receive(session.descriptor.queue, message)
        else:
            message.state = LOCKED
        if entry.action != "RECEIVE":
            self._keep_looked_up(entry)
        return reply

    def _keep_looked_up(self, entry: ReadEntry) -> None:
        """3.1.4.7 creates no entry for these, though 3.2.4.4.1 makes the client end them."""
        if self.by_the_letter:
            entry.session.looked_up.append(entry)
        else:
            entry.session.reads[entry.request_id] = entry
            self.manager.world.schedule.add(self._cleanup(entry), self.manager)

    def _cleanup(self, entry: ReadEntry) -> Generator[Until | None, None, None]:
        """3.1.5.1."""
        yield Until(deadline_us=self.manager.world.stage.now_us + _CLEANUP_US)
        if entry.session.reads.get(entry.request_id) is entry:
            del entry.session.reads[entry.request_id]
            if entry.message is not None:
                entry.put_back()
                entry.truth.came_to("rundown", "unfinished", "failed")

    def end_receive(self, call: Call) -> Handling:
        """3.1.4.9, 3.1.4.15."""
        yield None
        values = call.values
        session: OpenEntry | None = call.context(values["phContext"])
        if session is None:
            return CONTEXT_MISMATCH
        if not session.reads:
            return {"status": "MQ_ERROR_INVALID_HANDLE"}
        entry = session.reads.pop(int(values["dwRequestId"]), None)
        if entry is None:
            return {"status": "MQ_ERROR_INVALID_PARAMETER"}
        message, acked = entry.message, values["dwAck"] == "RR_ACK"
        if message is None or message.state == DELETED:
            return {"status": "MQ_ERROR_MESSAGE_NOT_FOUND"}
        if message.state == AVAILABLE:
            return {"status": "MQ_ERROR_TRANSACTION_SEQUENCE"}
        entry.truth.came_to("acked" if acked else "nacked")
        entry.truth.end_sealed = call.connection.security.auth == "privacy"
        if entry.unit is None:
            if acked and not self.manager.world.plant.omits("remote removal", call.connection):
                message.state = DELETED
            else:
                entry.put_back()
        elif not acked and not self.by_the_letter:
            entry.unit.give_back(message)
        return {"status": 0}

    def cancel(self, call: Call) -> Handling:
        """3.1.4.8; a peek has no tag, so some servers do not find it."""
        yield None
        session: OpenEntry | None = call.context(call.values["phContext"])
        if session is None:
            return CONTEXT_MISMATCH
        request_id = int(call.values["dwRequestId"])
        found = [one for one in self.waiting_on(session) if one.request_id == request_id]
        if self.by_the_letter:
            found = [one for one in found if one.action == "RECEIVE"]
        if not found:
            return {"status": "STATUS_NOT_FOUND"}
        if self.manager.world.plant.omits("remote cancel", call.connection):
            found[0].held_until_us = self.manager.world.stage.now_us + HELD_US
        else:
            found[0].cancelled = "MQ_ERROR_OPERATION_CANCELLED"
        session.reads.pop(request_id, None)
        return {"status": 0}
