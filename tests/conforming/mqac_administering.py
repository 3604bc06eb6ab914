"""What scripts do to queues and queue managers: [MC-MQAC] 3.2 to 3.5, 3.10, 4.1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.com_client import failed
from tests.conforming.mqac_application import ASKED_OF_MACHINE
from tests.conforming.mqac_management import ASKED_OF_LOCAL, ASKED_OF_QUEUE, LOCAL, OUTGOING
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_client import ComClient, Proxy
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.stage import Value

    Doing = Generator[Until | None, None, None]

_PUTS: Final[tuple[tuple[str, dict[str, Value]], ...]] = (
    ("put_Label", {"bstrLabel": text("orders")}),
    ("put_Quota", {"lQuota": 1_024}),
    ("put_Journal", {"lJournal": 1}),
    ("put_Authenticate", {"lAuthenticate": 1}),
)
_GETS: Final = ("get_Label", "get_Quota", "get_Journal", "get_PathName", "get_FormatName")
_CONTROLS: Final = ("Connect", "Disconnect", "Tidy")
_OF_OUTGOING: Final = ("Pause", "Resume", "EodResend", "get_State")


def administer(client: ComClient, server: QueueManager, part: str) -> Doing:
    world = client.world
    info = yield from client.activate(server, "MSMQQueueInfo", part)
    if info is None:
        return
    name = world.one_of(("temp", "orders", "audit"))
    path = f"{server.name}\\private$\\{name}"
    by_path = name == "temp" or world.likely(0.6)
    if by_path:
        yield from info.call("put_PathName", {"bstrPathName": text(path)})
    else:
        yield from info.call("put_FormatName", {"bstrFormatName": text(f"DIRECT=OS:{path}")})
    yield from _put_some(info)
    if by_path and world.likely(0.6):
        said: dict[str, Value] = {"IsTransactional": v.TRUE} if world.likely(0.3) else {}
        said |= {"IsWorldReadable": v.TRUE} if world.likely(0.3) else {}
        yield from info.call("Create", said)
    for _ in range(world.chance.randint(0, 3)):
        if info.lost:
            return
        match world.one_of(("get", "update", "refresh")):
            case "get":
                yield from info.call(world.one_of(_GETS))
            case "update":
                yield from _put_some(info)
                yield from info.call("Update")
            case _:
                yield from info.call("Refresh")
    if name == "temp" and world.likely(0.5):
        yield from info.call("Delete")


def _put_some(info: Proxy) -> Doing:
    world = info.client.world
    for name, values in world.chance.sample(_PUTS, world.chance.randint(0, 2)):
        yield from info.call(name, values)


def manage(client: ComClient, server: QueueManager, part: str) -> Doing:
    world = client.world
    if client.revision_there(server) < names.WITH_DESTINATIONS:
        return
    if world.likely(0.5):
        yield from _of_machine(client, server, part)
    else:
        yield from _of_queue(client, server, part)


def _of_machine(client: ComClient, server: QueueManager, part: str) -> Doing:
    world = client.world
    application = yield from client.activate(server, "MSMQApplication", part)
    for _ in range(world.chance.randint(1, 4)):
        if application is None or application.lost:
            return
        yield from application.call(world.one_of((*ASKED_OF_MACHINE, *_CONTROLS)))


def _of_queue(client: ComClient, server: QueueManager, part: str) -> Doing:
    world = client.world
    management = yield from client.activate(server, "MSMQManagement", part)
    if management is None:
        return
    outgoing = world.likely(0.4)
    path = f"far{1}\\private$\\sink" if outgoing else world.one_of(server.queues).path
    given = {"Pathname": text(path)} if world.likely(0.5) else {"FormatName": text(f"DIRECT=OS:{path}")}
    reply = yield from management.call("Init", given)
    if failed(reply):
        return
    for _ in range(world.chance.randint(1, 4)):
        yield from management.call(world.one_of(ASKED_OF_QUEUE))
    if client.late:
        return
    wanted, members = (OUTGOING, _OF_OUTGOING) if outgoing else (LOCAL, ASKED_OF_LOCAL)
    other = yield from management.query(wanted)
    for _ in range(world.chance.randint(0, 3)):
        if other is not None:
            yield from other.call(world.one_of((*members, "get_IsLocal")))
