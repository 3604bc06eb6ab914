"""What qmcomm's server does for remote reads: [MS-MQMP] 3.1.4.2 to 3.1.4.4, 3.1.4.24, 3.1.7."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.conforming.queue_manager import Cursor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.queue_manager import Descriptor, QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]


@dataclass(slots=True, eq=False)
class OpenContext:
    """RemoteQueueOpenContextHandle, 3.1.1.8."""

    manager: QueueManager
    descriptor: Descriptor

    def rundown(self) -> None:
        if not self.descriptor.remote_read:
            self.manager.close_queue(self.descriptor)


class QmcommServer:
    interface = "qmcomm"

    def __init__(self, manager: QueueManager) -> None:
        self.manager = manager
        self.operations: dict[str, Callable[[Call], Handling]] = {
            "R_QMOpenRemoteQueue": self.open_remote,
            "R_QMCloseRemoteQueueContext": self.close_context,
            "R_QMCreateRemoteCursor": self.create_cursor,
            "R_QMGetRTQMServerPort": self.port,
        }

    def port(self, call: Call) -> Handling:
        yield None
        ports = {0: self.manager.handshake_port, 1: self.manager.read_port}
        return {"return_value": ports.get(int(call.values["fIP"]), 0)}

    def open_remote(self, call: Call) -> Handling:
        yield None
        values, manager = call.values, self.manager
        wanted = str(values["queue"]).strip('"')
        queue = next((one for one in manager.queues if one.format_name == f"DIRECT={wanted}"), None)
        if queue is None or queue.deleted:
            return {"status": "MQ_ERROR_QUEUE_NOT_FOUND"}
        if queue.forbidden:
            return {"status": "MQ_ERROR_ACCESS_DENIED"}
        exclusive = values["dwShareMode"] == 1
        if any(one.exclusive for one in queue.open) or (exclusive and queue.open):
            return {"status": "STATUS_SHARING_VIOLATION"}
        descriptor = manager.open_queue(queue, int(values["dwDesiredAccess"]), exclusive=exclusive)
        descriptor.person, descriptor.client = call.connection.security.username, call.connection.client
        descriptor.sealed = call.connection.security.auth == "privacy"
        name = manager.handle("P")
        context = OpenContext(manager, descriptor)
        if call.connection.open:
            call.connection.association.handles[name] = context
        else:
            context.rundown()
        return {
            "pphContext": name,
            "pdwContext": descriptor.handle,
            "phQueue": descriptor.handle,
            "dwpQueue": descriptor.reference,
        }

    def close_context(self, call: Call) -> Handling:
        yield None
        handle = str(call.values["pphContext"])
        context = call.context(handle)
        if not isinstance(context, OpenContext):
            return {"fault": "nca_s_fault_context_mismatch"}
        context.rundown()
        del call.connection.association.handles[handle]
        return {"pphContext": "null"}

    def create_cursor(self, call: Call) -> Handling:
        yield None
        descriptor = self.manager.descriptors.get(int(call.values["hQueue"]))
        if descriptor is None:
            return {"status": "MQ_ERROR_INVALID_HANDLE"}
        cursor = Cursor(self.manager.number())
        descriptor.cursors[cursor.handle] = cursor
        return {"phCursor": cursor.handle}
