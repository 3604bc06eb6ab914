"""A process that exports objects: [MS-DCOM] 3.1.1. References are counted; what nobody has any more goes."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming.com_process import ComProcess
from tests.conforming.schedule import Until

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conforming.mqac_sink import Sink
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.runtime import Process
    from tests.conforming.transport import Call, Reply
    from tests.conforming.world import World

    Handling = Generator[Until | None, None, Reply]

DISCONNECTED: Final = {"fault": "0x80010108"}
"""RPC_E_DISCONNECTED: no such object, or none any more."""
PUBLIC: Final = 5
"""References that come with each interface pointer."""
NO_INTERFACE: Final = "0x80004002"
_REFERENCE: Final = re.compile(r"\[(\w+), (\d+)\]")
UNCOUNTED_US: Final = 130_000_000
"""How long an object lives that nobody has references of; nobody pings it either."""
_OWN: Final = ("RemQueryInterface", "RemAddRef", "RemRelease", "GetIDsOfNames", "GetTypeInfo", "Invoke")
_PLAIN: Final = ("FindConnectionPoint", "Advise", "Unadvise", "GetConnectionInterface")
"""Members of interfaces that are not MSMQ's alone."""


class Served:
    """What an object does: `members` by name, whatever the revision."""

    def __init__(self, cls: str) -> None:
        self.cls = cls
        self.unsure = False
        """Whether it still has references."""
        self.members: dict[str, Callable[[Call], Handling]] = {}

    def others(self) -> tuple[str, ...]:
        """Interfaces that it has and its class does not tell."""
        return ()

    def gone(self) -> None:
        """The last reference was given back."""

    def lost(self) -> None:
        """The process ended."""


def never(_: Call) -> Handling:
    """Members that nobody implements: [MC-MQAC] 3.2.4.2.7 and many others."""
    yield None
    return {"status": "0x80004001"}


@dataclass(slots=True, eq=False)
class ComObject:
    oid: int
    served: Served
    ipids: dict[str, str] = field(default_factory=dict)
    """By interface."""
    counts: dict[str, int] = field(default_factory=dict)
    """References by IPID."""


class _Operations(Mapping["str", "Callable[[Call], Handling]"]):
    """All of all objects: which one it is the call says."""

    def __init__(self, server: ComServer) -> None:
        self._server = server

    def __contains__(self, operation: object) -> bool:
        return operation in (*_OWN, *_PLAIN) or (isinstance(operation, str) and "." in operation)

    def __getitem__(self, operation: str) -> Callable[[Call], Handling]:
        return self._server.own.get(operation, self._server.called)

    def __iter__(self) -> Iterator[str]:
        return iter(_OWN)

    def __len__(self) -> int:
        return len(_OWN)


