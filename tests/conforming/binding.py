"""What a client keeps of a server on which it has context handles: the connections of one association."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.runtime import Process
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Connection, Host, Reply, Values


class Binding:
    def __init__(self, owner: Process, connection: Connection, interface: str, part: str) -> None:
        self.owner, self.interface, self.part = owner, interface, part
        self.endpoint, self.association = connection.endpoint, connection.association
        self.multiplexes = owner.world.likely(0.4)

    @property
    def server(self) -> Host:
        return self.endpoint.host

    @property
    def lost(self) -> bool:
        return not any(one.usable for one in self.association.connections)

    def connection(self, interface: str = "") -> Connection | None:
        """Any of its association; one more where all are busy and calls do not share one."""
        owner, world = self.owner, self.owner.world
        interface = interface or self.interface
        usable = [one for one in self.association.connections if one.usable and one in owner.connections]
        idle = [one for one in usable if not one.calls or self.multiplexes]
        if not usable or (not self.server.up and not idle):
            return None
        if not idle or world.likely(0.08):
            more = owner.connect(self.endpoint, interface)
            if more.association is self.association:
                return more
            idle = idle or usable
        chosen = world.one_of(idle)
        owner.speak(chosen, interface)
        return chosen

    def ask(
        self, operation: str, values: Values, part: str = "", interface: str = ""
    ) -> Generator[Until | None, None, Reply | None]:
        """None where the server cannot be reached any more."""
        connection = self.connection(interface)
        if connection is None:
            return None
        return (yield from self.owner.call(connection, operation, values, part or self.part))
