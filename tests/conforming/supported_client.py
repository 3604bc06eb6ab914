"""Applications of a computer without a queue manager of its own: [MS-MQMP] 3.2.4."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from tests.conforming.administrators import administer
from tests.conforming.binding import Binding
from tests.conforming.mapper import resolved
from tests.conforming.runtime import Process
from tests.conforming.schedule import Until
from tests.conforming.stage import text
from tests.conforming.supported_session import SupportedSession

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.products import Product
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.stage import Value
    from tests.conforming.transport import Endpoint, Reply, Values
    from tests.conforming.world import World

    Doing = Generator[Until | None, None, None]

_RECEIVE, _SEND, _PEEK = 0x01, 0x02, 0x20
_KINDS: Final = range(5)
_LONGEST_PAUSE_US: Final = 30_000_000


class SupportedClient(Process):
    def __init__(self, world: World, address: str, product: Product, user: str) -> None:
        super().__init__(world, address, product, user)
        self.licence = str(uuid.UUID(int=world.chance.getrandbits(128)))
        self.name = f"DEP{address.rpartition('.')[2].rpartition(':')[2]}"

    def live(self, server: QueueManager, queues: list[tuple[QueueManager, Queue]]) -> Doing:
        """`queues` may be elsewhere."""
        world = self.world
        place, queue = world.one_of(queues)
        for _ in range(world.one_of((1, 1, 2, 3))):
            if world.likely(0.4):
                yield Until(deadline_us=world.stage.now_us + world.chance.randint(1, _LONGEST_PAUSE_US))
            yield Until(lambda: server.up)
            binding = yield from self.bind(server)
            if binding is None:
                return
            for kind in {world.one_of(_KINDS) for _ in range(world.one_of((1, 1, 2)))}:
                yield from binding.ask("R_QMQueryQMRegistryInternal", {"dwQueryType": kind})
            if world.likely(0.35):
                yield from administer(binding, server)
            place, queue = (place, queue) if world.likely(0.7) else world.one_of(queues)
            session = yield from self.open(binding, place, queue)
            if session is not None:
                yield from session.use()
            if self.careless or world.likely(0.7):
                self.close_idle(binding.endpoint)

    def bind(self, server: QueueManager) -> Generator[Until | None, None, Binding | None]:
        """3.2.4: the port may be asked for, also without saying who asks."""
        endpoint: Endpoint = server.endpoints[server.handshake_port]
        if self.world.likely(0.5):
            endpoint = (yield from resolved(self, server, "qmcomm")) or endpoint
        if not server.up:
            return None
        if self.world.likely(0.6):
            first = self.connect(endpoint, "qmcomm")
            reply = yield from self.call(first, "R_QMGetRTQMServerPort", {"fIP": 0})
            if self.world.likely(0.7):
                self.close(first)
            told = server.endpoints.get(int(reply.get("return_value", 0))) if reply is not None else None
            if told is None or not server.up:
                return None
            endpoint = told
        known = self.usable(endpoint)
        connection = known[0] if known and self.world.likely(0.5) else self.connect(endpoint, "qmcomm")
        return Binding(self, connection, "qmcomm", self.world.name("u"))

    def open(
        self, binding: Binding, place: QueueManager, queue: Queue
    ) -> Generator[Until | None, None, SupportedSession | None]:
        """3.2.4.7."""
        world, part = self.world, self.world.name("u")
        remote = place is not binding.server
        access = world.one_of((_RECEIVE, _RECEIVE, _PEEK) if remote else (_RECEIVE, _RECEIVE, _SEND, _SEND, _PEEK))
        asked: dict[str, Value] = {
            "queue": text(queue.format_name.removeprefix("DIRECT=")),
            "dwDesiredAccess": access,
            "dwShareMode": 0 if access == _SEND else world.one_of((0, 0, 1)),
            "pLicGuid": self.licence,
        }
        if not remote and world.likely(0.5):
            named = yield from binding.ask("R_QMObjectPathToObjectFormat", {"lpwcsPathName": text(queue.path)}, part)
            if named is not None and "queue" in named:
                asked["queue"] = named["queue"]
        client: Values = {"lpClientName": text(self.name), "hRemoteQueue": 0}
        reply = yield from binding.ask("rpc_QMOpenQueueInternal", {**asked, **client}, part)
        if reply is not None and "lplpRemoteQueueName" in reply:
            reply = yield from self._open_remote(binding, place, {**asked}, client, part)
        if reply is None or reply.get("phQueue", "null") == "null":
            return None
        handle, context = str(reply["phQueue"]), int(reply["pdwQMContext"])
        direct = not str(asked["queue"]).startswith('"PRIVATE=')
        return SupportedSession(binding, place, queue, handle, context, access, part, direct=direct)

    def _open_remote(
        self, binding: Binding, place: QueueManager, asked: dict[str, Value], client: Values, part: str
    ) -> Generator[Until | None, None, Reply | None]:
        if not place.up:
            return None
        there = yield from self.bind(place)
        if there is None:
            return None
        category: Values = {"dwMQS": self.product.category}
        found = yield from there.ask("R_QMOpenRemoteQueue", {**asked, **category}, part)
        if found is None or "phQueue" not in found:
            return None
        numbers: Values = {
            "hRemoteQueue": found["phQueue"],
            "dwpQueue": found["dwpQueue"],
            "dwpRemoteContext": found["pdwContext"],
        }
        reply = yield from binding.ask("rpc_QMOpenQueueInternal", {**asked, **client, **numbers}, part)
        yield from there.ask("R_QMCloseRemoteQueueContext", {"pphContext": found["pphContext"]}, part)
        if self.world.likely(0.7):
            self.close_idle(there.endpoint)
        return reply
