"""The supporting server: what qmcomm does with queues. [MS-MQMP] 3.1.4.17 to 3.1.4.23, 3.1.7."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming import arguments, truth
from tests.conforming.internal_transactions import InternalTransactions
from tests.conforming.products import supports
from tests.conforming.proxies import RESERVED_CURSOR, Proxies, Proxy
from tests.conforming.queue_administration import QueueAdministration
from tests.conforming.queue_manager import RECEIVE_ACCESS
from tests.conforming.stage import text
from tests.conforming.transport import CONTEXT_MISMATCH, Call, Reply

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from tests.conforming.queue_manager import Descriptor, QueueManager
    from tests.conforming.schedule import Until

    Handling = Generator[Until | None, None, Reply]

SEND: Final = 2
_ILLEGAL: Final = {"status": "MQ_ERROR_ILLEGAL_OPERATION"}
ACCESS_DENIED: Final = {"fault": 5}
"""5.1: RPC_S_ACCESS_DENIED for who does not say who he is."""
INVALID_HANDLE: Final = {"status": "MQ_ERROR_INVALID_HANDLE"}


@dataclass(slots=True, eq=False)
class LocalHandle:
    """LocalQueueContextHandle, 3.1.1.3."""

    server: SupportingServer
    descriptor: Descriptor
    truth: truth.Session
    name: str

    def rundown(self) -> None:
        self.truth.states = frozenset((truth.RUNDOWN,))
        self.end()

    def end(self) -> None:
        self.truth.closed_us = self.server.manager.world.stage.now_us
        self.server.local.pop(self.descriptor.handle, None)
        self.server.manager.close_queue(self.descriptor)


class SupportingServer(Proxies, InternalTransactions, QueueAdministration):
    interface = "qmcomm"

    def __init__(self, manager: QueueManager) -> None:
        super().__init__(manager)
        world = manager.world
        self.supporting = world.likely(supports(manager.product))
        self.refuses_anonymous = world.likely(0.1)
        self.forest = str(uuid.UUID(int=world.chance.getrandbits(128)))
        self.local: dict[int, LocalHandle] = {}
        """By the descriptor's handle, which is pdwQMContext."""
        supported: dict[str, Callable[[Call], Handling]] = {
            "rpc_QMOpenQueueInternal": self.open_queue,
            "rpc_ACCloseHandle": self.close_handle,
            "rpc_ACCloseCursor": self.close_cursor,
            "rpc_ACSetCursorProperties": self.set_cursor,
            "rpc_ACHandleToFormatName": self.format_name,
            "rpc_ACPurgeQueue": self.purge,
            "R_QMQueryQMRegistryInternal": self.registry,
            "R_QMGetRemoteQueueName": self.remote_name,
            **self.administration(),
            **self.transaction_operations(),
        }
        self.operations |= {name: self.guarded(handler) for name, handler in supported.items()}

    def guarded(self, handler: Callable[[Call], Handling]) -> Callable[[Call], Handling]:
        def guard(call: Call) -> Handling:
            if self.refuses_anonymous and call.connection.security.auth == "none":
                yield None
                return ACCESS_DENIED
            if not self.supporting:
                yield None
                return _ILLEGAL
            refused = arguments.refused(call.operation, call.values)
            if refused is not None:
                yield None
                return refused
            return (yield from handler(call))

        return guard

    def open_queue(self, call: Call) -> Handling:
        """3.1.4.17."""
        yield None
        values, manager = call.values, self.manager
        if values["hRemoteQueue"]:
            return (yield from self.open_proxy(call))
        wanted = str(values["queue"]).strip('"')
        queue, access = self.found(wanted), int(values["dwDesiredAccess"])
        if queue is None:
            path = self.elsewhere(wanted)
            if path is None or access == SEND:
                return {"status": "MQ_ERROR_QUEUE_NOT_FOUND"}
            return {"lplpRemoteQueueName": text(path)}
        if queue.forbidden:
            return {"status": "MQ_ERROR_ACCESS_DENIED"}
        exclusive = values["dwShareMode"] == 1
        if queue.is_denied(access, exclusive=exclusive) and not manager.world.plant.omits("sharing", call.connection):
            return {"status": "MQ_ERROR_SHARING_VIOLATION"}
        descriptor = manager.open_queue(queue, access, exclusive=exclusive)
        name = manager.handle("Q")
        session = truth.Session(
            "qmcomm", call.connection.client, manager.address, call.asked_us, name, queue.format_name,
            call.connection.security.username,
        )  # fmt: skip
        session.sealed = call.connection.security.auth == "privacy"
        session.asked_for = wanted if wanted.startswith("PRIVATE=") else ""
        manager.world.truth.sessions.append(session)
        call.if_lost(lambda: setattr(session, "told", False))
        handle = LocalHandle(self, descriptor, session, name)
        self.local[descriptor.handle] = handle
        if call.connection.open:
            call.connection.association.handles[name] = handle
        else:
            handle.rundown()
        return {"phQueue": name, "pdwQMContext": descriptor.handle}

    def close_handle(self, call: Call) -> Handling:
        yield None
        name = str(call.values["phQueue"])
        handle = call.context(name)
        if isinstance(handle, Proxy):
            del call.connection.association.handles[name]
            handle.rundown()
            handle.truth.states = frozenset((truth.CLOSED,))
            return {"status": 0, "phQueue": "null"}
        if not isinstance(handle, LocalHandle):
            return CONTEXT_MISMATCH
        del call.connection.association.handles[name]
        handle.truth.states = frozenset((truth.CLOSED,))
        handle.end()
        return {"status": 0, "phQueue": "null"}

    def close_cursor(self, call: Call) -> Handling:
        yield None
        handle, cursor = call.context(call.values["hQueue"]), int(call.values["hCursor"])
        if not isinstance(handle, LocalHandle | Proxy):
            return CONTEXT_MISMATCH
        if cursor == RESERVED_CURSOR:
            return {"status": 0}
        if isinstance(handle, Proxy):
            return (yield from self.close_proxy_cursor(handle, cursor, call.part))
        return {"status": 0} if self.manager.close_cursor(handle.descriptor, cursor) else INVALID_HANDLE

    def format_name(self, call: Call) -> Handling:
        """3.1.4.21."""
        yield None
        handle = call.context(call.values["hQueue"])
        if not isinstance(handle, LocalHandle | Proxy):
            return CONTEXT_MISMATCH
        queue = handle.descriptor.queue if isinstance(handle, LocalHandle) else handle.queue
        if queue.deleted:
            return {"status": "MQ_ERROR_STALE_HANDLE"}
        room, name = int(call.values["dwFormatNameRPCBufferLen"]), queue.format_name
        if room > len(name):
            return {"lpwcsFormatName": text(name), "pdwLength": len(name) + 1}
        written: Mapping[str, str] = {"lpwcsFormatName": text(name[: room - 1]) if room else "null"}
        return {"status": "MQ_ERROR_FORMATNAME_BUFFER_TOO_SMALL", **written, "pdwLength": len(name) + 1}

    def purge(self, call: Call) -> Handling:
        yield None
        handle = call.context(call.values["hQueue"])
        if isinstance(handle, Proxy):
            return (yield from self.purge_proxy(handle, call))
        if not isinstance(handle, LocalHandle):
            return CONTEXT_MISMATCH
        if handle.descriptor.queue.deleted:
            return INVALID_HANDLE
        if handle.descriptor.access != RECEIVE_ACCESS:
            return {"status": "MQ_ERROR_ACCESS_DENIED"}
        if not self.manager.world.plant.omits("supported purge", call.connection):
            handle.descriptor.queue.purge()
        handle.truth.purged(call.connection.security.auth)
        return {"status": 0}

    def registry(self, call: Call) -> Handling:
        """3.1.4.23, notes 59, 62, 63."""
        yield None
        product, kind = self.manager.product, int(call.values["dwQueryType"])
        if kind not in range(5) or (product.name == "Windows NT" and kind in (3, 4)):
            return {"status": "MQ_ERROR"}
        version = product.version or (5, 0, 736)
        answers = {
            0: f"{self.manager.name.upper()},DC-1",
            1: "7776000" if product.descriptor_differs else "345600",
            2: self.forest,
            3: ".".join(str(part) for part in version),
            4: self.identifier,
        }
        return {"lplpMQISServer": text(answers[kind])}

    def restarted(self) -> None:
        self.local.clear()
        self.forget_units()
        self.forget_proxies()
