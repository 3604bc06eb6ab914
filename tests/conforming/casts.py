"""Who takes part besides the readers of MS-MQQP: of [MS-MQRR], of [MS-MQMP] with servers, scripts of [MC-MQAC]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import mqac_server
from tests.conforming.com_client import ComClient
from tests.conforming.management import ADMINISTRATOR
from tests.conforming.mqac_script import Script
from tests.conforming.products import PRODUCTS, SUPPORTED, has_remote_read, supports
from tests.conforming.qmcomm2_server import Qmcomm2Server
from tests.conforming.remote_read_client import RemoteReader
from tests.conforming.remote_read_server import RemoteReadServer
from tests.conforming.supported_client import SupportedClient
from tests.conforming.supporting_server import SupportingServer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conforming.management import QmmgmtServer
    from tests.conforming.products import Product
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.weather import Weather
    from tests.conforming.world import World

MQQP, MQRR, MQMP, MQAC, ALL = "mqqp", "mqrr", "mqmp", "mqac", "all"
CASTS: Final = (MQQP, MQRR, MQMP, MQAC, ALL)
_USERS: Final = ("alice", "bob", "carol", "", "BRANCH7$")
READERS: Final[Mapping[str, tuple[int, ...]]] = {
    MQQP: (1, 2, 2, 3),
    MQRR: (0, 0, 1),
    MQMP: (0, 0, 1),
    MQAC: (0, 0, 1),
    ALL: (1,),
}
"""How many of MS-MQQP there can be."""
_REMOTE: Final[Mapping[str, tuple[int, ...]]] = {MQRR: (1, 2, 2, 3), MQMP: (0,), MQAC: (0,), ALL: (0, 1, 1)}
_SUPPORTED: Final[Mapping[str, tuple[int, ...]]] = {MQRR: (0,), MQMP: (1, 2, 2, 3), MQAC: (0,), ALL: (0, 1, 1)}
_SCRIPTED: Final[Mapping[str, tuple[int, ...]]] = {MQRR: (0,), MQMP: (0,), MQAC: (1, 2, 2, 3), ALL: (0, 1, 1)}
_WITH_SCRIPTS: Final = tuple(cast for cast, numbers in _SCRIPTED.items() if any(numbers))


def products(cast: str) -> tuple[Product, ...]:
    """Which servers can be: of MS-MQMP also those that support nobody."""
    if cast == MQRR:
        return tuple(one for one in PRODUCTS if has_remote_read(one))
    able = tuple(one for one in PRODUCTS if cast == MQMP and supports(one))
    return (*able, *able, *PRODUCTS)


def offer(server: QueueManager, weather: Weather, dynamic: int, cast: str, management: QmmgmtServer) -> dict[str, int]:
    """What the mapper has to know."""
    if cast in _WITH_SCRIPTS:
        weather.services[server].append(mqac_server.offer(server, management, weather.servers))
    supporting = SupportingServer(server)
    supporting.others = [one for one in weather.servers if one is not server]
    weather.services[server].append(supporting)
    for queue in server.queues:
        queue.transactional = server.world.likely(0.5)
    for port in (server.handshake_port, server.read_port, dynamic):
        server.offer(port, supporting, Qmcomm2Server(supporting))
    if not has_remote_read(server.product):
        return {"qmcomm2": server.handshake_port}
    remote_read = RemoteReadServer(server)
    weather.services[server].append(remote_read)
    for port in (server.handshake_port, dynamic):
        server.offer(port, remote_read)
    return {"qmcomm2": server.handshake_port, "RemoteRead": dynamic}


def add(world: World, weather: Weather, cast: str, shared: int | None) -> None:
    """`shared`: the one address that everybody has behind a translator."""
    for number in range(world.one_of(_REMOTE[cast])):
        _remote_reader(world, weather, shared or 24 + number)
    for number in range(world.one_of(_SUPPORTED[cast])):
        _supported(world, weather, shared or 28 + number)
    for number in range(world.one_of(_SCRIPTED[cast])):
        _scripted(world, weather, shared or 32 + number, reachable=shared is None)


def _remote_reader(world: World, weather: Weather, number: int) -> None:
    product = world.one_of([one for one in PRODUCTS if has_remote_read(one)])
    process = RemoteReader(world, world.address(number), product, world.one_of(_USERS))
    weather.processes.append(process)
    able = [one for one in weather.servers if has_remote_read(one.product)]
    for _ in range(world.one_of((1, 1, 2)) if able else 0):
        server = world.one_of(able)
        world.schedule.add(process.live(server, world.one_of(server.queues)), process)


def _supported(world: World, weather: Weather, number: int) -> None:
    """A computer whose applications have a supporting server."""
    process = SupportedClient(world, world.address(number), world.one_of(SUPPORTED), world.one_of(_USERS))
    weather.processes.append(process)
    for _ in range(world.one_of((1, 1, 2))):
        server = world.one_of(weather.servers)
        queues = [(place, queue) for place in (server, *weather.servers) for queue in place.queues]
        world.schedule.add(process.live(server, queues), process)


def _scripted(world: World, weather: Weather, number: int, *, reachable: bool) -> None:
    """Scripts of one user. Servers do not reach clients behind a translator."""
    user = world.one_of((*_USERS, ADMINISTRATOR, ADMINISTRATOR))
    process = ComClient(world, world.address(number), world.one_of(PRODUCTS), user)
    process.servers = weather.servers
    weather.processes.append(process)
    for _ in range(world.one_of((1, 1, 2))):
        world.schedule.add(Script(process, world.one_of(weather.servers), reachable=reachable).live(), process)
