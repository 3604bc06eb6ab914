"""The client of qm2qm, which is a supporting server: [MS-MQQP] 3.2."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming.mapper import resolved
from tests.conforming.products import Product, knows_sequential_ids
from tests.conforming.reads import Reads
from tests.conforming.runtime import Process
from tests.conforming.schedule import Until

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.transport import Association, Connection, Endpoint
    from tests.conforming.world import World

    Doing = Generator[Until | None, None, None]

_IP_READ: Final = 1
_HOW_OFTEN: Final = ("first", "each", "once")


@dataclass(frozen=True, slots=True)
class Numbers:
    """What R_QMOpenRemoteQueue gave."""

    handle: int
    reference: int
    """dwpQueue, which older servers make different."""
    context: int
    may_receive: bool


class Supporter(Process):
    def __init__(self, world: World, address: str, product: Product, user: str) -> None:
        super().__init__(world, address, product, user)
        self.identifier = str(uuid.UUID(int=world.chance.getrandbits(128)))
        self.versions: dict[QueueManager, tuple[int, int, int] | None] = {}
        """None: it does not implement the question."""
        self.asked: set[str] = set()
        """Uses of a queue for which it has asked."""
        self.asks = world.one_of(_HOW_OFTEN)
        """Before a session, before each read of it, or before the first."""
        self.multiplexes = world.likely(0.3)
        self._last_id, self._step = world.one_of((0, 0, 100)), 1
        self.pending: set[int] = set()

    def request_id(self) -> int:
        """Unique among the pending ones; some clients soon use a number again."""
        if self.world.likely(0.3):
            free = next(number for number in range(1, len(self.pending) + 2) if number not in self.pending)
        else:
            self._last_id += self._step
            while self._last_id in self.pending:
                self._last_id += 1
            free = self._last_id
        self.pending.add(free)
        return free

    def open(
        self, server: QueueManager, numbers: Numbers, part: str
    ) -> Generator[Until | None, None, RemoteSession | None]:
        endpoint = yield from self._endpoint(server, part)
        if endpoint is None:
            return None
        known = self.usable(endpoint)
        connection = known[0] if known and self.world.likely(0.5) else self.connect(endpoint, "qm2qm")
        self.speak(connection, "qm2qm")
        if self.asks == "first" and part not in self.asked:
            yield from self.ask_version(connection, part)
        reply = yield from self.call(
            connection,
            "RemoteQMOpenQueue",
            {
                "pLicGuid": self.identifier,
                "dwMQS": self.world.one_of((0, 1)),
                "hQueue": numbers.handle,
                "pQueue": numbers.reference,
                "dwpContext": numbers.context,
            },
            part,
        )
        if reply is None or reply.get("phContext", "null") == "null":
            return None
        return RemoteSession(self, server, endpoint, connection.association, str(reply["phContext"]), numbers, part)

    def _endpoint(self, server: QueueManager, part: str) -> Generator[Until | None, None, Endpoint | None]:
        """3.2.4.1 and note 5."""
        first = server.endpoints[server.read_port]
        if self.world.likely(0.6):
            first = (yield from resolved(self, server, "qm2qm")) or first
        if not self.product.asks_port:
            return first
        connection = self.connect(first, "qm2qm")
        if self.asks == "first" and self.product.asks_version and self.world.likely(0.5):
            yield from self.ask_version(connection, part)
        reply = yield from self.call(connection, "RemoteQMGetQMQMServerPort", {"dwPortType": _IP_READ}, part)
        if reply is None:
            return None
        if reply["return_value"] not in (0, first.port) and self.world.plant.omits("port", connection):
            return first
        if self.world.likely(0.7):
            self.close(connection)
        return server.endpoints.get(int(reply["return_value"]))

    def ask_version(self, connection: Connection, part: str) -> Doing:
        if not self.product.asks_version:
            return
        server: QueueManager = connection.endpoint.host  # type: ignore[assignment]
        if self.world.plant.omits("version", connection):
            self.asked.add(part.partition("/")[0])
            # Somebody has told it.
            self.versions[server] = server.product.version
            return
        reply = yield from self.call(connection, "RemoteQmGetVersion", None, part)
        if reply is not None:
            self.versions[server] = None
            self.asked.add(part.partition("/")[0])
            if "pMajor" in reply:
                major, minor, build = (int(reply[name]) for name in ("pMajor", "pMinor", "pBuildNumber"))
                self.versions[server] = major, minor, build


class RemoteSession(Reads):
    """RemoteOpenQueueEntry, 3.2.1.3."""

    def __init__(
        self,
        owner: Supporter,
        server: QueueManager,
        endpoint: Endpoint,
        association: Association,
        handle: str,
        numbers: Numbers,
        part: str,
    ) -> None:
        self.owner, self.server, self.endpoint, self.association = owner, server, endpoint, association
        self.handle, self.numbers, self.part = handle, numbers, part
        self.cursors: list[int] = []
        self.used: set[int] = set()
        """Cursors."""
        self.closing = False
        self.busy = 0
        """Reads that are not over."""

    @property
    def lost(self) -> bool:
        return not any(one.usable for one in self.association.connections)

    def connection(self) -> Connection | None:
        """Any of its association; one more where all are busy and calls do not share one."""
        owner, world = self.owner, self.owner.world
        usable = [one for one in self.association.connections if one.usable and one in owner.connections]
        idle = [one for one in usable if not one.calls or owner.multiplexes]
        if not usable or (not self.server.up and not idle):
            return None
        if not idle or world.likely(0.08):
            more = owner.connect(self.endpoint, "qm2qm")
            if more.association is self.association:
                return more
            idle = idle or usable
        chosen = world.one_of(idle)
        owner.speak(chosen, "qm2qm")
        return chosen

    def uses_sequential_ids(self) -> bool:
        return self.owner.product.asks_version and knows_sequential_ids(self.owner.versions.get(self.server))

    def purge(self) -> Doing:
        """Some look at what they purge, and whether it is gone."""
        world, part = self.owner.world, f"{self.part}/{self.owner.world.name('purge')}"
        looks = self.uses_sequential_ids() and world.likely(0.5)
        if looks:
            yield from self.peek(part)
        connection = self.connection()
        if connection is not None:
            yield from self.owner.call(connection, "RemoteQMPurgeQueue", {"hQueue": self.numbers.handle}, part)
        if looks:
            yield Until(deadline_us=world.stage.now_us + 5_000_000)
            yield from self.peek(part)

    def close(self) -> Doing:
        """3.2.4.8, 3.2.4.9."""
        self.closing = True
        for cursor in self.cursors:
            connection = self.connection()
            if cursor in self.used and self.owner.world.plant.omits("cursor", connection):
                continue
            if connection is not None:
                values = {"hQueue": self.numbers.handle, "hCursor": cursor}
                yield from self.owner.call(connection, "RemoteQMCloseCursor", values, self.part)
        connection = self.connection()
        if self.owner.world.plant.omits("close", connection):
            self.owner.careless = True
            return
        if connection is not None:
            yield from self.owner.call(connection, "RemoteQMCloseQueue", {"pphContext": self.handle}, self.part)

    def try_again(self) -> Doing:
        """After the connection was lost a client may find out by calling that the server has forgotten it."""
        world = self.owner.world
        yield Until(deadline_us=world.stage.now_us + world.chance.randint(1, 40_000_000))
        if not self.server.up or not self.owner.alive:
            return
        connection = self.owner.connect(self.endpoint, "qm2qm")
        yield from self.owner.call(connection, "RemoteQMCloseQueue", {"pphContext": self.handle}, f"{self.part}/again")
        self.owner.close(connection)
