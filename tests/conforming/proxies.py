"""Queues of another computer, which a supporting server reads for its clients: [MS-MQMP] 3.1.1.4 to 3.1.1.6."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.conforming.products import leaves_cursors_to_clients
from tests.conforming.qm2qm_client import Numbers, RemoteSession, Supporter
from tests.conforming.remote_open import QmcommServer
from tests.conforming.schedule import Until
from tests.conforming.stage import text
from tests.conforming.truth import RUNDOWN, Session

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.transport import Call, Reply, Values

    Handling = Generator[Until | None, None, Reply]

_FAILED: Final = {"status": "MQ_ERROR_REMOTE_MACHINE_NOT_AVAILABLE"}
_INVALID: Final = {"status": "MQ_ERROR_INVALID_HANDLE"}
_RECEIVE_ACCESS: Final = 1
RESERVED_CURSOR: Final = 0xB


@dataclass(slots=True, eq=False)
class Proxy:
    """RemoteQueueProxyHandle, 3.1.1.5."""

    owner: Proxies
    context: int
    session: RemoteSession
    queue: Queue
    truth: Session
    cursors: dict[int, int | None] = field(default_factory=dict)
    """hCursor to that of the other computer, once it is known."""

    def rundown(self) -> None:
        """The other computer is told in parallel."""
        self.truth.states = frozenset((RUNDOWN,))
        if self.owner.proxies.pop(self.context, None) is not None:
            self.owner.manager.release(self.context)
        self.session.cursors = [one for one in self.cursors.values() if one is not None]
        self.owner.manager.world.schedule.add(self.session.close(), self.session.owner)


class Proxies(QmcommServer):
    def __init__(self, manager: QueueManager) -> None:
        super().__init__(manager)
        self.others: list[QueueManager] = []
        self.proxies: dict[int, Proxy] = {}
        self.supporter = self._supporter()

    def _supporter(self) -> Supporter:
        manager = self.manager
        return Supporter(manager.world, manager.address, manager.product, f"{manager.name.upper()}$")

    def _place(self, wanted: str) -> tuple[QueueManager, Queue] | None:
        for other in self.others:
            for queue in other.queues:
                if wanted == queue.format_name.removeprefix("DIRECT="):
                    return other, queue
        return None

    def cursor_number(self) -> int:
        """3.1.4.19: one is reserved."""
        number = self.manager.number()
        return self.manager.number() if number == RESERVED_CURSOR else number

    def elsewhere(self, wanted: str) -> str | None:
        place = self._place(wanted)
        return place[1].path if place else None

    def open_proxy(self, call: Call) -> Handling:
        values = call.values
        place = self._place(str(values["queue"]).strip('"'))
        if place is None or not place[0].up:
            yield None
            return _FAILED
        handle, reference, context = (int(values[name]) for name in ("hRemoteQueue", "dwpQueue", "dwpRemoteContext"))
        numbers = Numbers(handle, reference, context, may_receive=values["dwDesiredAccess"] == _RECEIVE_ACCESS)
        session = yield from self.supporter.open(place[0], numbers, self.manager.world.name("p"))
        if session is None:
            return _FAILED
        name, client = self.manager.handle("Q"), call.connection
        told = Session(
            "qmcomm", client.client, self.manager.address, call.asked_us, name, place[1].format_name,
            client.security.username,
        )  # fmt: skip
        told.sealed = client.security.auth == "privacy"
        self.manager.world.truth.sessions.append(told)
        call.if_lost(lambda: setattr(told, "told", False))
        proxy = Proxy(self, self.manager.number(), session, place[1], told)
        self.proxies[proxy.context] = proxy
        if call.connection.open:
            call.connection.association.handles[name] = proxy
        else:
            proxy.rundown()
        return {"phQueue": name, "pdwQMContext": proxy.context}

    def read_proxy(self, proxy: Proxy, call: Call) -> Handling:
        """3.1.5.3: start, end."""
        session, owner, values = proxy.session, self.supporter, call.values
        cursor = int(values.get("Cursor", 0))
        if cursor and proxy.cursors.get(cursor) is None:
            yield None
            return _INVALID
        part = f"{session.part}/{owner.world.name('r')}"
        connection = session.connection()
        if connection is not None and (owner.asks == "each" or session.part not in owner.asked):
            yield from owner.ask_version(connection, session.part)
        connection = session.connection()
        if connection is None:
            return _FAILED
        request_id = owner.request_id()
        wanted: Values = {
            "hRemoteQueue": session.numbers.handle,
            "dwQueue": session.numbers.reference,
            "dwRequestID": request_id,
            "hCursor": proxy.cursors.get(cursor) or 0,
            "ulAction": values["Action"],
            "ulTimeout": values.get("RequestTimeout", 0),
        }
        operation = "RemoteQMStartReceive2" if session.uses_sequential_ids() else "RemoteQMStartReceive"
        asked = owner.ask(connection, operation, wanted, part)
        yield Until(lambda: asked.over)
        found = asked.reply
        ended: Reply | None = found
        if found is not None and "message" in found and values["Action"] == "RECEIVE":
            connection = session.connection()
            if connection is None:
                ended = None
            else:
                end: Values = {"pphContext": found["pphContext"], "dwAck": "RR_ACK"}
                ended = yield from owner.call(connection, "RemoteQMEndReceive", end, part)
        owner.pending.discard(request_id)
        if ended is None or found is None or "fault" in ended:
            return _FAILED
        if ended.get("status", 0) != 0:
            return {"status": ended["status"]}
        return {"message": found["message"]}

    def create_proxy_cursor(self, proxy: Proxy, part: str) -> Handling:
        """3.1.5.4 and note 76."""
        number = self.cursor_number()
        proxy.cursors[number] = None
        if leaves_cursors_to_clients(self.manager.product):
            yield None
            numbers = {"srv_hACQueue": proxy.session.numbers.handle, "cli_pQMQueue": proxy.context}
            return {"status": "MQ_INFORMATION_REMOTE_OPERATION", "hCursor": number, **numbers}
        other = proxy.session.server
        if not other.up:
            yield None
            return _FAILED
        connection = self.supporter.connect(other.endpoints[other.handshake_port], "qmcomm")
        asked = {"hQueue": proxy.session.numbers.handle}
        reply = yield from self.supporter.call(connection, "R_QMCreateRemoteCursor", asked, part)
        self.supporter.close(connection)
        if reply is None or "phCursor" not in reply:
            return _FAILED
        proxy.cursors[number] = int(reply["phCursor"])
        return {"hCursor": number, "srv_hACQueue": 0, "cli_pQMQueue": 0}

    def close_proxy_cursor(self, proxy: Proxy, cursor: int, part: str) -> Handling:
        if cursor not in proxy.cursors:
            yield None
            return _INVALID
        remote = proxy.cursors.pop(cursor)
        connection = proxy.session.connection()
        if remote is None or connection is None:
            return {"status": 0}
        values = {"hQueue": proxy.session.numbers.handle, "hCursor": remote}
        reply = yield from self.supporter.call(connection, "RemoteQMCloseCursor", values, part)
        return {"status": reply.get("status", 0)} if reply is not None and "fault" not in reply else _FAILED

    def set_cursor(self, call: Call) -> Handling:
        """3.1.4.20, note 55."""
        yield None
        proxy = call.context(call.values["hProxy"])
        if not leaves_cursors_to_clients(self.manager.product):
            return {"status": "MQ_ERROR_ILLEGAL_OPERATION"}
        if not isinstance(proxy, Proxy) or int(call.values["hCursor"]) not in proxy.cursors:
            return _INVALID
        proxy.cursors[int(call.values["hCursor"])] = int(call.values["hRemoteCursor"])
        return {"status": 0}

    def remote_name(self, call: Call) -> Handling:
        """3.1.4.1, note 11."""
        yield None
        if not leaves_cursors_to_clients(self.manager.product):
            return {"fault": "MQ_ERROR_ILLEGAL_OPERATION"}
        proxy = self.proxies.get(int(call.values["pQueue"]))
        return _INVALID if proxy is None else {"lplpRemoteQueueName": text(proxy.queue.path)}

    def purge_proxy(self, proxy: Proxy, call: Call) -> Handling:
        connection = proxy.session.connection()
        if connection is None:
            yield None
            return _FAILED
        values = {"hQueue": proxy.session.numbers.handle}
        reply = yield from self.supporter.call(connection, "RemoteQMPurgeQueue", values, call.part)
        if reply is not None and reply.get("status") == 0:
            proxy.truth.purged(call.connection.security.auth)
        return {"status": reply.get("status", 0)} if reply is not None and "fault" not in reply else _FAILED

    def forget_proxies(self) -> None:
        self.proxies.clear()
        self.supporter.crash("reset")
        self.supporter = self._supporter()
