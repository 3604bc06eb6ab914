"""MSMQDestination: [MC-MQAC] 3.12. Where to send to, without a queue that is open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.com_server import never
from tests.conforming.mqac_message import Addressed, Target

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.queue_manager import Queue
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]

_AGAIN: Final = {"status": 1}
"""S_FALSE: 3.12.4.1.1, 3.12.4.1.2."""


class Destination(Addressed):
    def __init__(self, server: ComServer) -> None:
        super().__init__("MSMQDestination")
        self.manager = server.manager
        self.name = ""
        self.queue: Queue | None = None
        self.members = {
            "put_FormatName": self.put_name,
            "Open": self.open,
            "Close": self.close,
            "get_IsOpen": self.get_is_open,
            **dict.fromkeys(("get_Properties", "get_IADs", "get_Destinations"), never),
        }

    def get_is_open(self, _: Call) -> Handling:
        yield None
        return {"result": -1 if self.queue is not None else 0}

    def put_name(self, call: Call) -> Handling:
        yield None
        self.name = str(call.values["bstrFormatName"]).strip('"')
        return {"status": 0}

    def open(self, _: Call) -> Handling:
        yield None
        if self.queue is not None:
            return _AGAIN
        known = (one for one in self.manager.queues if not one.deleted and one.format_name == self.name)
        self.queue = next(known, None)
        return {"status": 0 if self.queue is not None else "MQ_ERROR_QUEUE_NOT_FOUND"}

    def close(self, _: Call) -> Handling:
        yield None
        was, self.queue = self.queue, None
        return _AGAIN if was is None else {"status": 0}

    def target(self) -> Target:
        if self.queue is None:
            return Target(None, None, "MQ_ERROR_INVALID_HANDLE")
        return Target(self.queue, None, "MQ_ERROR_QUEUE_DELETED" if self.queue.deleted else "")