class ComServer:
    interface = "IRemUnknown"

    def __init__(self, manager: QueueManager, port: int) -> None:
        self.manager, self.world, self.port = manager, manager.world, port
        self.operations = _Operations(self)
        self.own: dict[str, Callable[[Call], Handling]] = {
            "RemQueryInterface": self.query,
            "RemAddRef": self.count,
            "RemRelease": self.release,
            "GetIDsOfNames": self.name_members,
            "GetTypeInfo": self.describe,
            "Invoke": self.invoke,
        }
        self.revision = names.revision_of(manager.product)
        self.objects: dict[str, ComObject] = {}
        """By IPID."""
        self.known_sinks: dict[str, Sink] = {}
        """Objects of clients, by IPID."""
        self.resolved: dict[Sink, str] = {}
        """Those whose interface for events was asked for, with its IPID."""
        self.caller = ComProcess(self.world, manager.address, manager.product, f"{manager.name.upper()}$")
        self.others: list[QueueManager] = []
        """All queue managers that there are."""
        self.helpers: list[Process] = []
        """That ask others for its clients."""
        self.described: Callable[[Queue], Served] = lambda _: Served("")
        """The object that stands for a queue: whoever offers the classes knows."""
        self._begin()

    def _begin(self) -> None:
        self.oxid, self.unknown = numbered(self.world, "oxid", 0x0A00), self.world.name("RU")

    def restarted(self) -> None:
        """Another process: whatever was exported is gone."""
        for one in list({id(one): one for one in self.objects.values()}.values()):
            one.served.lost()
        self.objects.clear()
        self.resolved.clear()
        for caller in (self.caller, *self.helpers):
            caller.crash("reset")
        self.helpers.clear()
        self.caller = ComProcess(self.world, self.manager.address, self.manager.product, self.caller.security.user)
        self._begin()

    def made(self, served: Served) -> ComObject:
        return ComObject(numbered(self.world, "oid", 0x0B00), served)

    def give(self, one: ComObject, interface: str, public: int = PUBLIC) -> dict[str, str | int]:
        """A reference to it, as an answer carries it."""
        ipid = one.ipids.get(interface) or self.world.name("I")
        one.ipids[interface] = ipid
        one.counts[ipid] = one.counts.get(ipid, 0) + public
        self.objects[ipid] = one
        return {"gives": ipid, "oxid": self.oxid, "oid": one.oid}

    def hand_out(self, call: Call, served: Served) -> Reply:
        """A new object, in the revision that the call is made in."""
        late = names.is_late(call)
        wanted = names.DISPATCH if late else names.interface(served.cls, names.revision(call.operation))
        return self.give(self.made(served), wanted)

    def forget_uncounted(self, one: ComObject) -> Generator[Until | None, None, None]:
        """[MS-DCOM] 3.1.1.1.3: it was handed out without references, and nobody asked for some."""
        yield Until(deadline_us=self.world.stage.now_us + UNCOUNTED_US - 1_000_000)
        if not any(one.counts.values()):
            for known in one.ipids.values():
                self.objects.pop(known, None)
            one.served.gone()

    def describe(self, call: Call) -> Handling:
        """[MS-OAUT] 3.1.4.2: there is one description, which this server keeps to itself."""
        yield None
        return {"status": "0x8002000B" if call.values.get("iTInfo", 0) else "0x80004001"}

    def invoke(self, _: Call) -> Handling:
        """[MS-OAUT] 3.1.4.4: of a member that there is not."""
        yield None
        return {"status": "0x80020003"}

    def find(self, value: object) -> Served | None:
        """Of an argument: an IPID, or a VARIANT with one."""
        found = self.objects.get(ipid_of(value))
        return None if found is None else found.served

    def taken_back(self, ipid: str, count: int) -> None:
        """References that come back: by RemRelease, or with an argument."""
        one = self.objects.get(ipid)
        if one is None:
            return
        one.counts[ipid] = max(0, one.counts[ipid] - count)
        if not any(one.counts.values()):
            for known in one.ipids.values():
                self.objects.pop(known, None)
            one.served.gone()

    def called(self, call: Call) -> Handling:
        one = self.objects.get(str(call.values["object"]))
        handler = None if one is None else one.served.members.get(names.member(call.operation))
        if handler is None:
            yield None
            return DISCONNECTED
        reply = yield from handler(call)
        for name, value in call.values.items():
            if name != "object" and ipid_of(value) in self.objects:
                # [MS-DCOM] 3.2.4.3: an own object that comes back brings references along. Of a call that failed the
                # document leaves open who has them.
                if reply.get("status", 0) not in (0, 1):
                    self.objects[ipid_of(value)].served.unsure = True
                self.taken_back(ipid_of(value), int(call.values["public"]))
        return reply

    def query(self, call: Call) -> Handling:
        """[MS-DCOM] 3.1.1.5.6.1.1."""
        yield None
        one, wanted = self.objects.get(str(call.values["ripid"])), str(call.values["iids"]).strip("[]")
        if one is None:
            return {"status": "0x80010114"}
        own = names.own(one.served.cls, self.revision)
        if wanted != names.DISPATCH and wanted not in own and wanted not in one.served.others():
            return {"gives": "[null]"}
        given = self.give(one, wanted)
        return {**given, "gives": f"[{given['gives']}]"}

    def count(self, call: Call) -> Handling:
        yield None
        for ipid, count in references(call):
            if ipid in self.objects:
                self.objects[ipid].counts[ipid] += count
        return {"status": 0}

    def release(self, call: Call) -> Handling:
        yield None
        for ipid, count in references(call):
            self.taken_back(ipid, count)
        return {"status": 0}

    def name_members(self, call: Call) -> Handling:
        """The numbers are the type library's."""
        yield None
        one, wanted = self.objects.get(str(call.values["object"])), str(call.values["rgszNames"]).strip('["]')
        if one is None:
            return DISCONNECTED
        return {"rgDispId": f"[{names.dispid(one.served.cls, self.revision, wanted)}]"}


def references(call: Call) -> list[tuple[str, int]]:
    return [(ipid, int(count)) for ipid, count in _REFERENCE.findall(str(call.values["refs"]))]


def ipid_of(value: object) -> str:
    """A name, or the one in a VARIANT: [9, I5]."""
    return str(value).removeprefix("[9, ").removesuffix("]")


def numbered(world: World, kind: str, base: int) -> int:
    return base + int(world.name(f"{kind}#").rpartition("#")[2])
