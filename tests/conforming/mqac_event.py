"""MSMQEvent: [MC-MQAC] 3.16. The server calls an object of the client's when a message is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import mqac_values as v
from tests.conforming.com_server import PUBLIC, Served, never
from tests.conforming.mapper import PORT
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.mqac_queue import OpenedQueue
    from tests.conforming.mqac_sink import Sink
    from tests.conforming.runtime import Process
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply, Values

    Handling = Generator[Until | None, None, Reply]
    Doing = Generator[Until | None, None, None]

CONTAINER, POINT, EVENTS = "IConnectionPointContainer", "IConnectionPoint", "_DMSMQEventEvents"
_NO_CONNECTION: Final = "0x80040200"
_ARRIVED, _ARRIVED_ERROR = 0, 1
_OFTEN: Final = 5
"""More than any script asks for."""
_CODES: Final = {"MQ_ERROR_IO_TIMEOUT": 0xC00E_001B, "MQ_ERROR_MESSAGE_NOT_FOUND": 0xC00E_0008}
_TWO_TO_32: Final = 1 << 32


class Event(Served):
    def __init__(self, server: ComServer) -> None:
        super().__init__("MSMQEvent")
        self.server = server
        self.sinks: dict[int, Sink] = {}
        """By cookie."""
        self._cookies = 0
        self.members = {"FindConnectionPoint": self.find, "get_Properties": never}

    def others(self) -> tuple[str, ...]:
        return (CONTAINER,)

    def find(self, call: Call) -> Handling:
        """3.16.4.6.2."""
        yield None
        if call.values["riid"] != EVENTS:
            return {"status": _NO_CONNECTION}
        return self.server.give(self.server.made(ConnectionPoint(self)), POINT)

    def advised(self, sink: Sink) -> int:
        self._cookies += 1
        self.sinks[self._cookies] = sink
        return self._cookies

    def fire(self, queue: OpenedQueue, error: str | None) -> Doing:
        """3.16.4.4: at whatever is advised."""
        for sink in list(self.sinks.values()):
            if sink.client.alive:
                yield from self._call(sink, queue, error)

    def _call(self, sink: Sink, queue: OpenedQueue, error: str | None) -> Doing:
        """[MS-DCOM] 3.2.4.1.2: first the server asks where the client's objects are."""
        caller = self.server.caller
        if sink not in self.server.resolved:
            resolver = caller.connect(sink.host.endpoints[PORT], "IObjectExporter")
            found = yield from caller.call(resolver, "ResolveOxid2", {"pOxid": sink.oxid})
            caller.close(resolver)
            if found is None or "port" not in found:
                return
            connection = caller.connect(sink.host.endpoints[int(found["port"])], EVENTS)
            asked = {"object": sink.unknown, "ripid": sink.ipid, "iids": f"[{EVENTS}]"}
            caller.speak(connection, "IRemUnknown")
            given = yield from caller.call(connection, "RemQueryInterface", asked)
            if given is None or "gives" not in given:
                return
            self.server.resolved[sink] = str(given["gives"]).strip("[]")
        yield from self._fire(caller, sink, queue, error)

    def _fire(self, caller: Process, sink: Sink, queue: OpenedQueue, error: str | None) -> Doing:
        endpoint = sink.host.endpoints[sink.port]
        known = caller.usable(endpoint)
        connection = known[0] if known else caller.connect(endpoint, EVENTS)
        one = next((one for one in self.server.objects.values() if one.served is queue), None)
        if one is None:
            return
        given = self.server.give(one, "IDispatch")
        queue.told.end_sealed |= connection.security.auth == "privacy"
        code = [] if error is None else [f"[VT_I4, {_CODES[error] - _TWO_TO_32}]"]
        arguments = ", ".join(["[VT_I4, 0]", *code, v.dispatch(str(given["gives"]))])
        values: Values = {
            "object": self.server.resolved[sink],
            "dispIdMember": _ARRIVED if error is None else _ARRIVED_ERROR,
            "rgvarg": f"[{arguments}]",
            "oxid": given["oxid"],
            "oid": given["oid"],
            "public": PUBLIC,
            "at": text(self.server.manager.address),
        }
        yield from caller.call(connection, "Invoke", values)
        if self.server.world.plant.omits("counting", connection):
            for _ in range(_OFTEN):
                yield from caller.call(connection, "Invoke", values)


class ConnectionPoint(Served):
    def __init__(self, event: Event) -> None:
        super().__init__("ConnectionPoint")
        self.event = event
        self.members = {
            "Advise": self.advise,
            "Unadvise": self.unadvise,
            "GetConnectionInterface": self.get_interface,
        }

    def get_interface(self, _: Call) -> Handling:
        """3.16.4.5.1."""
        yield None
        return {"pIID": EVENTS}

    def advise(self, call: Call) -> Handling:
        """3.16.4.5.3."""
        yield None
        if "sink" not in call.values:
            return {"status": "0x80004003"}
        sink = self.event.server.known_sinks.get(str(call.values["sink"]))
        return {"status": "0x80040202", "pdwCookie": 0} if sink is None else {"pdwCookie": self.event.advised(sink)}

    def unadvise(self, call: Call) -> Handling:
        """3.16.4.5.4."""
        yield None
        known = self.event.sinks.pop(int(call.values["dwCookie"]), None)
        return {"status": _NO_CONNECTION if known is None else 0}
