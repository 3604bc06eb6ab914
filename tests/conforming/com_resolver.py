"""The object resolver at port 135: it activates objects, says where exporters are, is pinged. [MS-DCOM] 3.1.2.5."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming.com_server import NO_INTERFACE, PUBLIC, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from tests.conforming.com_server import ComServer, Served
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]
    Made = Callable[[], Served]

NOT_REGISTERED: Final = "0x80040154"
"""REGDB_E_CLASSNOTREG."""
_CONTAINER: Final = "IConnectionPointContainer"


class Activator:
    interface = "IRemoteSCMActivator"

    def __init__(self, server: ComServer, classes: Mapping[str, Made]) -> None:
        self.server, self._classes = server, classes
        self.operations = {"RemoteCreateInstance": self.create}

    def create(self, call: Call) -> Handling:
        yield None
        cls, wanted = str(call.values["class"]), str(call.values["iids"]).strip("[]")
        if cls not in self._classes:
            return {"status": NOT_REGISTERED}
        if wanted not in {names.DISPATCH, *names.own(cls, self.server.revision)}:
            return {"status": NO_INTERFACE}
        made = self.server.made(self._classes[cls]())
        bare = self.server.world.likely(0.03)
        given = self.server.give(made, wanted, 0 if bare else PUBLIC)
        if bare:
            given["public"] = 0
            self.server.world.schedule.add(self.server.forget_uncounted(made), self.server.manager)
        where: dict[str, str | int] = {"port": self.server.port, "unknown": self.server.unknown}
        return {**given, "gives": f"[{given['gives']}]", **where}


class Resolver:
    interface = "IObjectExporter"

    def __init__(self, server: ComServer) -> None:
        self.server = server
        self.operations = {
            "ServerAlive2": self.alive,
            "ResolveOxid2": self.resolve,
            "ComplexPing": self.ping_set,
            "SimplePing": self.ping,
        }

    def alive(self, _: Call) -> Handling:
        yield None
        return {"status": 0}

    def resolve(self, call: Call) -> Handling:
        yield None
        if int(call.values["pOxid"]) != self.server.oxid:
            return {"status": "0x80070776"}
        return {"port": self.server.port, "unknown": self.server.unknown}

    def ping_set(self, call: Call) -> Handling:
        yield None
        known = int(call.values["pSetId"])
        return {"pSetId": known or numbered(self.server.world, "set", 0x50)}

    def ping(self, _: Call) -> Handling:
        yield None
        return {"status": 0}
