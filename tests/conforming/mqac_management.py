"""MSMQManagement: [MC-MQAC] 3.3 to 3.5. A queue that is there, or one that messages leave by, administered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_behalf
from tests.conforming import mqac_values as v
from tests.conforming.com_server import Served
from tests.conforming.management import ADMINISTRATOR, Outgoing
from tests.conforming.stage import text
from tests.conforming.truth import Act

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.management import QmmgmtServer
    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply, Values

    Handling = Generator[Until | None, None, Reply]

DENIED: Final = {"status": "MQ_ERROR_ACCESS_DENIED"}
_UNINITIALIZED: Final = {"status": "MQ_ERROR_UNINITIALIZED_OBJECT"}
_CONTROLS: Final = {"Pause": "pause", "Resume": "resume", "EodResend": "eod_resend"}
ASKED_OF_QUEUE: Final = (
    *("get_MessageCount", "get_FormatName", "get_IsLocal", "get_QueueType", "get_BytesInQueue", "get_ForeignStatus"),
    "get_TransactionalStatus",
)
ASKED_OF_LOCAL: Final = ("get_JournalMessageCount", "get_BytesInJournal")
OUTGOING: Final = "IMSMQOutgoingQueueManagement"
LOCAL: Final = "IMSMQQueueManagement"
_PROPIDS: Final = {
    "get_QueueType": 3,
    "get_IsLocal": 4,
    "get_TransactionalStatus": 5,
    "get_ForeignStatus": 6,
    "get_MessageCount": 7,
    "get_BytesInQueue": 8,
}
"""[MS-MQMQ] 2.3.12: what R_QMMgmtGetInfo asks for."""
_PRIVATE: Final = 1
_NOT_FOREIGN: Final = 1


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

    def elsewhere(self, name: str) -> QueueManager | None:
        return mqac_behalf.machine(self.server, name)

    def act_at(self, other: QueueManager, call: Call, action: str) -> Handling:
        return mqac_behalf.ask(self.server, call, other, "R_QMMgmtAction", {"lpwszAction": text(action.upper())})

    def ask_at(self, other: QueueManager, call: Call, propid: int, queue: str = "") -> Handling:
        """3.3.6.2."""
        target: Values = {"queue": text(queue.removeprefix("DIRECT="))} if queue else {}
        asked = {**target, "aProp": f"[{propid}]"}
        return mqac_behalf.ask(self.server, call, other, "R_QMMgmtGetInfo", asked)

    @staticmethod
    def came_to(act: Act, reply: Reply) -> Reply:
        act.came_to("failure" if reply.get("status", 0) != 0 else "success")
        return reply

    @staticmethod
    def allowed(call: Call) -> bool:
        return call.connection.security.username == ADMINISTRATOR


class Management(Administered):
    def __init__(self, server: ComServer, management: QmmgmtServer) -> None:
        super().__init__("MSMQManagement", server, management)
        self.queue: Queue | Outgoing | None = None
        self.other: QueueManager | None = None
        """Whose queue it is, if not this one's."""
        asked: dict[str, Callable[[Call], Handling]] = dict.fromkeys(
            (*ASKED_OF_QUEUE, *ASKED_OF_LOCAL, "get_State"), self.ask
        )
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
        self.other = self.elsewhere(str(call.values.get("Machine", "")).strip('"'))
        at = self.other or self.manager
        local = [one for one in at.queues if not one.deleted]
        known: list[Queue | Outgoing] = [*local, *(self.management.outgoing if self.other is None else ())]
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
        name = names.member(call.operation)
        if self.other is not None and name in _PROPIDS:
            reply = yield from self.ask_at(self.other, call, _PROPIDS[name], queue.format_name)
            if reply.get("status", 0) != 0:
                return self.came_to(act, {"status": reply["status"]})
        outgoing = isinstance(queue, Outgoing)
        answers: dict[str, Reply] = {
            "get_MessageCount": {"result": 0 if isinstance(queue, Outgoing) else len(queue.available())},
            "get_FormatName": {"result": text(queue.format_name)},
            "get_IsLocal": {"result": v.FALSE if outgoing else v.TRUE},
            "get_QueueType": {"result": _PRIVATE},
            "get_BytesInQueue": {"result": f"[VT_UI8, {0 if isinstance(queue, Outgoing) else bytes_of(queue)}]"},
            "get_ForeignStatus": {"result": _NOT_FOREIGN},
            "get_TransactionalStatus": {"result": 0 if not isinstance(queue, Outgoing) and queue.transactional else 1},
            "get_JournalMessageCount": {"result": 0},
            "get_BytesInJournal": {"result": "[VT_UI8, 0]"},
            "get_State": {"result": 4 if isinstance(queue, Outgoing) and queue.state == "ONHOLD" else 5},
        }
        return self.came_to(act, answers[name])

    def control(self, call: Call) -> Handling:
        """3.5.4.1.4 to 3.5.4.1.6."""
        name = names.member(call.operation)
        act = self.act(call, _CONTROLS[name])
        yield None
        if not isinstance(self.queue, Outgoing):
            return self.came_to(act, _UNINITIALIZED)
        if not self.allowed(call):
            return self.came_to(act, DENIED)
        self.queue.state = {"Pause": "ONHOLD", "Resume": "INACTIVE"}.get(name, self.queue.state)
        return self.came_to(act, {"status": 0})


def bytes_of(queue: Queue) -> int:
    return sum(one.body for one in queue.available())
