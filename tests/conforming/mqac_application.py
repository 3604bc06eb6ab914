"""MSMQApplication: [MC-MQAC] 3.2. The queue manager here, or at a computer that the client chose."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.com_server import never
from tests.conforming.mqac_behalf import management_of
from tests.conforming.mqac_management import DENIED, Administered, bytes_of
from tests.conforming.stage import text

if TYPE_CHECKING:
    from tests.conforming.com_server import ComServer
    from tests.conforming.management import QmmgmtServer
    from tests.conforming.mqac_management import Handling
    from tests.conforming.queue_manager import QueueManager
    from tests.conforming.transport import Call, Reply

_ACTIONS: Final = {"Connect": "connect", "Disconnect": "disconnect", "Tidy": "tidy"}
_PROPIDS: Final = {
    "ActiveQueues": 1,
    "get_PrivateQueues": 2,
    "get_DirectoryServiceServer": 3,
    "get_IsConnected": 4,
    "get_BytesInAllQueues": 6,
}
"""[MS-MQMQ] 2.3.11: what R_QMMgmtGetInfo asks for."""
ASKED_OF_MACHINE: Final = tuple(_PROPIDS)
_LOCAL: Final = ("get_MSMQVersionMajor", "get_MSMQVersionMinor", "get_IsDsEnabled")
_INVALID: Final[Reply] = {"status": "MQ_ERROR_INVALID_PARAMETER"}
_IF_NOT_EXIST: Final = 2


class Application(Administered):
    def __init__(self, server: ComServer, management: QmmgmtServer) -> None:
        super().__init__("MSMQApplication", server, management)
        self.machine = ""
        self.members = {
            **dict.fromkeys(_ACTIONS, self.control),
            **dict.fromkeys((*ASKED_OF_MACHINE, *_LOCAL, "MachineIdOfMachineName"), self.ask),
            "put_Machine": self.put_machine,
            "get_Machine": self.get_machine,
            "RegisterCertificate": self.register,
            "get_Properties": never,
        }

    def put_machine(self, call: Call) -> Handling:
        """3.2.4.3.6."""
        yield None
        self.machine = str(call.values["bstrMachine"]).strip('"')
        return {"status": 0}

    def get_machine(self, call: Call) -> Handling:
        """3.2.4.3.7."""
        act = self.act(call, "query")
        yield None
        return self.came_to(act, {"result": text(self.machine or self.manager.name)})

    def register(self, call: Call) -> Handling:
        """3.2.4.2.1."""
        act = self.act(call, "register_certificate")
        yield None
        if self.machine:
            return self.came_to(act, {"status": "0x80004001"})
        if call.values.get("Flags") == _IF_NOT_EXIST and "ExternalCertificate" in call.values:
            return self.came_to(act, _INVALID)
        return self.came_to(act, {"status": 0})

    def control(self, call: Call) -> Handling:
        """3.2.4.3.8 to 3.2.4.3.10."""
        name = names.member(call.operation)
        act = self.act(call, _ACTIONS[name])
        yield None
        if (other := self.elsewhere(self.machine)) is not None:
            return self.came_to(act, (yield from self.act_at(other, call, name)))
        if not self.allowed(call):
            return self.came_to(act, DENIED)
        self.management.online = {"Connect": True, "Disconnect": False}.get(name, self.management.online)
        return self.came_to(act, {"status": 0})

    def ask(self, call: Call) -> Handling:
        """3.2.4.1.1, 3.2.4.2.3 to 3.2.4.2.6, 3.2.4.3.1 to 3.2.4.3.5."""
        act, name = self.act(call, "query"), names.member(call.operation)
        yield None
        if self.machine and name in _LOCAL:
            return self.came_to(act, _INVALID)
        other = self.elsewhere(self.machine) if name in _PROPIDS else None
        if other is None:
            return self.came_to(act, _answers(self.manager, self.management)[name])
        reply = yield from self.ask_at(other, call, _PROPIDS[name])
        told = _answers(other, management_of(other))[name]
        return self.came_to(act, {"status": reply["status"]} if reply.get("status", 0) != 0 else told)


def _answers(manager: QueueManager, management: QmmgmtServer) -> dict[str, Reply]:
    queues = [one for one in manager.queues if not one.deleted]
    return {
        "get_PrivateQueues": {"result": v.texts([one.path for one in queues])},
        "ActiveQueues": {"result": v.texts([one.format_name for one in queues])},
        "get_IsConnected": {"result": v.TRUE if management.online else v.FALSE},
        "get_BytesInAllQueues": {"result": f"[VT_UI8, {sum(map(bytes_of, queues))}]"},
        "get_DirectoryServiceServer": {"result": text("\\\\dc1")},
        "get_MSMQVersionMajor": {"result": 6},
        "get_MSMQVersionMinor": {"result": 1},
        "get_IsDsEnabled": {"result": -1},
        "MachineIdOfMachineName": {"result": text(str(uuid.uuid5(uuid.NAMESPACE_DNS, manager.name)))},
    }
