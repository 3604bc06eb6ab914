"""What happens to everybody: messages arrive, queues are deleted, connections are lost, computers crash."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from tests.conforming.schedule import Until

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.runtime import Process
    from tests.conforming.world import World

    Doing = Generator[Until | None, None, None]

_SECOND_US: Final = 1_000_000


class Restartable(Protocol):
    def restarted(self) -> None: ...


class Weather:
    def __init__(self, world: World, servers: list[QueueManager], processes: list[Process]) -> None:
        self.world, self.servers, self.processes = world, servers, processes
        self.services: dict[QueueManager, list[Restartable]] = {}
        self.restarted: Callable[[Process], None] = lambda _: None

    def arrivals(self) -> Doing:
        world = self.world
        for _ in range(world.chance.randint(0, 12)):
            yield from self._later(3)
            server = world.one_of(self.servers)
            server.deliver(world.one_of(server.queues))

    def mishaps(self) -> Doing:
        world = self.world
        kinds: list[Callable[[], Doing]] = [
            self._queue_deleted,
            self._connection_reset,
            self._connection_reset,
            self._server_closes,
            self._server_crash,
            self._server_crash,
            self._client_crash,
        ]
        for _ in range(world.one_of((0, 0, 1, 1, 2, 3))):
            for _ in range(world.chance.randint(3, 30)):
                yield None
            world.truth.mishaps = True
            yield from world.one_of(kinds)()

    def resets(self) -> Doing:
        for _ in range(8):
            yield from self._later(4)
            yield from self._connection_reset()

    def _later(self, most_s: int) -> Doing:
        yield Until(deadline_us=self.world.stage.now_us + self.world.chance.randint(1, most_s * _SECOND_US))

    def _queue_deleted(self) -> Doing:
        yield None
        server = self.world.one_of(self.servers)
        self.world.one_of(server.queues).deleted = True

    def _connection_reset(self) -> Doing:
        yield None
        connections = [one for server in self.servers for one in server.connections() if one.usable]
        if connections:
            self.world.one_of(connections).end("reset", by_server=self.world.likely(0.5))

    def _server_closes(self) -> Doing:
        """It shuts a connection down on which nothing goes on."""
        yield None
        connections = [one for server in self.servers for one in server.connections() if not one.calls]
        if connections:
            self.world.one_of(connections).end("close", by_server=True)

    def _server_crash(self) -> Doing:
        """The process is killed and its connections end, or the computer is silent until it is spoken to again."""
        world = self.world
        server = world.one_of(self.servers)
        yield None
        silent = world.likely(0.4)
        server.up = False
        world.schedule.kill(server)
        old = server.connections()
        if not silent:
            for connection in old:
                connection.end(world.one_of(("reset", "reset", "close")), by_server=True)
        for endpoint in server.endpoints.values():
            endpoint.forget()
        server.forget()
        for service in self.services[server]:
            service.restarted()
        yield from self._later(30)
        server.boot += 1
        server.up = True
        yield from self._later(10)
        for connection in old:
            connection.end("reset", by_server=world.likely(0.7))

    def _client_crash(self) -> Doing:
        world = self.world
        alive = [one for one in self.processes if one.alive]
        if not alive:
            return
        process = world.one_of(alive)
        yield None
        process.crash(world.one_of(("reset", "silence")))
        yield from self._later(20)
        if world.likely(0.6):
            shared = [one for one in self.processes if one.alive and one.address == process.address]
            if not shared:
                world.rebooted(process.address)
            self.restarted(process)
