"""How a script waits for an event: [MC-MQAC] 3.16, 4.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming.com_client import failed
from tests.conforming.mqac_event import CONTAINER, EVENTS
from tests.conforming.mqac_sink import Sink
from tests.conforming.schedule import Until
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_client import Proxy
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.stage import Value

    Doing = Generator[Until | None, None, None]

_WAIT_US: Final = 6_000_000


def watch(queue: Proxy, server: QueueManager) -> Doing:
    client, world = queue.client, queue.client.world
    event = yield from client.activate(server, "MSMQEvent", queue.part)
    if event is None:
        return
    container = yield from event.query(CONTAINER)
    if container is None:
        return
    found = yield from container.ask("FindConnectionPoint", {"riid": EVENTS})
    point = container.made(found, "ConnectionPoint")
    if point is None:
        return
    point.interface = "IConnectionPoint"
    sink = Sink(client, queue.exporter)
    client.offers(server, sink)
    given: dict[str, Value] = {"oxid": sink.oxid, "oid": sink.oid, "at": text(client.address)}
    advised = yield from point.ask("Advise", {"sink": sink.ipid, **given, "public": 5})
    if advised is None or failed(advised):
        return
    if world.likely(0.3):
        again = yield from point.ask("Advise", {"sink": sink.ipid, **given, "public": 5})
        if again is not None and not failed(again):
            yield from point.ask("Unadvise", {"dwCookie": again["pdwCookie"]})
    for _ in range(world.one_of((1, 2))):
        sink.awaited = sink.fired + 1
        argument = yield from event.argument(names.taken(f"{queue.members}.EnableNotification", "Event"))
        if argument is None or queue.lost:
            return
        values: dict[str, Value] = {"Event": argument.ipid, "public": 1, "ReceiveTimeout": world.one_of((0, 5_000))}
        yield from queue.call("EnableNotification", values)
        yield Until(lambda: sink.fired >= sink.awaited, world.stage.now_us + _WAIT_US)
    yield from point.ask("Unadvise", {"dwCookie": advised["pdwCookie"]})
