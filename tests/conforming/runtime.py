"""A client's RPC runtime: [MS-RPCE] 3.3.2, [C706] 9.3, 12.6."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import presentation
from tests.conforming.planting import Draft
from tests.conforming.schedule import Until
from tests.conforming.stage import text, written
from tests.conforming.transport import Call, Connection, Security
from tests.scripts.calls import interface_of

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.products import Product
    from tests.conforming.transport import Association, Endpoint, Reply, Values
    from tests.conforming.world import World

_PATIENCE_US: Final = 300_000_000
"""[MS-MQQP] 3.2.4.1: five minutes."""
_LEVELS: Final = ("none", "connect", "packet", "integrity", "integrity", "integrity", "privacy")


class Process:
    """A process of a client computer, and what its runtime knows of servers."""

    def __init__(self, world: World, address: str, product: Product, user: str) -> None:
        self.world, self.address, self.product = world, address, product
        self.security = Security(world.plant.level(world.one_of(_LEVELS)), user)
        self.connections: list[Connection] = []
        self.alive = True
        self.careless = False
        """It leaves without having done what it must."""

    def connect(
        self, endpoint: Endpoint, interface: str, *, security: Security | None = None, apart: bool = False
    ) -> Connection:
        """A new one; `apart`: in an association of its own."""
        wanted = security or self.security
        world = self.world
        if wanted.auth != "none" and world.likely(0.07):
            refused = f"source {world.source_port(self.address)} reason {world.one_of((0, 1, 8))}"
            self._say("refuse", endpoint, interface, Security("integrity", wanted.user), world.name("c"), refused)
        self._reject(endpoint)
        known = None if apart else self.association(endpoint)
        asked = known.number if known is not None and world.likely(0.8) else 0
        address = world.seen_from(self.address)
        source = world.source_port(address)
        association = endpoint.joined(asked, self.address)
        name = world.name("c")
        numbers = f"source {source} asks {asked} grants {association.number}"
        contexts = f"{self._syntaxes(endpoint, interface)}{self._features(endpoint, association)}"
        self._say("connect", endpoint, interface, wanted, name, f"{contexts} {numbers}", address)
        connection = Connection(name, endpoint, association, wanted, address, source, {interface}, endpoint.host.boot)
        if interface == "qmmgmt" and contexts.startswith("syntax ndr64"):
            world.plant.omits("ndr", connection)
        self._replace(connection)
        association.connections.append(connection)
        endpoint.connections.append(connection)
        self.connections.append(connection)
        return connection

    def association(self, endpoint: Endpoint) -> Association | None:
        usable = self.usable(endpoint)
        return usable[0].association if usable else None

    def usable(self, endpoint: Endpoint) -> list[Connection]:
        return [one for one in self.connections if one.usable and one.endpoint is endpoint]

    def speak(self, connection: Connection, interface: str) -> None:
        """By alter_context, whose answer need not repeat the group."""
        if interface in connection.interfaces:
            return
        own = connection.association.number
        grants = self.world.one_of((0, own, own + 1, own))
        syntaxes = self._syntaxes(connection.endpoint, interface)
        self.world.stage.say(
            f"alter {connection.name} interface {interface} {self._version(connection)}{syntaxes} grants {grants}"
        )
        connection.interfaces.add(interface)

    def ask(self, connection: Connection, operation: str, values: Values, part: str = "") -> Call:
        """Alone or as a part of something: it could be left out of the conversation by itself, or with that."""
        world = self.world
        _, operation, values = world.plant.asking(Draft(connection, operation, values))
        label = world.name("q")
        part = part or label
        world.stage.say(f"{connection.name}: ask {label} {operation} {written(values)}", part)
        call = Call(connection, operation, values, world.stage.last_us, label, part)
        connection.calls.append(call)
        world.history.append(call)
        host = connection.endpoint.host
        if connection.boot != host.boot and host.up:
            connection.end("reset", by_server=True)
        elif host.up:
            connection.endpoint.receive(call)
        more = world.plant.meanwhile(call)
        if more is not None:
            world.schedule.add(self._say_meanwhile(call, *more), self)
        return call

    def _say_meanwhile(
        self, call: Call, after_us: int, operation: str, values: Values
    ) -> Generator[Until | None, None, None]:
        for _ in range(2):
            yield Until(lambda: call.over, self.world.stage.now_us + after_us)
            if not call.over:
                yield from self.call(call.connection, operation, values)

    def call(
        self, connection: Connection, operation: str, values: Values | None = None, part: str = ""
    ) -> Generator[Until | None, None, Reply | None]:
        """The answer; None where the connection broke or nobody answered."""
        if not connection.usable:
            return None
        call = self.ask(connection, operation, values or {}, part)
        yield from self.wait(call)
        more = self.world.plant.following(call) if call.reply is not None else None
        if more is not None:
            yield from self._follow(call, *more)
        return call.reply

    def _follow(self, call: Call, operation: str, values: Values) -> Generator[Until | None, None, None]:
        plant = self.world.plant
        yield Until(deadline_us=self.world.stage.now_us + plant.later_us)
        if not call.connection.usable:
            plant.not_followed()
            return
        plant.followed(call.connection, values)
        self.speak(call.connection, interface_of(operation) or next(iter(call.connection.interfaces)))
        yield from self.wait(self.ask(call.connection, operation, values, call.part))
        yield Until(deadline_us=self.world.stage.now_us + plant.later_us)

    def wait(self, call: Call, patience_us: int = _PATIENCE_US) -> Generator[Until | None, None, None]:
        yield Until(lambda: call.over, self.world.stage.now_us + patience_us)
        if not call.over:
            yield from self._give_up(call)

    def _give_up(self, call: Call) -> Generator[Until | None, None, None]:
        """[C706] 6.1.8, with a cancel time-out of zero: the call is orphaned, and its connection closed.

        [MS-RPCE] 3.3.1.5.10: unless both sides have said that it need not be.
        """
        connection = call.connection
        if connection.usable and connection in connection.association.connections:
            self.world.stage.say(f"cancel {call.label}", call.part)
            call.cancelled = True
            yield None
        if connection.usable and not call.over:
            self.world.stage.say(f"orphan {call.label}", call.part)
            call.orphaned = True
            if not connection.association.features & presentation.KEEPS_ORPHANED:
                connection.end(self.world.one_of(("close", "reset")))
        call.broken = call.broken or not call.over

    def close(self, connection: Connection) -> None:
        """[MS-RPCE] 3.3.2.6.1: not the last one while context handles are active."""
        association = connection.association
        active = association.handles or association.forgotten
        needed = active and association.connections == [connection] and not self.careless
        if connection.usable and not connection.calls and not needed:
            connection.end("close")

    def close_idle(self, endpoint: Endpoint) -> None:
        for connection in self.usable(endpoint):
            self.close(connection)

    def crash(self, how: str) -> None:
        """`how`: reset, or nothing is said."""
        self.alive = False
        self.world.schedule.kill(self)
        for connection in self.connections:
            if how == "reset" and connection.usable:
                connection.end("reset")
            connection.client_gone = True

    def _syntaxes(self, endpoint: Endpoint, interface: str) -> str:
        return presentation.syntaxes(self.world, self.product, endpoint.host.product, interface)

    def _features(self, endpoint: Endpoint, association: Association) -> str:
        said, agreed = presentation.features(self.world, self.product, endpoint.host.product)
        association.features |= agreed
        return said

    def _version(self, _: Connection) -> str:
        """As it is declared."""
        return ""

    def _reject(self, endpoint: Endpoint) -> None:
        """Asked for what the endpoint does not have: [MS-RPCE] 3.3.1.5.6. The client gives up."""
        unknown = presentation.unknown(self.world, endpoint.services)
        if unknown is None:
            return
        source, group = self.world.source_port(self.address), endpoint.numbered()
        said = presentation.features(self.world, self.product, endpoint.host.product)[0]
        more = f"syntax ndr{said} source {source} asks 0 grants {group} rejects {presentation.INTERFACE_UNKNOWN}"
        self._say("refuse", endpoint, unknown, self.security, self.world.name("c"), more)

    def _replace(self, connection: Connection) -> None:
        """The same ends again: whatever the server still had of the connection before is gone."""
        for one in list(connection.endpoint.connections):
            if (one.client, one.source) == (connection.client, connection.source):
                one.lost()

    def _say(
        self, verb: str, endpoint: Endpoint, interface: str, security: Security, name: str, more: str, address: str = ""
    ) -> None:
        where = f"from {address or self.address} to {endpoint.host.address} port {endpoint.port} interface {interface}"
        who = f"auth {security.auth} user {text(security.user)}"
        self.world.stage.say(f"{verb} {name} {where} {who} {more}")
