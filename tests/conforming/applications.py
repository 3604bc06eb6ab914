"""Applications that read remote queues with the help of a supporting server: [MS-MQMP] 4.2, 4.4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.mapper import resolved
from tests.conforming.qm2qm_client import Numbers, RemoteSession
from tests.conforming.schedule import Until
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.qm2qm_client import Supporter
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.runtime import Process
    from tests.conforming.transport import Connection, Endpoint

    Doing = Generator[Until | None, None, None]

_RECEIVE, _PEEK = 0x01, 0x20
_IP_HANDSHAKE: Final = 0


class Application:
    def __init__(self, process: Process, supporter: Supporter, server: QueueManager, queue: Queue) -> None:
        self.process, self.supporter, self.server, self.queue = process, supporter, server, queue
        self.world = process.world

    def live(self) -> Doing:
        for _ in range(self.world.one_of((1, 1, 2))):
            yield Until(lambda: self.server.up)
            yield from self._use()

    def _use(self) -> Doing:
        part = self.world.name("u")
        endpoint = yield from self._endpoint()
        if endpoint is None:
            return
        process = self.process
        known = process.usable(endpoint)
        connection = known[0] if known else process.connect(endpoint, "qmcomm")
        process.speak(connection, "qmcomm")
        access = self.world.one_of((_RECEIVE, _RECEIVE, _PEEK))
        reply = yield from process.call(
            connection,
            "R_QMOpenRemoteQueue",
            {
                "queue": text(self.queue.format_name.removeprefix("DIRECT=")),
                "dwDesiredAccess": access,
                "dwShareMode": self.world.one_of((0, 0, 0, 1)),
                "dwMQS": process.product.category,
            },
            part,
        )
        if reply is None or "phQueue" not in reply:
            return
        handle, reference, context = (int(reply[name]) for name in ("phQueue", "dwpQueue", "pdwContext"))
        numbers = Numbers(handle, reference, context, may_receive=access == _RECEIVE)
        session = yield from self.supporter.open(self.server, numbers, part)
        if session is not None and self.world.likely(0.4):
            yield from self._cursor(connection, session)
        yield from process.call(connection, "R_QMCloseRemoteQueueContext", {"pphContext": reply["pphContext"]}, part)
        if self.world.likely(0.8):
            process.close(connection)
        if session is not None:
            yield from self._read(session)

    def _endpoint(self) -> Generator[Until | None, None, Endpoint | None]:
        """4.2, steps 3 and 4; some know the port."""
        server = self.server
        first = server.endpoints[server.handshake_port]
        if self.world.likely(0.4):
            first = (yield from resolved(self.process, server, "qmcomm")) or first
        if self.world.likely(0.4):
            return first
        connection = self.process.connect(first, "qmcomm")
        reply = yield from self.process.call(connection, "R_QMGetRTQMServerPort", {"fIP": _IP_HANDSHAKE})
        if self.world.likely(0.6):
            self.process.close(connection)
        return None if reply is None else server.endpoints.get(int(reply.get("return_value", 0)))

    def _cursor(self, connection: Connection, session: RemoteSession) -> Doing:
        """4.4, steps 5 and 6."""
        values = {"hQueue": session.numbers.handle}
        reply = yield from self.process.call(connection, "R_QMCreateRemoteCursor", values, session.part)
        if reply is not None and "phCursor" in reply:
            session.cursors.append(int(reply["phCursor"]))

    def _read(self, session: RemoteSession) -> Doing:
        world, schedule = self.world, self.world.schedule
        for _ in range(world.chance.randint(0, 5)):
            if session.lost:
                break
            if world.likely(0.08):
                yield from session.purge()
            elif world.likely(0.35):
                schedule.add(session.read(), self.supporter)
                yield None
            else:
                yield from session.read()
        hasty = world.likely(0.1) or world.plant.leaves_out("waiting")
        if not (hasty or session.lost):
            yield Until(lambda: session.busy == 0 or session.lost)
        if not session.lost:
            yield from session.close()
        elif world.likely(0.4):
            yield from session.try_again()
        if self.supporter.careless or (world.likely(0.8) and not session.busy):
            self.supporter.close_idle(session.endpoint)
