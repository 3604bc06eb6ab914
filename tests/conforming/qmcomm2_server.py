"""Messages of a supporting server: [MS-MQMP] 3.1.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import cursors, truth
from tests.conforming.proxies import Proxy
from tests.conforming.queue_manager import DELETED, LOW_SEVEN, RECEIVE_ACCESS, Cursor, Message
from tests.conforming.schedule import Until
from tests.conforming.stage import Value, text
from tests.conforming.supporting_server import INVALID_HANDLE, SEND, LocalHandle
from tests.conforming.transport import CONTEXT_MISMATCH, Call, Reply

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.supporting_server import SupportingServer
    from tests.conforming.transport import Values

    Handling = Generator[Until | None, None, Reply]

_INFINITE: Final = 0xFFFF_FFFF
_ACCESS_DENIED: Final = "MQ_ERROR_ACCESS_DENIED"
_OUTCOMES: Final = {
    "MQ_ERROR_IO_TIMEOUT": "timed_out",
    "MQ_ERROR_OPERATION_CANCELLED": "cancelled",
    "MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT": "cancelled",
}


def _outcome(reply: Reply, action: str) -> str:
    """One call is all of a read: it removes the message at once."""
    if "message" in reply:
        return "acked" if action == "RECEIVE" else "peeked"
    return _OUTCOMES.get(str(reply.get("status")), "failed")


def _told(values: Values, *, recoverable: bool) -> dict[str, Value]:
    """3.1.5.2: what the sender left out has its default; transactions have no priorities."""
    priority, label = values.get("pPriority", 3), values.get("ppTitle")
    return {
        "pPriority": 0 if recoverable else 3 if priority == "null" else priority,
        "pDelivery": int(recoverable),
        **({} if label is None else {"ppTitle": text("") if label == "null" else label}),
    }


class Qmcomm2Server:
    interface = "qmcomm2"

    def __init__(self, server: SupportingServer) -> None:
        self.server, self.manager = server, server.manager
        handlers = {
            "QMSendMessageInternalEx": self.send_by_name,
            "rpc_ACSendMessageEx": self.send,
            "rpc_ACReceiveMessageEx": self.receive,
            "rpc_ACCreateCursorEx": self.create_cursor,
        }
        self.operations = {name: server.guarded(handler) for name, handler in handlers.items()}

    def send_by_name(self, _: Call) -> Handling:
        """3.1.5.1: nobody here says STATUS_RETRY."""
        yield None
        return {"status": "MQ_ERROR_ILLEGAL_OPERATION"}

    def send(self, call: Call) -> Handling:
        handle = call.context(call.values["hQueue"])
        told = handle.truth if isinstance(handle, LocalHandle | Proxy) else None
        send = truth.Send(told, call.asked_us, call.connection.security.auth == "privacy")
        self.manager.world.truth.sends.append(send)
        call.if_lost(send.not_heard)
        yield None
        handle = call.context(call.values["hQueue"])
        if not isinstance(handle, LocalHandle):
            return CONTEXT_MISMATCH
        queue, name = handle.descriptor.queue, str(call.values.get("transaction", "null"))
        if queue.deleted:
            return {"status": "MQ_ERROR_STALE_HANDLE"}
        if handle.descriptor.access != SEND:
            return {"status": _ACCESS_DENIED}
        if call.values.get("pulPrivLevel", 0) and not handle.truth.asked_for:
            return {"status": "MQ_ERROR_UNSUPPORTED_FORMATNAME_OPERATION"}
        unit = self.server.units.get(name)
        if name != "null" and unit is None:
            return {"status": "MQ_ERROR_TRANSACTION_SEQUENCE"}
        if (unit is not None) != queue.transactional:
            return {"status": "MQ_ERROR_TRANSACTION_USAGE"}
        message = self.manager.deliver(queue)
        message.body = int(str(call.values["message"]).partition("/")[0])
        if unit is not None:
            unit.send(queue, message, send)
        send.came_to("success")
        identifier: Values = {"Lineage": self.server.identifier, "Uniquifier": message.number}
        message.told = {**identifier, **_told(call.values, recoverable=unit is not None)}
        return {"status": 0, **identifier}

    def receive(self, call: Call) -> Handling:
        values, world = call.values, self.manager.world
        context, action = int(values["hQMContext"]), str(values["Action"])
        handle = self.server.local.get(context)
        read = truth.Read(handle.truth if handle else None, call.asked_us, action, None)
        read.sealed, read.endpoint = call.connection.security.auth == "privacy", "qmcomm"
        world.truth.reads.append(read)
        call.if_lost(read.not_heard)
        yield None
        name = str(values.get("transaction", "null"))
        unit = self.server.units.get(name)
        if name != "null" and unit is None:
            read.came_to("failed")
            return {"status": "MQ_ERROR_TRANSACTION_SEQUENCE"}
        proxy = self.server.proxies.get(context)
        if proxy is not None:
            read.session = proxy.truth
            reply = yield from self.server.read_proxy(proxy, call)
            read.came_to(_outcome(reply, action))
            return reply
        if handle is None or handle.descriptor.access == SEND:
            read.came_to("failed")
            return INVALID_HANDLE
        if action == "RECEIVE" and handle.descriptor.access != RECEIVE_ACCESS:
            read.came_to("failed")
            return {"status": _ACCESS_DENIED}
        cursor = int(values.get("Cursor", 0))
        if cursor and cursor not in handle.descriptor.cursors:
            read.came_to("failed")
            return INVALID_HANDLE
        handle.truth.reads.append(read)
        found = yield from self._found(handle, call)
        if not isinstance(found, Message):
            failed = {"status": found}
            read.came_to(_outcome(failed, action))
            return failed
        if unit is not None and self.server.units.get(name) is not unit:
            # It was decided while the call waited for a message.
            read.came_to("failed")
            return {"status": "MQ_ERROR_TRANSACTION_SEQUENCE"}
        if found.body > int(values["ulBodyBufferSizeInBytes"]):
            read.came_to("failed")
            return {"status": "MQ_ERROR_BUFFER_OVERFLOW", "pBodySize": found.body}
        place = handle.descriptor.cursors.get(cursor)
        if place is not None:
            cursors.moved(place, found, action)
        if action == "RECEIVE":
            if unit is not None:
                unit.receive(handle.descriptor.queue, found, read)
            else:
                found.state = DELETED
        read.body, read.sequential_id = found.body, found.lookup_id & LOW_SEVEN
        given: dict[str, Value] = {
            "message": f"{found.body}/{found.number}",
            "ppDestFormatName": text(handle.descriptor.queue.format_name),
            "pArrivedTime": found.arrived_s,
            **found.told,
        }
        undecided = unit is not None and unit.internal and action == "RECEIVE"
        read.came_to("unfinished" if undecided else _outcome(given, action))
        return {**given, "Cursor": cursor} if cursor else given

    def _found(self, handle: LocalHandle, call: Call) -> Generator[Until | None, None, cursors.Found]:
        timeout = int(call.values.get("RequestTimeout", 0))
        deadline = None if timeout == _INFINITE else call.asked_us + timeout * 1_000
        stage = self.manager.world.stage
        while True:
            found = self._look(handle, call)
            if found != cursors.WAIT:
                return found
            if deadline is not None and stage.now_us >= deadline:
                return "MQ_ERROR_IO_TIMEOUT"
            yield Until(lambda: self._look(handle, call) != cursors.WAIT, deadline)

    def _look(self, handle: LocalHandle, call: Call) -> cursors.Found:
        descriptor = handle.descriptor
        if not descriptor.open:
            return "MQ_ERROR_OPERATION_CANCELLED"
        if descriptor.queue.deleted:
            return "MQ_ERROR_QUEUE_DELETED"
        cursor = descriptor.cursors.get(int(call.values.get("Cursor", 0)))
        action = str(call.values["Action"])
        return cursors.by_cursor(descriptor.queue, cursor, action) if cursor else cursors.at_front(descriptor.queue)

    def create_cursor(self, call: Call) -> Handling:
        yield None
        handle = call.context(call.values["hQueue"])
        if isinstance(handle, Proxy):
            return (yield from self.server.create_proxy_cursor(handle, call.part))
        if not isinstance(handle, LocalHandle):
            return CONTEXT_MISMATCH
        if handle.descriptor.queue.deleted:
            return {"status": "MQ_ERROR_STALE_HANDLE"}
        cursor = Cursor(self.server.cursor_number())
        handle.descriptor.cursors[cursor.handle] = cursor
        return {"hCursor": cursor.handle, "srv_hACQueue": 0, "cli_pQMQueue": 0}
