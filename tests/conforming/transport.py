"""Connections, associations and context handles: [MS-RPCE] 3.3.1.1, 3.3.1.4.1, 3.3.1.5.7."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from tests.conforming.schedule import Until
from tests.conforming.stage import Value, written

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.products import Product
    from tests.conforming.world import World

Values = Mapping[str, Value]
Reply = Mapping[str, Value]
"""What stands on the right of the arrow; `fault` instead of everything."""
CONTEXT_MISMATCH: Final = {"fault": "nca_s_fault_context_mismatch"}
CANCELLED: Final = {"fault": "nca_s_fault_cancel"}
_SLOW: Final = 0.02
_VERY_LONG_US: Final = 301_000_000
"""More than the five minutes that a client waits for it: [MS-MQQP] 3.2.4.1."""
OUT_OF_RANGE: Final = {"fault": "nca_op_rng_error"}


@dataclass(frozen=True, slots=True)
class Security:
    auth: str
    user: str

    @property
    def username(self) -> str:
        """Of whom the server knows; nobody where nobody is named."""
        return "" if self.auth == "none" else self.user


@dataclass(slots=True, eq=False)
class Call:
    """One that the server works on."""

    connection: Connection
    operation: str
    values: Values
    asked_us: int
    label: str
    part: str
    reply: Reply | None = None
    answered_us: int | None = None
    broken: bool = False
    cancelled: bool = False
    """The client's runtime sent co_cancel."""
    orphaned: bool = False
    undelivered: Callable[[], None] = lambda: None
    """What it means that the answer cannot be sent."""

    @property
    def over(self) -> bool:
        return self.reply is not None or self.broken

    def if_lost(self, undelivered: Callable[[], None]) -> None:
        """The connection may have broken before the server came to the call."""
        self.undelivered = undelivered
        if self.broken:
            undelivered()

    def lost(self) -> None:
        """Nobody gets an answer: neither when the connection breaks, nor when the server is done with the call."""
        self.broken = True
        self.undelivered()

    def context(self, handle: Value) -> Any:  # noqa: ANN401
        """What the handle means in this association; None: nothing."""
        return self.connection.association.handles.get(str(handle))


class Service(Protocol):
    @property
    def interface(self) -> str: ...

    @property
    def operations(self) -> Mapping[str, Callable[[Call], Generator[Until | None, None, Reply]]]: ...


@dataclass(slots=True, eq=False)
class Association:
    number: int
    client: str
    connections: list[Connection] = field(default_factory=list)
    handles: dict[str, Any] = field(default_factory=dict)
    """What each stands for; it has a method `rundown`."""
    forgotten: bool = False
    """The server has lost them by a crash, and the client does not know."""
    features: int = 0
    """Association's Bind Features Bitmask: [MS-RPCE] 3.3.1.5.3."""


@dataclass(slots=True, eq=False)
class Connection:
    name: str
    endpoint: Endpoint
    association: Association
    security: Security
    client: str
    source: int
    interfaces: set[str]
    boot: int
    """Which life of the server it belongs to."""
    open: bool = True
    client_gone: bool = False
    """It crashed and said nothing."""
    calls: list[Call] = field(default_factory=list)

    @property
    def usable(self) -> bool:
        return self.open and not self.client_gone

    def end(self, how: str, *, by_server: bool = False) -> None:
        """`how`: close, reset."""
        if self.open:
            self.endpoint.host.world.stage.say(f"{how} {self.name}{' by server' if by_server else ''}")
            self.lost()

    def lost(self) -> None:
        self.open = False
        for call in self.calls:
            call.lost()
        self.endpoint.left(self)


class Host:
    """A computer that serves: its endpoints live until it crashes."""

    def __init__(self, world: World, name: str, address: str, product: Product) -> None:
        self.world, self.name, self.address, self.product = world, name, address, product
        self.endpoints: dict[int, Endpoint] = {}
        self.boot = 1
        self.up = True

    def offer(self, port: int, *services: Service) -> Endpoint:
        endpoint = self.endpoints.setdefault(port, Endpoint(self, port))
        endpoint.services |= {service.interface: service for service in services}
        return endpoint

    def connections(self) -> list[Connection]:
        return [one for endpoint in self.endpoints.values() for one in endpoint.connections]


class Endpoint:
    def __init__(self, host: Host, port: int) -> None:
        self.host, self.port = host, port
        self.services: dict[str, Service] = {}
        self.associations: dict[int, Association] = {}
        self.connections: list[Connection] = []
        self._next_group = host.world.first_group

    def numbered(self) -> int:
        """The group of an association that ends with the bind that begins it."""
        self._next_group += 1
        return self._next_group

    def joined(self, asked: int, client: str) -> Association:
        """[MS-RPCE] 3.3.1.5.7: an existing one may be joined from the same machine."""
        known = self.associations.get(asked)
        if known is not None and known.client == client:
            return known
        number = self.numbered()
        return self.associations.setdefault(number, Association(number, client))

    def left(self, connection: Connection) -> None:
        """Context handles are run down when the last connection of their association is gone."""
        association = connection.association
        self.connections.remove(connection)
        association.connections.remove(connection)
        if not association.connections:
            if self.associations.get(association.number) is association:
                del self.associations[association.number]
            for thing in list(association.handles.values()):
                thing.rundown()
            association.handles.clear()

    def forget(self) -> None:
        """The process ended: everything begins again, with the same numbers."""
        for association in self.associations.values():
            for thing in list(association.handles.values()):
                thing.rundown()
            association.forgotten = bool(association.handles)
            association.handles.clear()
        self.associations = {}
        self._next_group = self.host.world.first_group

    def receive(self, call: Call) -> None:
        self.host.world.schedule.add(self._serve(call), self.host)

    def _serve(self, call: Call) -> Generator[Until | None, None, None]:
        services = [one for one in self.services.values() if call.operation in one.operations]
        yield None
        if call.operation == "RemoteQMOpenQueue" and self.host.world.likely(_SLOW):
            yield Until(deadline_us=self.host.world.stage.now_us + _VERY_LONG_US)
            if call.cancelled and self.host.world.likely(0.5):
                self.answer(call, CANCELLED)
                return
        reply: Reply = OUT_OF_RANGE
        if services:
            reply = yield from services[0].operations[call.operation](call)
        if self.host.world.chance.random() < 0.3:
            yield None
        self.answer(call, reply)

    def answer(self, call: Call, reply: Reply) -> None:
        if call in call.connection.calls:
            call.connection.calls.remove(call)
        if not call.connection.open or call.orphaned:
            call.lost()
            return
        reply = self.host.world.plant.answering(call, reply)
        self.host.world.stage.say(f"answer {call.label} -> {written(reply)}", call.part)
        call.reply, call.answered_us = reply, self.host.world.stage.now_us
