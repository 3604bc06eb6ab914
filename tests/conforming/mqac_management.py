"""MSMQApplication and MSMQManagement: [MC-MQAC] 3.2 to 3.5. The queue manager and its queues, administered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.com_server import Served
from tests.conforming.management import ADMINISTRATOR, Outgoing
from tests.conforming.stage import text
from tests.conforming.truth import Act

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.management import QmmgmtServer
    from tests.conforming.queue_manager import Queue
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]

_DENIED: Final = {"status": "MQ_ERROR_ACCESS_DENIED"}
_UNINITIALIZED: Final = {"status": "MQ_ERROR_UNINITIALIZED_OBJECT"}
_ACTIONS: Final = {"Connect": "connect", "Disconnect": "disconnect", "Tidy": "tidy"}
_CONTROLS: Final = {"Pause": "pause", "Resume": "resume", "EodResend": "eod_resend"}
ASKED_OF_QUEUE: Final = ("get_MessageCount", "get_FormatName", "get_IsLocal", "get_QueueType", "get_BytesInQueue")
ASKED_OF_MACHINE: Final = ("get_PrivateQueues", "ActiveQueues", "get_IsConnected", "get_BytesInAllQueues")
OUTGOING: Final = "IMSMQOutgoingQueueManagement"
LOCAL: Final = "IMSMQQueueManagement"
_PRIVATE: Final = 1


class Administered(Served):
    def __init__(self, cls: str, server: ComServer, management: QmmgmtServer) -> None:
        super().__init__(cls)
        self.server, self.management, self.manager = server, management, server.manager

    def act(self, call: Call, action: str) -> Act:
        told = Act(call.asked_us, action, call.connection.security.username)
        told.sealed = call.connection.security.auth == "privacy"
        self.server.world.truth.acts.append(told)
        call.if_lost(lambda: told.came_to("unknown"))
        return told

    @staticmethod
    def came_to(act: Act, reply: Reply) -> Reply:
        act.came_to("failure" if reply.get("status", 0) != 0 else "success")
        return reply

    @staticmethod
    def allowed(call: Call) -> bool:
        return call.connection.security.username == ADMINISTRATOR


class Application(Administered):
    def __init__(self, server: ComServer, management: QmmgmtServer) -> None:
        super().__init__("MSMQApplication", server, management)
        self.members = {**dict.fromkeys(_ACTIONS, self.control), **dict.fromkeys(ASKED_OF_MACHINE, self.ask)}

    def control(self, call: Call) -> Handling:
        """3.2.4.3.8 to 3.2.4.3.10."""
        name = names.member(call.operation)
        act = self.act(call, _ACTIONS[name])
        yield None
        if not self.allowed(call):
            return self.came_to(act, _DENIED)
        self.management.online = {"Connect": True, "Disconnect": False}.get(name, self.management.online)
        return self.came_to(act, {"status": 0})

    def ask(self, call: Call) -> Handling:
        """3.2.4.3.1 to 3.2.4.3.5."""
        act = self.act(call, "query")
        yield None
        queues = [one for one in self.manager.queues if not one.deleted]
        answers: dict[str, Reply] = {
            "get_PrivateQueues": {"result": v.texts([one.path for one in queues])},
            "ActiveQueues": {"result": v.texts([one.format_name for one in queues])},
            "get_IsConnected": {"result": v.TRUE if self.management.online else v.FALSE},
            "get_BytesInAllQueues": {"result": f"[VT_UI8, {sum(map(_bytes, queues))}]"},
        }
        return self.came_to(act, answers[names.member(call.operation)])


class Management(Administered):
    def __init__(self, server: ComServer, management: QmmgmtServer) -> None:
        super().__init__("MSMQManagement", server, management)
        self.queue: Queue | Outgoing | None = None
        asked: dict[str, Callable[[Call], Handling]] = dict.fromkeys((*ASKED_OF_QUEUE, "get_State"), self.ask)
        self.members = {"Init": self.init, **asked, **dict.fromkeys(_CONTROLS, self.control)}

    def others(self) -> tuple[str, ...]:
        """3.4.3, 3.5.3."""
        if self.queue is None:
            return ()
        return (OUTGOING if isinstance(self.queue, Outgoing) else LOCAL,)

    def init(self, call: Call) -> Handling:
        """3.3.4.1.1."""
        yield None
        names_given = [str(call.values[name]).strip('"') for name in ("Pathname", "FormatName") if name in call.values]
        if len(names_given) != 1:
            return {"status": "MQ_ERROR_INVALID_PARAMETER"}
        local = [one for one in self.manager.queues if not one.deleted]
        known: list[Queue | Outgoing] = [*local, *self.management.outgoing]
        self.queue = next((one for one in known if names_given[0] in (one.path, one.format_name)), None)
        return {"status": 0 if self.queue is not None else "MQ_ERROR_QUEUE_NOT_ACTIVE"}

    def ask(self, call: Call) -> Handling:
        """3.3.4.1.2 to 3.3.4.1.9, 3.5.4.1.1."""
        act = self.act(call, "query")
        yield None
        queue = self.queue
        if queue is None:
            return self.came_to(act, _UNINITIALIZED)
        if not isinstance(queue, Outgoing) and queue.deleted:
            return self.came_to(act, {"status": "MQ_ERROR_QUEUE_NOT_ACTIVE"})
        outgoing = isinstance(queue, Outgoing)
        answers: dict[str, Reply] = {
            "get_MessageCount": {"result": 0 if isinstance(queue, Outgoing) else len(queue.available())},
            "get_FormatName": {"result": text(queue.format_name)},
            "get_IsLocal": {"result": v.FALSE if outgoing else v.TRUE},
            "get_QueueType": {"result": _PRIVATE},
            "get_BytesInQueue": {"result": f"[VT_UI8, {0 if isinstance(queue, Outgoing) else _bytes(queue)}]"},
            "get_State": {"result": 4 if isinstance(queue, Outgoing) and queue.state == "ONHOLD" else 5},
        }
        return self.came_to(act, answers[names.member(call.operation)])

    def control(self, call: Call) -> Handling:
        """3.5.4.1.4 to 3.5.4.1.6."""
        name = names.member(call.operation)
        act = self.act(call, _CONTROLS[name])
        yield None
        if not isinstance(self.queue, Outgoing):
            return self.came_to(act, _UNINITIALIZED)
        if not self.allowed(call):
            return self.came_to(act, _DENIED)
        self.queue.state = {"Pause": "ONHOLD", "Resume": "INACTIVE"}.get(name, self.queue.state)
        return self.came_to(act, {"status": 0})


def _bytes(queue: Queue) -> int:
    return sum(one.body for one in queue.available())
