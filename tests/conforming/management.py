"""Management of a queue manager: the server of qmmgmt, [MS-MQMR] 3.1, and administrators who use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tests.conforming.mapper import resolved
from tests.conforming.queue_manager import DELETED, Queue, QueueManager
from tests.conforming.runtime import Process
from tests.conforming.schedule import Until
from tests.conforming.stage import text
from tests.conforming.transport import Security
from tests.conforming.truth import Act

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from tests.conforming.products import Product
    from tests.conforming.queue_manager import Message
    from tests.conforming.transport import Call, Reply, Values
    from tests.conforming.world import World

    Doing = Generator[Until | None, None, None]

ADMINISTRATOR: Final = "admin"
_REFUSALS: Final[tuple[int | str, ...]] = ("MQ_ERROR_ACCESS_DENIED", "0x80070005", 5)
"""Section 3 speaks of Win32 codes, 3.1.4.1 and 3.1.4.2 of HRESULTs."""
_FLOWING: Final = ("INACTIVE", "WAITING", "CONNECTED", "NEED VALIDATION", "DISCONNECTING")
_ACTIONS: Final = ("CONNECT", "DISCONNECT", "TIDY", "PAUSE", "PAUSE", "RESUME", "EOD_RESEND")
_OF_MACHINE: Final = (1, 2, 3, 4, 5, 6)
_OF_QUEUE: Final = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 11, 12, 14, 20, 26)
_SUBQUEUES: Final = 26


@dataclass(slots=True, eq=False)
class Outgoing:
    """OutgoingQueue, [MS-MQDMPR] 3.1.1.3."""

    path: str
    format_name: str
    state: str = "INACTIVE"

    def pass_time(self, world: World, *, online: bool) -> None:
        """What is not on hold connects and disconnects as it likes."""
        if self.state != "ONHOLD" and world.likely(0.3):
            self.state = world.one_of(_FLOWING) if online else "DISCONNECTED"


class QmmgmtServer:
    interface = "qmmgmt"

    def __init__(self, manager: QueueManager) -> None:
        self.manager, self.world, self.online = manager, manager.world, True
        self.trusted = {ADMINISTRATOR}
        """Who may manage it."""
        paths = [f"far{number}\\private$\\sink" for number in range(manager.world.one_of((1, 2)))]
        self.outgoing = [Outgoing(path, f"DIRECT=OS:{path}") for path in paths]
        self.operations: dict[str, Callable[[Call], Generator[Until | None, None, Reply]]] = {
            "R_QMMgmtGetInfo": self.get_info,
            "R_QMMgmtAction": self.act,
        }

    def get_info(self, call: Call) -> Generator[Until | None, None, Reply]:
        yield None
        refusal = self._refusal(call)
        if refusal is not None:
            return refusal
        wanted = [int(one) for one in str(call.values["aProp"]).strip("[]").split(",")]
        new = self.manager.product.version is not None and self.manager.product.version[0] >= 6
        known = _OF_QUEUE if "queue" in call.values else _OF_MACHINE
        if not set(wanted) <= set(known) or call.values.get("cp", len(wanted)) != len(wanted):
            return {"status": "MQ_ERROR_ILLEGAL_PROPID"}
        if "queue" not in call.values:
            return {"apVar": _listed(self._of_machine(one) for one in wanted)}
        if _SUBQUEUES in wanted and not new:
            return {"status": "MQ_ERROR_ILLEGAL_PROPID"}
        found = self._found(call)
        if found is None:
            return {"status": "MQ_ERROR"}
        return {"apVar": _listed(self._of_queue(found, one) for one in wanted)}

    def act(self, call: Call) -> Generator[Until | None, None, Reply]:
        act = self._told(call, str(call.values["lpwszAction"]).strip('"').upper())
        yield None
        refusal = self._refusal(call)
        if refusal is None and not self._acted(act.action, self._found(call)):
            refusal = {"status": self.world.one_of(("MQ_ERROR", "MQ_ERROR_INVALID_PARAMETER"))}
        act.came_to("success" if refusal is None else "failure")
        return {"status": 0} if refusal is None else refusal

    def _told(self, call: Call, action: str) -> Act:
        act = Act(call.asked_us, action, call.connection.security.username)
        act.sealed = call.connection.security.auth == "privacy"
        act.person = self.world.behalf.get(call.connection.name)
        self.world.truth.acts.append(act)
        call.if_lost(lambda: act.came_to("unknown"))
        return act

    def _refusal(self, call: Call) -> Reply | None:
        known = call.connection.security.username in self.trusted
        if not known and not self.world.plant.omits("rights", call.connection):
            return {"status": self.world.one_of(_REFUSALS)}
        if call.values.get("type") == 3:
            old = self.manager.product.has_spx
            return {"status": "MQ_ERROR" if old else "MQ_ERROR_INVALID_PARAMETER"}
        return None

    def _acted(self, action: str, queue: Queue | Outgoing | None) -> bool:
        match action:
            case "CONNECT" | "DISCONNECT":
                self.online = action == "CONNECT"
            case "TIDY":
                pass
            case _ if action not in _ACTIONS:
                return False
            case _ if not isinstance(queue, Outgoing):
                return False
            case "PAUSE":
                queue.state = "ONHOLD"
            case "RESUME":
                queue.state = "INACTIVE"
        return True

    def _found(self, call: Call) -> Queue | Outgoing | None:
        wanted = "DIRECT=" + str(call.values.get("queue", "")).strip('"')
        local = [one for one in self.manager.queues if not one.deleted]
        known: list[Queue | Outgoing] = [*local, *self.outgoing]
        return next((one for one in known if one.format_name == wanted), None)

    def _of_machine(self, propid: int) -> str:
        queues = [one for one in self.manager.queues if not one.deleted]
        active = [one for one in queues if _kept(one) or one.open]
        return {
            1: _listed(text(one.format_name) for one in active),
            2: _listed(text(one.path) for one in queues),
            3: "null",
            4: text("CONNECTED" if self.online else "DISCONNECTED"),
            5: text(""),
            6: str(sum(message.body for one in queues for message in _kept(one))),
        }[propid]

    def _of_queue(self, queue: Queue | Outgoing, propid: int) -> str:
        """3.1.4.1; nothing is said of a local queue where only an outgoing one has something."""
        outgoing = queue if isinstance(queue, Outgoing) else None
        if outgoing is not None:
            outgoing.pass_time(self.world, online=self.online)
        kept = [] if outgoing is not None else _kept(queue)  # type: ignore[arg-type]
        return {
            1: text(queue.path),
            2: text(queue.format_name),
            3: text("PRIVATE"),
            4: text("REMOTE" if outgoing else "LOCAL"),
            5: text(self.world.one_of(("UNKNOWN", "NO")) if outgoing else "NO"),
            6: text("NO"),
            7: str(len(kept)),
            8: str(sum(one.body for one in kept)),
            9: "0",
            10: "0",
            11: text(outgoing.state if outgoing else "LOCAL CONNECTION"),
            12: '["IP=10.0.0.77"]' if outgoing and outgoing.state in ("CONNECTED", "WAITING") else "null",
            14: "0" if outgoing else "null",
            20: "0" if outgoing else "null",
            26: "0",
        }[propid]


class Administrator(Process):
    def __init__(self, world: World, address: str, product: Product) -> None:
        user = ADMINISTRATOR if world.likely(0.8) else "mallory"
        super().__init__(world, address, product, user)
        self.security = Security(world.one_of(("connect", "packet", "integrity", "privacy")), user)
        if world.plant.leaves_out("rights"):
            self.security = Security("none", user)

    def live(self, service: QmmgmtServer) -> Doing:
        world, server = self.world, service.manager
        yield Until(lambda: server.up)
        endpoint = (yield from resolved(self, server, "qmmgmt")) or server.endpoints[server.handshake_port]
        connection = self.connect(endpoint, "qmmgmt")
        names = [one.format_name for one in server.queues] + [one.format_name for one in service.outgoing]
        for _ in range(world.chance.randint(1, 8)):
            if world.likely(0.3):
                yield Until(deadline_us=world.stage.now_us + world.chance.randint(1, 3_000_000))
            if not connection.usable:
                yield Until(lambda: server.up)
                connection = self.connect(endpoint, "qmmgmt")
            yield from self.call(connection, *self._wanted(world.one_of(names)))
        self.close(connection)

    def _wanted(self, name: str) -> tuple[str, Values]:
        world = self.world
        target: Values = {"queue": text(name.removeprefix("DIRECT="))}
        if world.likely(0.4):
            action = world.one_of(_ACTIONS)
            written = text(action.lower() if world.likely(0.1) else action)
            return "R_QMMgmtAction", {**({} if action in _ACTIONS[:3] else target), "lpwszAction": written}
        if world.likely(0.03):
            return "R_QMMgmtGetInfo", {"type": 3, "aProp": "[1]"}
        of_queue = world.likely(0.7)
        wanted = world.chance.sample(_OF_QUEUE if of_queue else _OF_MACHINE, world.chance.randint(1, 4))
        return "R_QMMgmtGetInfo", {**(target if of_queue else {}), "aProp": _listed(map(str, wanted))}


def _kept(queue: Queue) -> list[Message]:
    return [one for one in queue.messages if one.state != DELETED]


def _listed(values: Iterable[str]) -> str:
    return f"[{', '.join(values)}]"
