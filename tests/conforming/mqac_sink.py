"""A client's own object, which servers call: it is an exporter then. [MS-DCOM] 3.2.4.1, [MC-MQAC] 3.16.4.4."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tests.conforming.com_client import Exporter, Proxy
from tests.conforming.com_server import numbered
from tests.conforming.mapper import PORT
from tests.conforming.transport import Host

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_client import ComClient
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]

_FIRST_PORT: Final = 51_000
_QUEUE: Final = re.compile(r"\[9, (\w+)\]")


class Sink:
    """It is found by its client's resolver."""

    interface = "_DMSMQEventEvents"

    def __init__(self, client: ComClient, exporter: Exporter | None = None) -> None:
        world, self.exporter = client.world, exporter
        self.client, self.fired, self.awaited = client, 0, 0
        self.ipid, self.unknown, self.events = world.name("K"), world.name("RUC"), world.name("K")
        self.oxid, self.oid = numbered(world, "oxid", 0x0A00), numbered(world, "oid", 0x0B00)
        self.port = numbered(world, "sinkport", _FIRST_PORT)
        self.operations = {
            "ResolveOxid2": self.resolve,
            "RemQueryInterface": self.query,
            "Invoke": self.invoke,
        }
        self.host = Host(world, "client", client.address, client.product)
        self.host.offer(PORT, self)
        self.host.offer(self.port, self)

    def resolve(self, call: Call) -> Handling:
        yield None
        if int(call.values["pOxid"]) != self.oxid:
            return {"status": "0x80070776"}
        return {"port": self.port, "unknown": self.unknown}

    def query(self, _: Call) -> Handling:
        yield None
        return {"gives": f"[{self.events}]", "oxid": self.oxid, "oid": self.oid}

    def invoke(self, call: Call) -> Handling:
        """The queue comes along, with references that are to be given back."""
        yield None
        self.fired += 1
        queue = _QUEUE.search(str(call.values["rgvarg"]))
        if queue is not None:
            self.client.world.schedule.add(self._give_back(queue[1]), self.client)
        return {"status": 0}

    def _give_back(self, ipid: str) -> Generator[Until | None, None, None]:
        yield None
        if self.exporter is not None:
            given = Proxy(self.client, self.exporter, "MSMQQueue", "IDispatch", ipid)
            yield from self.client.release(self.client.holds(given))
