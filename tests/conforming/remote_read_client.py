"""The client of RemoteRead, a queue manager or a library: [MS-MQRR] 3.2."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from tests.conforming.mapper import resolved
from tests.conforming.products import has_remote_read_extensions
from tests.conforming.remote_read_reads import RemoteReads
from tests.conforming.runtime import Process
from tests.conforming.schedule import Until
from tests.conforming.stage import text
from tests.conforming.transport import Security

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.products import Product
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.stage import Value
    from tests.conforming.transport import Connection, Endpoint, Reply, Values
    from tests.conforming.world import World

    Doing = Generator[Until | None, None, None]

_RECEIVE, _PEEK, _MOVE = 0x01, 0x20, 0x04


class RemoteReader(Process):
    """A computer that reads remote queues."""

    def __init__(self, world: World, address: str, product: Product, user: str) -> None:
        super().__init__(world, address, product, user)
        major, minor, build = product.version or (0, 0, 0)
        self._told: Values = {
            "pClientId": str(uuid.UUID(int=world.chance.getrandbits(128))),
            "fNonRoutingServer": int(world.likely(0.8)),
            "Major": major,
            "Minor": minor,
            "BuildNumber": build,
            "fWorkgroup": int(world.likely(0.3)),
        }
        self._identifies = world.likely(0.4)
        """It names queues by their identifiers."""
        self._last_id = 0
        self.pending: set[int] = set()

    def request_id(self) -> int:
        """Unique among all pending calls; some clients soon use a number again."""
        free = next(number for number in range(1, len(self.pending) + 2) if number not in self.pending)
        if self.world.likely(0.7):
            self._last_id += 1
            while self._last_id in self.pending:
                self._last_id += 1
            free = self._last_id
        self.pending.add(free)
        return free

    def live(self, server: QueueManager, queue: Queue) -> Doing:
        for _ in range(self.world.one_of((1, 1, 2))):
            yield Until(lambda: server.up)
            endpoint = yield from self._endpoint(server)
            if endpoint is not None:
                session = yield from self.open(server, endpoint, queue, self.world.name("u"))
                if session is not None:
                    yield from session.use()

    def _endpoint(self, server: QueueManager) -> Generator[Until | None, None, Endpoint | None]:
        """3.2.4.1 and notes 32, 33."""
        first = server.endpoints[server.handshake_port]
        if self.world.likely(0.8):
            found = yield from resolved(self, server, "RemoteRead")
            if found is None:
                return None
            first = found
        if has_remote_read_extensions(self.product):
            return first
        connection = self.connect(first, "RemoteRead")
        reply = yield from self.call(connection, "R_GetServerPort")
        if self.world.likely(0.7):
            self.close(connection)
        return None if reply is None else server.endpoints.get(int(reply["return_value"]))

    def open(
        self, server: QueueManager, endpoint: Endpoint, queue: Queue, part: str
    ) -> Generator[Until | None, None, RemoteReadSession | None]:
        known = self.usable(endpoint)
        connection = known[0] if known and self.world.likely(0.5) else self.connect(endpoint, "RemoteRead")
        access = self.world.one_of((_RECEIVE, _RECEIVE, _RECEIVE, _PEEK))
        share = self.world.one_of((0, 0, 0, 0, 1))
        name = queue.identifier if self._identifies else queue.format_name
        reply = yield from self.ask_open(connection, "R_OpenQueue", name, access, share, part)
        if reply is not None and reply.get("fault") == 5 and self.security.auth != "privacy":
            # A level that does not suffice: again with the highest one.
            self.security = Security(self.world.plant.level("privacy"), self.security.user)
            if not server.up:
                return None
            connection = self.connect(endpoint, "RemoteRead", apart=True)
            reply = yield from self.ask_open(connection, "R_OpenQueue", name, access, share, part)
        if reply is None or "pphContext" not in reply:
            return None
        if reply["pphContext"] == "null":
            # Nothing to read or to close with: the connection is good for nothing.
            self.careless = True
            self.close(connection)
            return None
        return RemoteReadSession(self, server, queue, connection, str(reply["pphContext"]), access, part)

    def ask_open(
        self, connection: Connection, operation: str, format_name: str, access: int, share: int, part: str
    ) -> Generator[Until | None, None, Reply | None]:
        self.speak(connection, "RemoteRead")
        values: dict[str, Value] = {
            "queue": text(format_name.removeprefix("DIRECT=")),
            "dwAccess": access,
            "dwShareMode": share,
        }
        return (yield from self.call(connection, operation, {**values, **self._told}, part))


class RemoteReadSession(RemoteReads):
    def __init__(
        self,
        owner: RemoteReader,
        server: QueueManager,
        queue: Queue,
        connection: Connection,
        handle: str,
        access: int,
        part: str,
    ) -> None:
        super().__init__(owner, connection, "RemoteRead", part)
        self.reader, self.manager, self.queue = owner, server, queue
        self.handle, self.may_receive = handle, access == _RECEIVE
        self.cursors = []
        self.unit = "null"
        self.closing = self.leaving = self.removed = False
        self.busy = self.holding = 0

    def connection(self, interface: str = "") -> Connection | None:
        """3.2.4.13: with a handle that it has closed, a client calls nothing any more."""
        return None if self.removed else super().connection(interface)

    def use(self) -> Doing:
        world, schedule = self.owner.world, self.owner.world.schedule
        new = has_remote_read_extensions(self.owner.product)
        if world.likely(0.35):
            yield from self._create_cursor()
        if new and self.may_receive and world.likely(0.4):
            yield from self._enlist()
        for _ in range(world.chance.randint(0, 5)):
            if self.lost:
                break
            if self.may_receive and world.likely(0.08):
                yield from self._purge()
            elif new and self.may_receive and world.likely(0.12):
                yield from self._move()
            elif world.likely(0.35):
                schedule.add(self.read(), self.owner)
                yield None
            else:
                yield from self.read()
        if world.likely(0.5):
            self._decide()
        if world.likely(0.85):
            yield Until(lambda: self.busy == 0 or self.lost)
        yield from self._finish()

    def _create_cursor(self) -> Doing:
        reply = yield from self.ask("R_CreateCursor", {"phContext": self.handle})
        if reply is not None and reply.get("phCursor", 0):
            self.cursors.append(int(reply["phCursor"]))

    def _purge(self) -> Doing:
        """Some look at what they purge, and whether it is gone."""
        world, part = self.owner.world, f"{self.part}/{self.owner.world.name('purge')}"
        looks = world.likely(0.5)
        if looks:
            yield from self.peek(part)
        yield from self.ask("R_PurgeQueue", {"phContext": self.handle}, part)
        if looks:
            yield Until(deadline_us=world.stage.now_us + 5_000_000)
            yield from self.peek(part)

    def _enlist(self) -> Doing:
        """3.2.4.2; Windows Server 2003 has no such operation, and then there is no transaction."""
        name = self.owner.world.name("T")
        queue = text(self.queue.format_name.removeprefix("DIRECT="))
        reply = yield from self.ask("R_QMEnlistRemoteTransaction", {"transaction": name, "queue": queue})
        if reply is not None and reply.get("status") == 0:
            self.unit = name

    def _decide(self) -> None:
        """The transaction ends, of which nothing is said here."""
        service = self.manager.endpoints[self.manager.handshake_port].services.get("RemoteRead")
        unit = service.units.get(self.unit) if service is not None else None  # type: ignore[attr-defined]
        if unit is not None and self.owner.world.likely(0.6):
            unit.commit()
        elif unit is not None:
            unit.abort()
        self.unit = "null"

    def _move(self) -> Doing:
        """3.2.4.6: from the queue to a subqueue of it, for which the application knows a lookup identifier."""
        world, part = self.owner.world, f"{self.part}/{self.owner.world.name('m')}"
        known = [one.lookup_id for one in self.queue.messages]
        connection = self.connection()
        transactional = self.queue.transactional
        if connection is None or not known or (transactional and self.unit == "null"):
            return
        name = self.queue.format_name.removeprefix("DIRECT=")
        subqueue = f"SUBQUEUE={name};{world.one_of(('rejected', 'poison'))}"
        reply = yield from self.reader.ask_open(connection, "R_OpenQueueForMove", subqueue, _MOVE, 0, part)
        if reply is None or reply.get("pphContext", "null") == "null":
            return
        for _ in range(world.one_of((1, 1, 2))):
            values: Values = {
                "phContextFrom": self.handle,
                "ullContextTo": reply["pMoveContext"],
                "LookupId": world.one_of(known),
                "transaction": self.unit if transactional else "null",
            }
            yield from self.ask("R_MoveMessage", values, part)
        yield from self.ask("R_CloseQueue", {"pphContext": reply["pphContext"]}, part)

    def _finish(self) -> Doing:
        """3.2.4.12, 3.2.4.13; Windows cancels nothing and closes no cursor before (notes 36, 37).

        3.2.4.4: what was received is acknowledged, for which the handle is wanted (3.1.4.9).
        """
        world = self.owner.world
        yield Until(lambda: self.holding == 0 or self.lost)
        if self.lost:
            if world.likely(0.4):
                yield from self._try_again()
            return
        self.closing = True
        for cursor in self.cursors:
            if world.likely(0.5):
                yield from self.ask("R_CloseCursor", {"phContext": self.handle, "hCursor": cursor})
        self.cursors = []
        if self.leaving or world.plant.omits("remote close", self.connection()):
            self.owner.careless = True
        else:
            closed = yield from self.ask("R_CloseQueue", {"pphContext": self.handle})
            self.removed = closed is not None and closed.get("status") == 0
        if self.owner.careless or (world.likely(0.8) and not self.busy):
            self.owner.close_idle(self.endpoint)

    def _try_again(self) -> Doing:
        """After the connection was lost a client may find out by calling that the server has forgotten it."""
        owner = self.owner
        if not self.server.up or not owner.alive:
            return
        connection = owner.connect(self.endpoint, "RemoteRead")
        calls: tuple[tuple[str, Values], ...] = (
            ("R_CloseQueue", {"pphContext": self.handle}),
            ("R_PurgeQueue", {"phContext": self.handle}),
            ("R_CreateCursor", {"phContext": self.handle}),
            ("R_StartReceive", {"phContext": self.handle, "ulAction": "PEEK_CURRENT", "dwRequestId": 77}),
        )
        operation, values = owner.world.one_of(calls if self.may_receive else calls[::2])
        yield from owner.call(connection, operation, values, f"{self.part}/again")
        owner.close(connection)
