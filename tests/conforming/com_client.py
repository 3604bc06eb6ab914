"""A client of objects: [MS-DCOM] 3.2. It binds to what it was given, counts its references and gives them back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.com_process import ComProcess
from tests.conforming.com_server import PUBLIC, UNCOUNTED_US, ComServer
from tests.conforming.mapper import PORT
from tests.conforming.schedule import Until

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_pinging import PingSet
    from tests.conforming.mqac_sink import Sink
    from tests.conforming.products import Product
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.transport import Connection, Endpoint, Reply, Values
    from tests.conforming.world import World

    Doing = Generator[Until | None, None, None]
    Asking = Generator[Until | None, None, Reply | None]

_ACTIVATOR, _REMOTE_UNKNOWN = "IRemoteSCMActivator", "IRemUnknown"
_RESOLVER: Final = "IObjectExporter"
_MSMQ: Final = "IMSMQ"
PASSED: Final = 1
"""References that go along with an argument."""


@dataclass(slots=True, eq=False)
class Exporter:
    """Where objects of a server are, as its resolver said."""

    server: QueueManager
    endpoint: Endpoint
    unknown: str
    boot: int
    named: set[tuple[str, str]] = field(default_factory=set)
    """Members whose numbers were asked for."""


@dataclass(slots=True, eq=False)
class Proxy:
    """A reference to an object."""

    client: ComClient
    exporter: Exporter
    cls: str
    interface: str
    ipid: str
    held: int = PUBLIC
    part: str = ""
    oid: int = 0

    @property
    def lost(self) -> bool:
        return not self.client.alive or self.exporter.boot != self.exporter.server.boot

    @property
    def members(self) -> str:
        """Interface that has those of its class."""
        late = self.interface == names.DISPATCH
        return names.interface(self.cls, self.client.revision_at(self.exporter)) if late else self.interface

    def call(self, member: str, values: Values | None = None) -> Asking:
        """None: it cannot be known what came of it."""
        operation = f"{self.members}.{member}"
        if self.interface == names.DISPATCH:
            yield from self._named(operation)
        return (yield from self.ask(operation, values))

    def ask(self, operation: str, values: Values | None = None) -> Asking:
        asked = {"object": self.ipid, **(values or {})}
        return (yield from self.client.ask_object(self.exporter, self.interface, operation, asked, self.part))

    def _named(self, operation: str) -> Doing:
        """[MS-OAUT] 3.1.4.3: once, and not by those who know the numbers."""
        key = self.cls, names.scripted(operation)
        known = self.client.knows_numbers and names.in_type_library(operation)
        if known or key in self.exporter.named:
            return
        self.exporter.named.add(key)
        yield from self.ask("GetIDsOfNames", {"rgszNames": f'["{key[1]}"]'})

    def made(self, reply: Reply | None, cls: str) -> Proxy | None:
        """The object that an answer handed out."""
        given = None if reply is None else reply.get("gives")
        if given in (None, "null", "[null]"):
            return None
        late = self.interface == names.DISPATCH
        wanted = names.DISPATCH if late else names.interface(cls, self.client.revision_at(self.exporter))
        made = Proxy(self.client, self.exporter, cls, wanted, str(given), part=self.part, oid=oid_of(reply))
        return self.client.holds(made)

    def transaction(self, unit: Proxy | None, queue: Queue | None = None) -> Generator[Until | None, None, Values]:
        """As an argument; a lone message of a transactional queue says that it is alone."""
        world = self.client.world
        if unit is None:
            single = queue is not None and queue.transactional
            return {"Transaction": v.SINGLE} if single else world.one_of(({}, {"Transaction": v.NO_TRANSACTION}))
        found = yield from unit.argument(names.DISPATCH)
        return {} if found is None else {"Transaction": v.dispatch(found.ipid), "public": PASSED}

    def query(self, interface: str) -> Generator[Until | None, None, Proxy | None]:
        """The same object by another interface."""
        asked = {"object": self.exporter.unknown, "ripid": self.ipid, "iids": f"[{interface}]"}
        reply = yield from self.client.ask_object(self.exporter, _REMOTE_UNKNOWN, "RemQueryInterface", asked, self.part)
        given = None if reply is None else str(reply.get("gives", "[null]")).strip("[]")
        if given in (None, "null"):
            return None
        found = Proxy(self.client, self.exporter, self.cls, interface, given, part=self.part, oid=oid_of(reply))
        return self.client.holds(found)

    def argument(self, interface: str) -> Generator[Until | None, None, Proxy | None]:
        """Itself, or itself by the interface that an argument has: a reference of it goes along."""
        found = self if self.interface in (interface, names.DISPATCH) else (yield from self.query(interface))
        if found is not None:
            found.held -= PASSED
        return found


class ComClient(ComProcess):
    def __init__(self, world: World, address: str, product: Product, user: str) -> None:
        super().__init__(world, address, product, user)
        self.late = world.likely(0.5)
        """By Invoke, as scripts do."""
        self.knows_numbers = world.likely(0.3)
        self.proxies: list[Proxy] = []
        self.servers: list[QueueManager] = []
        """All that there are."""
        self.ping_sets: dict[QueueManager, PingSet] = {}
        self._revision = names.revision_of(product)

    def revision_at(self, exporter: Exporter) -> int:
        return self.revision_there(exporter.server)

    def revision_there(self, server: QueueManager) -> int:
        """The newest that both have; scripts have what the server has."""
        there = names.revision_of(server.product)
        return there if self.late else min(there, self._revision)

    def holds(self, proxy: Proxy) -> Proxy:
        self.proxies.append(proxy)
        return proxy

    def activate(self, server: QueueManager, cls: str, part: str) -> Generator[Until | None, None, Proxy | None]:
        yield Until(lambda: server.up)
        endpoint = server.endpoints[PORT]
        connection = self._any(endpoint) or self.connect(endpoint, _ACTIVATOR)
        wanted = names.DISPATCH if self.late else names.interface(cls, self.revision_there(server))
        if self.world.likely(0.1):
            self.speak(connection, _RESOLVER)
            yield from self.call(connection, "ServerAlive2")
            if not connection.usable:
                return None
        self.speak(connection, _ACTIVATOR)
        reply = yield from self.call(connection, "RemoteCreateInstance", {"class": cls, "iids": f"[{wanted}]"}, part)
        if reply is None or "gives" not in reply:
            return None
        if self.world.likely(0.4):
            self.close(connection)
        exporter = self._exporter(server, server.endpoints[int(reply["port"])], str(reply["unknown"]))
        given = Proxy(self, exporter, cls, wanted, str(reply["gives"]).strip("[]"), part=part, oid=oid_of(reply))
        if reply.get("public") == 0:
            yield from self._count(given, None if not connection.usable else connection)
        return self.holds(given)

    def _count(self, given: Proxy, connection: Connection | None) -> Doing:
        """[MS-DCOM] 3.2.4.4: one that came without references has to be given some."""
        if self.world.plant.omits("references", connection):
            yield Until(deadline_us=self.world.stage.now_us + UNCOUNTED_US)
            return
        asked = {"object": given.exporter.unknown, "refs": f"[[{given.ipid}, {PUBLIC}]]"}
        yield from self.ask_object(given.exporter, _REMOTE_UNKNOWN, "RemAddRef", asked, given.part)

    def _exporter(self, server: QueueManager, endpoint: Endpoint, unknown: str) -> Exporter:
        for one in self.proxies:
            if one.exporter.unknown == unknown:
                return one.exporter
        return Exporter(server, endpoint, unknown, server.boot)

    def speak(self, connection: Connection, interface: str) -> None:
        """Scripts have IDispatch of whatever they call."""
        super().speak(connection, names.DISPATCH if self.late and interface.startswith(_MSMQ) else interface)

    def _any(self, endpoint: Endpoint) -> Connection | None:
        usable = self.usable(endpoint)
        return self.world.one_of(usable) if usable else None

    def ask_object(self, exporter: Exporter, interface: str, operation: str, values: Values, part: str) -> Asking:
        """State belongs to the object: any connection will do, and a new one where the old one broke."""
        if exporter.boot != exporter.server.boot or not exporter.server.up:
            return None
        connection = self._any(exporter.endpoint)
        if connection is None or self.world.likely(0.05):
            connection = self.connect(exporter.endpoint, interface)
        self.speak(connection, interface)
        return (yield from self.call(connection, operation, values, part))

    def offers(self, server: QueueManager, sink: Sink) -> None:
        """What servers call."""
        for endpoint in server.endpoints.values():
            for service in endpoint.services.values():
                if isinstance(service, ComServer):
                    service.known_sinks[sink.ipid] = sink

    def close_all(self) -> None:
        for connection in list(self.connections):
            if connection.usable and self.world.likely(0.8):
                self.close(connection)

    def release(self, *proxies: Proxy) -> Doing:
        """[MS-DCOM] 3.2.4.4.2: all at once, or one by one."""
        mine = [one for one in proxies if one in self.proxies and not one.lost]
        for one in proxies:
            if one in self.proxies:
                self.proxies.remove(one)
        for exporter in dict.fromkeys(one.exporter for one in mine):
            refs = ", ".join(f"[{one.ipid}, {one.held}]" for one in mine if one.exporter is exporter)
            values = {"object": exporter.unknown, "refs": f"[{refs}]"}
            yield from self.ask_object(exporter, _REMOTE_UNKNOWN, "RemRelease", values, mine[0].part)


def failed(reply: Reply | None) -> bool:
    return reply is None or "fault" in reply or reply.get("status", 0) not in (0, 1)


def oid_of(reply: Reply | None) -> int:
    return 0 if reply is None else int(reply.get("oid", 0))
