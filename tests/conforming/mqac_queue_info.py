"""MSMQQueueInfo: [MC-MQAC] 3.10. A queue that is named, and then created, changed, opened or deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import mqac_values as v
from tests.conforming.com_server import Served, never
from tests.conforming.mqac_queue import OpenedQueue
from tests.conforming.stage import text
from tests.conforming.truth import Act, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.queue_manager import Queue
    from tests.conforming.schedule import Until
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Reply

    Handling = Generator[Until | None, None, Reply]

SEND: Final = 0x02
PROPERTIES: Final = {
    "Label": "bstrLabel",
    "Quota": "lQuota",
    "Journal": "lJournal",
    "Authenticate": "lAuthenticate",
    "PrivLevel": "lPrivLevel",
    "JournalQuota": "lJournalQuota",
}
"""With the argument of the put; that of the get has a p in front."""
_TEXTS: Final = frozenset(("Label",))
_DENIED: Final[Reply] = {"status": "MQ_ERROR_ACCESS_DENIED"}
_DONE: Final[Reply] = {"status": 0}
_PRIORITIES: Final = range(-0x8000, 0x8000)
_NO_QUEUE: Final[Reply] = {"status": "MQ_ERROR_QUEUE_NOT_FOUND"}
_NO_NAME: Final[Reply] = {"status": "MQ_ERROR_ILLEGAL_FORMATNAME"}


class QueueInfo(Served):
    """`of`: the queue that it stands for, where it is not a client's own."""

    def __init__(self, server: ComServer, of: Queue | None = None) -> None:
        super().__init__("MSMQQueueInfo")
        self.server, self.manager, self.world = server, server.manager, server.world
        self._reset()
        if of is not None:
            self.path, self.format, self.refreshed = of.path, of.format_name, True
        gets: dict[str, Callable[[Call], Handling]] = {f"get_{name}": self._get(name) for name in PROPERTIES}
        self.members = {
            "put_PathName": self.put_name("bstrPathName"),
            "put_FormatName": self.put_name("bstrFormatName"),
            "get_PathName": self.get_path,
            "get_FormatName": self.get_format,
            **{f"put_{name}": self._put(name) for name in PROPERTIES},
            **gets,
            "put_BasePriority": self.put_priority,
            **dict.fromkeys(("get_PathNameDNS", "get_ADsPath"), self.get_public_name),
            **dict.fromkeys(("get_Properties", "get_Security", "put_Security"), never),
            "Create": self.create,
            "Delete": self.delete,
            "Open": self.open,
            "Refresh": self.refresh,
            "Update": self.update,
        }

    def _reset(self) -> None:
        """3.10.3."""
        self.path, self.format = "", ""
        self.put: dict[str, Value] = {}
        self.refreshed = False

    @property
    def name(self) -> str:
        """As tables tell it: the name that was given."""
        return self.path or self.format

    def queue(self) -> Queue | None:
        """3.10.6.1."""
        for one in self.manager.queues:
            if not one.deleted and self.name and self.name in (one.path, one.format_name, one.identifier):
                return one
        return None

    def put_name(self, argument: str) -> Callable[[Call], Handling]:
        def put(call: Call) -> Handling:
            yield None
            given = str(call.values[argument]).strip('"')
            self._reset_names(*((given, "") if argument == "bstrPathName" else ("", given)))
            return _DONE

        return put

    def _reset_names(self, path: str, format_name: str) -> None:
        self.path, self.format, self.refreshed = path, format_name, False

    def get_path(self, _: Call) -> Handling:
        yield None
        return {"result": text(self.path)}

    def get_format(self, _: Call) -> Handling:
        """3.10.4.1.8."""
        yield None
        return {"result": text(self.format)}

    def put_priority(self, call: Call) -> Handling:
        """3.10.4.1.18."""
        yield None
        fits = int(call.values["lBasePriority"]) in _PRIORITIES and self.format.startswith("PUBLIC=")
        return _DONE if fits else {"status": "MQ_ERROR_ILLEGAL_PROPERTY_VALUE"}

    def get_public_name(self, _: Call) -> Handling:
        """3.10.4.1.31, 3.10.4.1.39: private queues are not in the directory."""
        yield None
        return _NO_QUEUE if self.name else _NO_NAME

    def _put(self, name: str) -> Callable[[Call], Handling]:
        def put(call: Call) -> Handling:
            yield None
            self.put[name] = call.values[PROPERTIES[name]]
            return _DONE

        return put

    def _get(self, name: str) -> Callable[[Call], Handling]:
        def get(_: Call) -> Handling:
            """It refreshes first, unless that was done."""
            yield None
            queue = self.queue()
            if queue is None and not self.refreshed:
                return _NO_QUEUE if self.name else _NO_NAME
            self.refreshed = True
            known = {} if queue is None else queue.properties
            usual: Value = text("") if name in _TEXTS else 0
            return {"result": self.put.get(name, known.get(name, usual))}

        return get

    def _act(self, call: Call, action: str) -> Act:
        act = Act(call.asked_us, action, call.connection.security.username)
        act.sealed = call.connection.security.auth == "privacy"
        self.world.truth.acts.append(act)
        call.if_lost(lambda: act.came_to("unknown"))
        return act

    def _allowed(self, call: Call) -> bool:
        return bool(call.connection.security.username)

    def create(self, call: Call) -> Handling:
        """3.10.4.1.26."""
        act = self._act(call, "create")
        yield None
        reply = self._creatable(call)
        if reply is None:
            name = self.path.rpartition("\\")[2]
            queue = self.manager.add_queue(name)
            queue.transactional = v.truth(call, "IsTransactional", otherwise=False)
            queue.properties.update(self.put)
            self.put, self.refreshed = {}, True
            reply = _DONE
        act.came_to("success" if reply is _DONE else "failure")
        return reply

    def _creatable(self, call: Call) -> Reply | None:
        computer, _, _ = self.path.partition("\\")
        if not self.path or computer != self.manager.name:
            return {"status": "MQ_ERROR_ILLEGAL_QUEUE_PATHNAME"}
        if self.queue() is not None:
            return {"status": "MQ_ERROR_QUEUE_EXISTS"}
        return None if self._allowed(call) else _DENIED

    def delete(self, call: Call) -> Handling:
        """3.10.4.1.27."""
        act = self._act(call, "delete")
        yield None
        queue, refused = self._changeable(call)
        if queue is not None:
            queue.deleted = True
            self._reset()
        act.came_to("success" if queue is not None else "failure")
        return refused

    def update(self, call: Call) -> Handling:
        """3.10.4.1.30."""
        act = self._act(call, "set_properties")
        yield None
        queue, refused = self._changeable(call)
        if queue is not None:
            queue.properties.update(self.put)
            self.put = {}
        act.came_to("success" if queue is not None else "failure")
        return refused

    def _changeable(self, call: Call) -> tuple[Queue | None, Reply]:
        queue = self.queue()
        if queue is None:
            return None, _NO_QUEUE if self.name else _NO_NAME
        return (queue, _DONE) if self._allowed(call) else (None, _DENIED)

    def refresh(self, call: Call) -> Handling:
        """3.10.4.1.29."""
        act = self._act(call, "query")
        yield None
        act.came_to("failure" if self.queue() is None else "success")
        if self.queue() is None:
            return _NO_QUEUE if self.name else _NO_NAME
        self.put, self.refreshed = {}, True
        return _DONE

    def open(self, call: Call) -> Handling:
        """3.10.4.1.28; [MS-MQDMPR] 3.1.7.1.5."""
        name, asked_for = self.name, self.format
        yield None
        access, alone = int(call.values["Access"]), int(call.values.get("ShareMode", 0)) == 1
        queue = self.queue()
        if queue is None:
            return _NO_QUEUE if self.name else _NO_NAME
        if access == SEND and alone:
            return {"status": "MQ_ERROR_UNSUPPORTED_ACCESS_MODE"}
        if queue.forbidden:
            return _DENIED
        # 2.2.2.2 knows no peeking beside somebody who is alone, as [MS-MQDMPR] does.
        held = [one for one in queue.open if one.access != SEND]
        shut = access != SEND and any(alone or one.exclusive for one in held)
        if shut and not self.world.plant.omits("exclusion", call.connection):
            return {"status": "MQ_ERROR_SHARING_VIOLATION"}
        connection = call.connection
        told = Session(
            "IMSMQQueue", connection.client, self.manager.address, call.asked_us, None, name,
            connection.security.username,
        )  # fmt: skip
        told.asked_for = asked_for or name
        told.sealed = connection.security.auth == "privacy"
        self.world.truth.sessions.append(told)
        call.if_lost(lambda: setattr(told, "told", False))
        opened = OpenedQueue(self.server, queue, access, told, exclusive=alone)
        return self.server.hand_out(call, opened)
