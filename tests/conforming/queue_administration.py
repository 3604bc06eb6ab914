"""Private queues that clients create, look at, change and delete: [MS-MQMP] 3.1.4.5 to 3.1.4.11."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from tests.conforming.remote_open import QmcommServer
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.queue_manager import Queue, QueueManager
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]

DESCRIPTOR_LENGTH: Final = 100
"""tests.scripts.descriptors.USUAL has fewer bytes than that."""
_NOT_FOUND: Final = {"status": "MQ_ERROR_QUEUE_NOT_FOUND"}


class QueueAdministration(QmcommServer):
    def __init__(self, manager: QueueManager) -> None:
        super().__init__(manager)
        self.identifier = str(uuid.UUID(int=manager.world.chance.getrandbits(128)))

    def administration(self) -> dict[str, Callable[[Call], Handling]]:
        return {
            "R_QMCreateObjectInternal": self.create,
            "R_QMDeleteObject": self.delete,
            "R_QMSetObjectSecurityInternal": self.change,
            "R_QMGetObjectSecurityInternal": self.security,
            "R_QMSetObjectProperties": self.change,
            "R_QMGetObjectProperties": self.properties,
            "R_QMObjectPathToObjectFormat": self.look_up,
        }

    def found(self, wanted: str) -> Queue | None:
        """By a direct or a private format name."""
        for number, queue in enumerate(self.manager.queues, 1):
            if not queue.deleted and wanted in (queue.format_name.removeprefix("DIRECT="), self.private_name(number)):
                return queue
        return None

    def private_name(self, number: int) -> str:
        return f"PRIVATE={self.identifier}\\{number:08x}"

    def _named(self, call: Call) -> Queue | None:
        return self.found(str(call.values["queue"]).strip('"'))

    def create(self, call: Call) -> Handling:
        yield None
        path = str(call.values["lpwcsPathName"]).strip('"')
        if any(one.path == path and not one.deleted for one in self.manager.queues):
            return {"status": "MQ_ERROR_QUEUE_EXISTS"}
        self.manager.add_queue(path.rpartition("\\")[2])
        return {"status": 0}

    def delete(self, call: Call) -> Handling:
        yield None
        queue = self._named(call)
        if queue is None:
            return _NOT_FOUND
        if queue.forbidden:
            return {"status": "MQ_ERROR_ACCESS_DENIED"}
        queue.deleted = True
        return {"status": 0}

    def change(self, call: Call) -> Handling:
        yield None
        return _NOT_FOUND if self._named(call) is None else {"status": 0}

    def security(self, call: Call) -> Handling:
        yield None
        if self._named(call) is None:
            return _NOT_FOUND
        enough = int(call.values["nLength"]) >= DESCRIPTOR_LENGTH
        return {"status": 0} if enough else {"status": "MQ_ERROR_SECURITY_DESCRIPTOR_TOO_SMALL"}

    def properties(self, call: Call) -> Handling:
        yield None
        return _NOT_FOUND if self._named(call) is None else {"status": 0}

    def look_up(self, call: Call) -> Handling:
        yield None
        path = str(call.values["lpwcsPathName"]).strip('"')
        for number, queue in enumerate(self.manager.queues, 1):
            if queue.path == path and not queue.deleted:
                return {"queue": text(self.private_name(number))}
        return _NOT_FOUND
