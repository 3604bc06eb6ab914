"""Reads of the server of qm2qm: [MS-MQQP] 3.1.4.1, 3.1.4.2, 3.1.4.10, 3.1.4.11."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming import cursors, truth
from tests.conforming.queue_manager import DELETED, LOCKED, LOW_SEVEN, Message
from tests.conforming.stage import Value, text
from tests.conforming.transport import CONTEXT_MISMATCH, Call, Reply
from tests.conforming.waiting import waited

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.qm2qm_server import OpenEntry
    from tests.conforming.queue_manager import Descriptor, QueueManager
    from tests.conforming.schedule import Until

    Handling = Generator[Until | None, None, Reply]

_INVALID_PARAMETER: Final = "MQ_ERROR_INVALID_PARAMETER"
_BAD_STUB: Final = 0x6F7
"""RPC_X_BAD_STUB_DATA: dwAck has a range."""
OUTCOMES: Final = {"MQ_ERROR_IO_TIMEOUT": "timed_out"}


@dataclass(slots=True, eq=False)
class ReadEntry:
    """RemoteReadEntry, 3.1.1.2; once answered with a message it is what the context handle means."""

    descriptor: Descriptor
    action: str
    request_id: int
    truth: truth.Read
    cancelled: str = ""
    """The status with which it ends."""
    message: Message | None = None
    held_until_us: int = 0
    """By a server that goes on with what it should have ended."""

    def rundown(self) -> None:
        """3.1.6.2: RR_NACK."""
        assert self.message is not None
        self.descriptor.queue.put_back(self.message)
        self.truth.came_to("rundown")


class Reading(ABC):
    def __init__(self, manager: QueueManager) -> None:
        self.manager = manager
        self.pending: list[ReadEntry] = []
        self.by_the_letter = manager.world.likely(0.3)

    @abstractmethod
    def entry(self, handle: int, call: Call | None = None) -> OpenEntry | None: ...

    def waiting(self, handle: int) -> list[ReadEntry]:
        """Of a queue that is closed, until its number is another's."""
        known = self.manager.descriptors.get(handle)
        found = [one for one in self.pending if one.descriptor.handle == handle]
        return [one for one in found if known is None or one.descriptor is known]

    def start(self, call: Call) -> Handling:
        values, world = call.values, self.manager.world
        handle, action = int(values["hRemoteQueue"]), str(values["ulAction"])
        entry = self.entry(handle, call)
        read = truth.Read(entry.truth if entry else None, call.asked_us, action, int(values["dwRequestID"]))
        read.sealed = call.connection.security.auth == "privacy"
        world.truth.reads.append(read)
        call.if_lost(lambda: read.came_to("unfinished", "rundown"))
        if entry is not None:
            entry.truth.reads.append(read)
        yield None
        refusal = self._refusal(call)
        if refusal is not None or entry is None:
            read.came_to("failed")
            return {"status": refusal or _INVALID_PARAMETER}
        pending = ReadEntry(entry.descriptor, action, int(values["dwRequestID"]), read)
        self.pending.append(pending)
        found = yield from waited(call, pending, lambda: self._look(pending, call), "timer")
        self.pending.remove(pending)
        if not isinstance(found, Message):
            read.came_to("cancelled" if pending.cancelled else OUTCOMES.get(found, "failed"))
            return {"status": found}
        if "RECEIVE" in action:
            found.state = LOCKED
            pending.message = found
        return self._answer(call, pending, found)

    def _refusal(self, call: Call) -> str | None:
        """The order is the text's."""
        values, product = call.values, self.manager.product
        handle, reference = int(values["hRemoteQueue"]), int(values["dwQueue"])
        cursor, action = int(values.get("hCursor", 0)), values["ulAction"]
        if "descriptor" in values:
            return "MQ_ERROR_INVALID_HANDLE"
        if "LookupId" in values and (cursor or values.get("ulTimeout", 0) or handle == 0):
            return _INVALID_PARAMETER
        if ("LookupId" in values) != str(action).startswith("LOOKUP"):
            return _INVALID_PARAMETER
        if reference == 0 or (not product.descriptor_differs and reference != handle):
            return _INVALID_PARAMETER
        taken = any(one.request_id == values["dwRequestID"] for one in self.waiting(handle))
        if taken and product.tells_duplicates and not self.manager.world.plant.omits("duplicates", call.connection):
            return _INVALID_PARAMETER
        if action == "PEEK_NEXT" and cursor == 0:
            return "STATUS_INVALID_PARAMETER"
        entry = self.entry(handle, call)
        if entry is None:
            return _INVALID_PARAMETER
        if cursor and cursor not in entry.descriptor.cursors:
            return "STATUS_INVALID_PARAMETER"
        if "RECEIVE" in str(action) and entry.descriptor.access != 1:
            return "MQ_ERROR_ACCESS_DENIED"
        return None

    def _look(self, pending: ReadEntry, call: Call) -> cursors.Found:
        values, queue = call.values, pending.descriptor.queue
        if queue.deleted:
            return "MQ_ERROR_QUEUE_DELETED"
        if "LookupId" in values:
            return cursors.by_lookup_id(queue, int(values["LookupId"]), pending.action)
        cursor = pending.descriptor.cursors.get(int(values.get("hCursor", 0)))
        return cursors.by_cursor(queue, cursor, pending.action) if cursor else cursors.at_front(queue)

    def _answer(self, call: Call, pending: ReadEntry, message: Message) -> Reply:
        read, connection = pending.truth, call.connection
        cursor = pending.descriptor.cursors.get(int(call.values.get("hCursor", 0)))
        if cursor is not None:
            cursors.moved(cursor, message, pending.action)
        read.body, read.sequential_id = message.body, message.lookup_id & LOW_SEVEN
        reply: dict[str, Value] = {
            "pphContext": "null",
            "message": f"{message.body}/{message.number}",
            "destination": text(pending.descriptor.queue.format_name.removeprefix("DIRECT=")),
            "dwArriveTime": message.arrived_s,
        }
        if call.operation != "RemoteQMStartReceive":
            reply["SequentialId"] = read.sequential_id
        if pending.message is None:
            read.came_to("peeked")
            return reply
        read.came_to("unfinished")
        name = self.manager.handle("R")
        if connection.open:
            connection.association.handles[name] = pending
        else:
            pending.rundown()
        return {**reply, "pphContext": name}

    def end_receive(self, call: Call) -> Handling:
        """3.1.4.2."""
        yield None
        handle = str(call.values["pphContext"])
        if handle == "null":
            return {"status": "MQ_ERROR_INVALID_HANDLE", "pphContext": "null"}
        if call.values["dwAck"] not in ("RR_ACK", "RR_NACK"):
            return {"fault": _BAD_STUB}
        pending = call.context(handle)
        if not isinstance(pending, ReadEntry):
            return CONTEXT_MISMATCH
        assert pending.message is not None
        del call.connection.association.handles[handle]
        if not pending.descriptor.open:
            pending.descriptor.queue.put_back(pending.message)
            pending.truth.came_to("failed", "unfinished", "rundown", "nacked", "acked")
            return {"status": "MQ_ERROR_QUEUE_NOT_AVAILABLE", "pphContext": "null"}
        if call.values["dwAck"] == "RR_ACK":
            if not self.manager.world.plant.omits("removal", call.connection):
                pending.message.state = DELETED
            else:
                pending.descriptor.queue.put_back(pending.message)
            pending.truth.came_to("acked")
        else:
            pending.descriptor.queue.put_back(pending.message)
            pending.truth.came_to("nacked")
        return {"status": 0, "pphContext": "null"}
