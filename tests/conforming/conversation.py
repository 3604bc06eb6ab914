"""From a seed to a conversation, its packets and the truth about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming import casts
from tests.conforming.applications import Application
from tests.conforming.management import Administrator, QmmgmtServer
from tests.conforming.mapper import NOBODY, PORT, Mapper
from tests.conforming.products import PRODUCTS
from tests.conforming.qm2qm_client import Supporter
from tests.conforming.qm2qm_server import Qm2qmServer
from tests.conforming.queue_manager import QueueManager
from tests.conforming.remote_open import QmcommServer
from tests.conforming.runtime import Process
from tests.conforming.weather import Weather
from tests.conforming.world import World

if TYPE_CHECKING:
    from tests.conforming.planting import Breach, Place
    from tests.conforming.transport import Call
    from tests.conforming.truth import Truth
    from tests.scripts.tape import Timed

_STEPS: Final = 700
_USERS: Final = ("alice", "bob", "carol", "")
_QUEUES: Final = ("orders", "billing", "audit")
_DYNAMIC: Final = 49_664


@dataclass(frozen=True, slots=True)
class Conversation:
    script: str
    parts: list[str]
    """Of each line."""
    frames: list[Timed]
    truth: Truth
    calls: list[Call]
    places: list[Place]
    """Between whom the breach was planted."""


def converse(seed: int, cast: str = casts.MQQP, breach: Breach | None = None) -> Conversation:
    """With a breach, if there is one to be planted; then nothing else goes wrong."""
    world = World(seed, breach)
    servers = [_server(world, number, cast) for number in range(world.one_of((1, 1, 2)))]
    weather = Weather(world, servers, [])
    for server in servers:
        _offer(server, weather, cast)
    shared = world.likely(0.2)
    for number in range(world.one_of(casts.READERS[cast])):
        _client(world, weather, servers, 20 if shared else 20 + number)
    if cast != casts.MQQP:
        casts.add(world, weather, cast, 20 if shared else None)
    weather.restarted = lambda old: _restart(world, weather, servers, old)
    world.schedule.add(weather.arrivals())
    if breach is not None and breach.in_view_us:
        _watch(world, servers, breach.in_view_us)
    if breach is None:
        world.schedule.add(weather.mishaps())
    elif breach.weather:
        world.schedule.add(weather.resets())
    world.schedule.run(_STEPS)
    for call in world.history:
        if not call.over:
            # The conversation ended while the server was at it.
            call.undelivered()
    stage = world.stage
    return Conversation(stage.script, stage.parts, stage.frames, world.truth, world.history, world.plant.places)


def _watch(world: World, servers: list[QueueManager], us: int) -> None:
    """A stranger shows that the capture has begun long before everybody else comes."""
    for server in servers:
        stranger = Process(world, world.address(99), world.one_of(PRODUCTS), "")
        stranger.close(stranger.connect(server.endpoints[PORT], "epm", security=NOBODY))
    world.stage.wait(us)


def _server(world: World, number: int, cast: str) -> QueueManager:
    server = QueueManager(world, f"srv{number}", world.address(9 + number), world.one_of(casts.products(cast)))
    later = 11 * world.one_of((0, 0, 0, 1))
    server.handshake_port, server.read_port = 2103 + later, 2105 + later
    for name in _QUEUES[: world.chance.randint(1, 3)]:
        queue = server.add_queue(name)
        queue.forbidden = world.likely(0.1)
        for _ in range(world.chance.randint(0, 5)):
            server.deliver(queue).arrived_s -= world.chance.randint(1, 100_000)
    return server


def _offer(server: QueueManager, weather: Weather, cast: str) -> None:
    """Every interface of a process can be reached at each of its endpoints."""
    world, reading, management = server.world, Qm2qmServer(server), QmmgmtServer(server)
    weather.services[server] = [reading]
    dynamic = world.one_of((_DYNAMIC, server.read_port, server.handshake_port))
    for port in (server.handshake_port, server.read_port, dynamic):
        server.offer(port, reading, QmcommServer(server), management)
    known = {"qm2qm": dynamic, "qmcomm": server.handshake_port, "qmmgmt": dynamic}
    if cast != casts.MQQP:
        known |= casts.offer(server, weather, dynamic, cast, management)
    server.offer(PORT, Mapper(known))
    if world.likely(0.3):
        administrator = Administrator(world, world.address(90), world.one_of(PRODUCTS))
        weather.processes.append(administrator)
        world.schedule.add(administrator.live(management), administrator)


def _client(world: World, weather: Weather, servers: list[QueueManager], number: int) -> None:
    """An application, with its supporting server beside it or elsewhere."""
    address = world.address(number)
    elsewhere = world.address(number + 40) if world.likely(0.4) else address
    supporter = Supporter(world, elsewhere, world.one_of(PRODUCTS), world.one_of((*_USERS, "BRANCH7$")))
    process: Process = supporter
    if world.likely(0.8):
        process = Process(world, address, world.one_of(PRODUCTS), world.one_of(_USERS))
        weather.processes.append(process)
    weather.processes.append(supporter)
    for _ in range(world.one_of((1, 1, 2))):
        server = world.one_of(servers)
        application = Application(process, supporter, server, world.one_of(server.queues))
        world.schedule.add(application.live(), process)


def _restart(world: World, weather: Weather, servers: list[QueueManager], old: Process) -> None:
    process = Process(world, old.address, old.product, old.security.user)
    supporter = Supporter(world, old.address, old.product, old.security.user)
    process.security = supporter.security = old.security
    weather.processes += [process, supporter]
    server = world.one_of(servers)
    application = Application(process, supporter, server, world.one_of(server.queues))
    world.schedule.add(application.live(), process)
