"""The endpoint mapper: [C706] appendix O, [MS-RPCE] 3.1.2.5. A process of its own, with groups of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.transport import Call, Reply, Security

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from tests.conforming.runtime import Process
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Endpoint, Host

PORT: Final = 135
NOBODY: Final = Security("none", "")


class Mapper:
    interface = "epm"

    def __init__(self, ports: Mapping[str, int]) -> None:
        self._ports = ports
        self.operations = {"ept_map": self.map}

    def map(self, call: Call) -> Generator[Until | None, None, Reply]:
        yield None
        wanted = str(call.values["for"])
        return {"port": self._ports[wanted]} if wanted in self._ports else {"status": "ept_s_not_registered"}


def resolved(process: Process, host: Host, interface: str) -> Generator[Until | None, None, Endpoint | None]:
    """By asking; mostly on a connection for this alone."""
    endpoint = host.endpoints[PORT]
    known = process.usable(endpoint)
    connection = known[0] if known else process.connect(endpoint, "epm", security=NOBODY)
    reply = yield from process.call(connection, "ept_map", {"for": interface})
    if process.world.likely(0.8):
        process.close(connection)
    if reply is None or "port" not in reply:
        return None
    return host.endpoints.get(int(reply["port"]))
