"""What a server of objects asks another queue manager for its clients: [MC-MQAC] 3.2.4.3, 3.3.6.2, 3.3.6.3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.management import QmmgmtServer
from tests.conforming.runtime import Process

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply, Values

    Asking = Generator[Until | None, None, Reply]

_WIN32_DENIED: Final = 5


def management_of(manager: QueueManager) -> QmmgmtServer:
    services = manager.endpoints[manager.handshake_port].services.values()
    return next(one for one in services if isinstance(one, QmmgmtServer))


def machine(server: ComServer, name: str) -> QueueManager | None:
    """Another computer of that name."""
    return next((one for one in server.others if one.name == name and one is not server.manager), None)


def ask(server: ComServer, call: Call, other: QueueManager, operation: str, values: Values) -> Asking:
    """In the server's own name: what the other one answers is passed on."""
    manager = server.manager
    if not other.up:
        return {"status": "0xC00E000B"}
    caller = Process(server.world, manager.address, manager.product, f"{manager.name.upper()}$")
    server.helpers.append(caller)
    management_of(other).trusted.add(caller.security.user)
    connection = caller.connect(other.endpoints[other.handshake_port], "qmmgmt")
    security = call.connection.security
    server.world.behalf[connection.name] = "" if security.auth == "privacy" else security.username
    reply = yield from caller.call(connection, operation, values, call.part)
    caller.close(connection)
    server.helpers.remove(caller)
    if reply is None or "fault" in reply:
        return {"status": "0xC00E000B"}
    # [MS-MQMR] 3 also has codes of Win32, which are no HRESULTs.
    return {"status": "0x80070005"} if reply.get("status") == _WIN32_DENIED else reply
