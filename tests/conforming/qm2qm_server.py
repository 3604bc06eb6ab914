"""The server of qm2qm: [MS-MQQP] 3.1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming import truth
from tests.conforming.reading import Reading
from tests.conforming.transport import CONTEXT_MISMATCH, OUT_OF_RANGE, Call, Reply
from tests.conforming.waiting import HELD_US

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.queue_manager import Descriptor, QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Connection

    Handling = Generator[Until | None, None, Reply]

_INVALID_PARAMETER: Final = {"status": "MQ_ERROR_INVALID_PARAMETER"}
_INVALID_HANDLE: Final = {"status": "MQ_ERROR_INVALID_HANDLE"}
_CANCELLED: Final = ("MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT", "MQ_ERROR_OPERATION_CANCELLED")


@dataclass(slots=True, eq=False)
class OpenEntry:
    """OpenQueueEntry, 3.1.1.4."""

    server: Qm2qmServer
    descriptor: Descriptor
    truth: truth.Session
    handle: str
    connection: Connection
    """On which it was opened."""

    def rundown(self) -> None:
        self.truth.states = frozenset((truth.RUNDOWN,))
        self.end()

    def end(self) -> None:
        """3.1.4.4, and 3.1.6.1 by it."""
        self.truth.closed_us = self.server.manager.world.stage.now_us
        self.server.entries.remove(self)
        world, waiting = self.server.manager.world, self.server.waiting(self.descriptor.handle)
        for read in waiting:
            if world.plant.omits("waiting", self.connection):
                read.held_until_us = world.stage.now_us + HELD_US
            else:
                read.cancelled = world.one_of(_CANCELLED)
        self.server.manager.close_queue(self.descriptor)


class Qm2qmServer(Reading):
    interface = "qm2qm"

    def __init__(self, manager: QueueManager) -> None:
        super().__init__(manager)
        self.entries: list[OpenEntry] = []
        self.operations: dict[str, Callable[[Call], Handling]] = {
            "RemoteQMStartReceive": self.start,
            "RemoteQMEndReceive": self.end_receive,
            "RemoteQMOpenQueue": self.open_queue,
            "RemoteQMCloseQueue": self.close_queue,
            "RemoteQMCloseCursor": self.close_cursor,
            "RemoteQMCancelReceive": self.cancel,
            "RemoteQMPurgeQueue": self.purge,
            "RemoteQMGetQMQMServerPort": self.port,
        }
        if manager.product.version is not None:
            self.operations |= {
                "RemoteQmGetVersion": self.version,
                "RemoteQMStartReceive2": self.start,
                "RemoteQMStartReceiveByLookupId": self.start,
            }

    def port(self, call: Call) -> Handling:
        """3.1.4.8; SPX is gone in newer products."""
        yield None
        kind = call.values["dwPortType"]
        known = (0, 1, 2, 3) if self.manager.product.has_spx else (0, 1)
        ports = {0: self.manager.handshake_port, 1: self.manager.read_port}
        return {"return_value": ports[int(kind) % 2] if kind in known else 0}

    def version(self, _: Call) -> Handling:
        yield None
        if self.manager.product.version is None:
            return OUT_OF_RANGE
        major, minor, build = self.manager.product.version
        return {"pMajor": major, "pMinor": minor, "pBuildNumber": build}

    def open_queue(self, call: Call) -> Handling:
        """3.1.4.3."""
        yield None
        values, product, manager = call.values, self.manager.product, self.manager
        handle, reference, context = (int(values[name]) for name in ("hQueue", "pQueue", "dwpContext"))
        if reference == 0 or context == 0 or (product.compares_context and reference != context):
            return _INVALID_PARAMETER
        descriptor = manager.descriptors.get(handle if product.descriptor_differs else context)
        if descriptor is None or not descriptor.client:
            # dwpContext is of a queue that was opened remotely.
            return _INVALID_PARAMETER
        name = manager.handle("S")
        session = truth.Session(
            "qm2qm", call.connection.client, manager.address, call.asked_us, name, descriptor.queue.format_name,
            call.connection.security.username, handle, str(values["pLicGuid"]), descriptor.person,
        )  # fmt: skip
        session.sealed = call.connection.security.auth == "privacy"
        session.naming_sealed = descriptor.sealed
        manager.world.truth.sessions.append(session)
        call.if_lost(lambda: setattr(session, "told", False))
        descriptor.remote_read = True
        entry = OpenEntry(self, descriptor, session, name, call.connection)
        self.entries.append(entry)
        if not call.connection.open:
            entry.rundown()
            return {"phContext": name}
        call.connection.association.handles[name] = entry
        return {"phContext": name}

    def close_queue(self, call: Call) -> Handling:
        yield None
        handle = str(call.values["pphContext"])
        if handle == "null":
            return {"status": "MQ_ERROR_INVALID_HANDLE", "pphContext": "null"}
        entry = call.context(handle)
        if not isinstance(entry, OpenEntry):
            return CONTEXT_MISMATCH
        del call.connection.association.handles[handle]
        entry.truth.states = frozenset((truth.CLOSED,))
        entry.end()
        return {"pphContext": "null"}

    def close_cursor(self, call: Call) -> Handling:
        yield None
        descriptor = self.manager.descriptors.get(int(call.values["hQueue"]))
        if descriptor is None or not self.manager.close_cursor(descriptor, int(call.values["hCursor"])):
            return _INVALID_HANDLE
        return {"status": 0}

    def purge(self, call: Call) -> Handling:
        yield None
        entry = self.entry(int(call.values["hQueue"]), call)
        if entry is None:
            failure = "MQ_ERROR_INVALID_HANDLE"
            return {"fault": failure} if self.manager.product.raises_purge_failures else {"status": failure}
        if entry.descriptor.access != 1:
            failure = "MQ_ERROR_ACCESS_DENIED"
            return {"fault": failure} if self.manager.product.raises_purge_failures else {"status": failure}
        if not self.manager.world.plant.omits("purge", call.connection):
            entry.descriptor.queue.purge()
        entry.truth.purged(call.connection.security.auth)
        return {"status": 0}

    def cancel(self, call: Call) -> Handling:
        """3.1.4.6; a peek has no tag ([MS-MQDMPR] 3.1.7.1.15), so some servers do not find it."""
        yield None
        values, product = call.values, self.manager.product
        queue, reference = int(values["hQueue"]), int(values["pQueue"])
        if product.descriptor_differs and (queue == 0 or reference == 0):
            return _INVALID_HANDLE
        if not product.descriptor_differs and (reference == 0 or queue != reference):
            return _INVALID_PARAMETER
        waiting = self.waiting(queue)
        if not waiting:
            return _INVALID_HANDLE
        entry = next((one for one in waiting if one.request_id == values["dwRequestID"]), None)
        if entry is None:
            return {"status": "MQ_ERROR"}
        if entry.action != "RECEIVE" and self.by_the_letter:
            return {"status": "STATUS_NOT_FOUND"}
        if self.manager.world.plant.omits("cancel", call.connection):
            entry.held_until_us = self.manager.world.stage.now_us + HELD_US
        else:
            entry.cancelled = "MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT"
        return {"status": 0}

    def entry(self, handle: int, call: Call | None = None) -> OpenEntry | None:
        """Of the caller's association rather than of another one."""
        found = [one for one in self.entries if one.descriptor.handle == handle]
        if call is not None:
            found.sort(key=lambda one: one.handle not in call.connection.association.handles)
        return found[0] if found else None

    def restarted(self) -> None:
        self.entries.clear()
        self.pending.clear()
