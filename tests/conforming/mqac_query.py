"""MSMQQuery, MSMQQueueInfos and MSMQCollection: [MC-MQAC] 3.13 to 3.15. The directory is asked for public queues."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Final

from tests.conforming.com_server import Served, never
from tests.conforming.queue_manager import Queue
from tests.conforming.truth import Act

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.schedule import Until
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]

_DONE: Final[Reply] = {"status": 0}
_NO_RESULTS: Final = {"status": "MQ_ERROR_INVALID_HANDLE"}
_PUBLISHED: Final = ("news", "prices")


def published(server: ComServer) -> list[Queue]:
    """What the directory has of this computer."""
    name = server.manager.name
    return [Queue(f"{name}\\{one}", f"PUBLIC={uuid.uuid5(uuid.NAMESPACE_DNS, f'{name} {one}')}") for one in _PUBLISHED]


class Query(Served):
    def __init__(self, server: ComServer) -> None:
        super().__init__("MSMQQuery")
        self.server = server
        self.members = {"LookupQueue": self.look_up, "get_Properties": never}

    def look_up(self, call: Call) -> Handling:
        """3.13.4.1.1, 3.13.4.1.3."""
        act = Act(call.asked_us, "query", call.connection.security.username)
        act.sealed = call.connection.security.auth == "privacy"
        self.server.world.truth.acts.append(act)
        call.if_lost(lambda: act.came_to("unknown"))
        yield None
        act.came_to("success")
        label = str(call.values.get("Label", "")).strip('"')
        return self.server.hand_out(
            call, Results(self.server, [one for one in published(self.server) if one.path.endswith(label)])
        )


class Results(Served):
    """`found`: None where no query made it."""

    def __init__(self, server: ComServer, found: list[Queue] | None = None) -> None:
        super().__init__("MSMQQueueInfos")
        self.server, self.found, self.place = server, found, 0
        self.members = {"Reset": self.reset, "Next": self.next, "get_Properties": never}

    def reset(self, _: Call) -> Handling:
        """3.14.4.1.1."""
        yield None
        self.place = 0
        return _NO_RESULTS if self.found is None else _DONE

    def next(self, call: Call) -> Handling:
        """3.14.4.1.2: behind the last one comes a null pointer."""
        yield None
        if self.found is None:
            return _NO_RESULTS
        if self.place >= len(self.found):
            return _DONE
        self.place += 1
        return self.server.hand_out(call, self.server.described(self.found[self.place - 1]))


class Collection(Served):
    """3.15.3: one that a client makes is empty."""

    def __init__(self) -> None:
        super().__init__("MSMQCollection")
        self.members = {"Item": self.item, "get_Count": self.count}

    def item(self, _: Call) -> Handling:
        yield None
        return {"status": "MQ_ERROR_INVALID_PARAMETER"}

    def count(self, _: Call) -> Handling:
        yield None
        return {"result": 0}
