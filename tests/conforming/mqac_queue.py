"""MSMQQueue: [MC-MQAC] 3.11. An open queue with its one cursor: read, purged, watched, closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import cursors
from tests.conforming import mqac_values as v
from tests.conforming.com_server import never
from tests.conforming.mqac_event import Event
from tests.conforming.mqac_message import Addressed, MessageObject, Target, Wanted
from tests.conforming.mqac_transaction import TransactionObject
from tests.conforming.queue_manager import DELETED, Cursor, Message
from tests.conforming.schedule import Until
from tests.conforming.truth import CLOSED, OPEN, RUNDOWN, Act, Read

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.queue_manager import Queue
    from tests.conforming.transport import Call, Reply
    from tests.conforming.truth import Session

    Handling = Generator[Until | None, None, Reply]

RECEIVE, SEND, PEEK = 0x01, 0x02, 0x20
_READERS: Final = (RECEIVE, PEEK)
_INVALID: Final = {"status": "MQ_ERROR_INVALID_HANDLE"}
_DENIED: Final = {"status": "MQ_ERROR_ACCESS_DENIED"}
_DELETED: Final = {"status": "MQ_ERROR_QUEUE_DELETED"}
_INVALID_ARGUMENT: Final = {"status": "0x80070057"}
_CURSORS: Final = (0, 1, 2)
"""MQMSGCURSOR: 2.2.2.8."""
NOT_FOUND: Final = "MQ_ERROR_MESSAGE_NOT_FOUND"
TIMED_OUT: Final = "MQ_ERROR_IO_TIMEOUT"
_ILLEGAL_CURSOR: Final = "MQ_ERROR_ILLEGAL_CURSOR_ACTION"
_INFINITE: Final = 0xFFFF_FFFF
UNREAD, RESET, AT, END = "unread", "reset", "at", "end"
FRONT: Final = ("Receive", "Peek")
BY_CURSOR: Final = ("ReceiveCurrent", "PeekCurrent", "PeekNext")
BY_LOOKUP: Final = (
    *(
        f"{verb}{place}ByLookupId"
        for verb in ("Receive", "Peek")
        for place in ("", "Next", "Previous", "First", "Last")
    ),
    "ReceiveByLookupIdAllowPeek",
)
_WAYS: Final = {"Next": "LOOKUP_PEEK_NEXT", "Previous": "LOOKUP_PEEK_PREV", "": "LOOKUP_PEEK_CURRENT"}


class OpenedQueue(Addressed):
    def __init__(self, server: ComServer, queue: Queue, access: int, told: Session, *, exclusive: bool) -> None:
        super().__init__("MSMQQueue")
        self.server, self.world, self.queue, self.access, self.told = server, server.world, queue, access, told
        self.exclusive = exclusive
        self.descriptor = server.manager.open_queue(queue, access, exclusive=exclusive)
        self.cursor, self.where = Cursor(0), UNREAD
        self.closed = False
        self.members = {
            **dict.fromkeys((*FRONT, *BY_CURSOR, *BY_LOOKUP), self.read),
            "Purge": self.purge,
            "Reset": self.reset,
            "Close": self.close,
            "EnableNotification": self.notify,
            "get_IsOpen": self.get_is_open,
            "get_Access": self.get_access,
            "get_ShareMode": self.get_share_mode,
            "get_Properties": never,
        }

    def _end(self, *states: str, at_us: int | None = None) -> None:
        if not self.closed:
            self.told.states, self.told.closed_us = frozenset(states), at_us
            self.server.manager.close_queue(self.descriptor)
        self.closed = True

    def gone(self) -> None:
        """Of references that nobody may have, the client's next ping says that it has none: they are run down."""
        self._end(CLOSED, *([OPEN, RUNDOWN] if self.unsure else []), at_us=self.world.stage.now_us)

    def lost(self) -> None:
        self._end(RUNDOWN, OPEN)

    def close(self, call: Call) -> Handling:
        """3.11.4.1.6."""
        if call.connection.security.auth == "privacy":
            self.told.end_sealed = True
        yield None
        self._end(CLOSED, at_us=self.world.stage.now_us)
        return {"status": 0}

    def target(self) -> Target:
        if self.closed:
            return Target(self.queue, self.told, "MQ_ERROR_INVALID_HANDLE")
        if self.access != SEND:
            return Target(self.queue, self.told, "MQ_ERROR_ACCESS_DENIED")
        return Target(self.queue, self.told, "MQ_ERROR_QUEUE_DELETED" if self.queue.deleted else "")

    def get_is_open(self, _: Call) -> Handling:
        yield None
        return {"result": int(not self.closed)}

    def get_access(self, _: Call) -> Handling:
        yield None
        return {"result": self.access}

    def get_share_mode(self, _: Call) -> Handling:
        yield None
        return {"result": int(self.exclusive)}

    def reset(self, _: Call) -> Handling:
        """3.11.4.1.10."""
        yield None
        if self.closed:
            return _INVALID
        self.cursor.at, self.where = None, RESET
        return {"status": 0}

    def purge(self, call: Call) -> Handling:
        """3.11.4.1.31."""
        act = Act(call.asked_us, "purge", call.connection.security.username)
        act.sealed = call.connection.security.auth == "privacy"
        self.world.truth.acts.append(act)
        call.if_lost(lambda: act.came_to("unknown"))
        yield None
        refused = self._refused(RECEIVE)
        act.came_to("success" if refused is None else "failure")
        if refused is not None:
            return refused
        self.queue.purge()
        self.told.purged(call.connection.security.auth)
        return {"status": 0}

    def _refused(self, *accesses: int) -> Reply | None:
        if self.closed:
            return _INVALID
        if self.access not in accesses:
            return _DENIED
        return _DELETED if self.queue.deleted else None

    def read(self, call: Call) -> Handling:
        """3.11.4.1.7, .8, .11 to .18, .21 to .30, .33."""
        action, security = names.member(call.operation), call.connection.security
        removes = action.startswith("Receive")
        read = Read(self.told, call.asked_us, action, None, endpoint="IMSMQQueue")
        read.sealed = security.auth == "privacy"
        self.world.truth.reads.append(read)
        call.if_lost(read.not_heard)
        yield None
        refused = self._refused(*((RECEIVE,) if removes else _READERS))
        unit = self._unit(call)
        if refused is None and isinstance(unit, str):
            refused = {"status": unit}
        if refused is not None:
            read.came_to("failed")
            return refused
        found = yield from self._waited(call, action)
        if isinstance(found, str):
            read.came_to("timed_out" if found in (TIMED_OUT, NOT_FOUND) and action not in BY_LOOKUP else "failed")
            return {"status": found}
        self._moved(found, action)
        if not removes:
            read.came_to("peeked")
        elif isinstance(unit, TransactionObject) and unit.unit is not None:
            unit.unit.receive(self.queue, found, read)
            read.came_to("unfinished", "rundown", "nacked")
        else:
            if not self.world.plant.omits("removal", call.connection):
                found.state = DELETED
            read.came_to("acked")
        return self.server.hand_out(call, MessageObject(self.server, found, read, self._wanted(call)))

    def _wanted(self, call: Call) -> Wanted:
        has_destination = v.truth(call, "WantDestinationQueue", otherwise=False)
        return Wanted(
            v.truth(call, "WantBody", otherwise=True),
            self.queue if has_destination else None,
            v.truth(call, "WantConnectorType", otherwise=False),
        )

    def _unit(self, call: Call) -> TransactionObject | str | None:
        """The transaction that is named, or the status that it is not fit."""
        value = call.values.get("Transaction")
        if not v.is_object(value):
            fits = value is None or (isinstance(value, int) and (value != v.SINGLE or self.queue.transactional))
            return None if fits else "MQ_ERROR_TRANSACTION_USAGE"
        found = self.server.find(value)
        fits = isinstance(found, TransactionObject) and found.usable and self.queue.transactional
        return found if fits and isinstance(found, TransactionObject) else "MQ_ERROR_TRANSACTION_USAGE"

    def _waited(self, call: Call, action: str) -> Generator[Until | None, None, cursors.Found]:
        if action in BY_LOOKUP:
            return self._by_lookup(call, action)
        if self.world.plant.omits("patience", call.connection if "ReceiveTimeout" in call.values else None):
            return TIMED_OUT
        timeout = int(call.values.get("ReceiveTimeout", _INFINITE))
        deadline = None if timeout == _INFINITE else call.asked_us + timeout * 1_000
        while True:
            if self.closed or self.queue.deleted:
                return "MQ_ERROR_OPERATION_CANCELLED" if self.closed else "MQ_ERROR_QUEUE_DELETED"
            found = self._look(action)
            if found != cursors.WAIT:
                return found
            if deadline is not None and self.world.stage.now_us >= deadline:
                return TIMED_OUT if timeout else NOT_FOUND
            yield Until(lambda: self.closed or self.queue.deleted or self._look(action) != cursors.WAIT, deadline)

    def _look(self, action: str) -> cursors.Found:
        if action in FRONT:
            return cursors.at_front(self.queue)
        if action == "PeekNext":
            return cursors.by_cursor(self.queue, self.cursor, "PEEK_NEXT") if self.where == AT else _ILLEGAL_CURSOR
        if self.where == END:
            return cursors.WAIT
        return cursors.by_cursor(self.queue, self.cursor, "PEEK_CURRENT")

    def _by_lookup(self, call: Call, action: str) -> cursors.Found:
        place = action.removesuffix("AllowPeek").removesuffix("ByLookupId").removeprefix("Receive").removeprefix("Peek")
        available = self.queue.available()
        if place in ("First", "Last"):
            return available[0 if place == "First" else -1] if available else NOT_FOUND
        wanted = v.number(call.values["LookupId"])
        if wanted == 0:
            return "MQ_ERROR_INVALID_PARAMETER"
        found = cursors.by_lookup_id(self.queue, wanted, _WAYS[place])
        return found if isinstance(found, Message) else NOT_FOUND

    def _moved(self, message: Message, action: str) -> None:
        """R10: a receive at the cursor goes on to the next message."""
        if action not in BY_CURSOR:
            return
        self.cursor.at, self.where = message, AT
        if action == "ReceiveCurrent":
            place = self.queue.messages.index(message)
            later = [one for one in self.queue.messages[place + 1 :] if one in self.queue.available()]
            self.cursor.at = later[0] if later else None
            self.where = AT if later else END

    def notify(self, call: Call) -> Handling:
        """3.11.4.1.9: one event."""
        yield None
        event = self.server.find(call.values.get("Event"))
        if call.values.get("Cursor", 0) not in _CURSORS:
            return _INVALID_ARGUMENT
        if self.closed:
            return _INVALID
        if not isinstance(event, Event):
            return _INVALID_ARGUMENT
        if self.access != PEEK:
            return _DENIED
        self.world.schedule.add(self._watch(event, call), self.server.manager)
        return {"status": 0}

    def _watch(self, event: Event, call: Call) -> Generator[Until | None, None, None]:
        timeout = int(call.values.get("ReceiveTimeout", _INFINITE))
        deadline = None if timeout == _INFINITE else call.asked_us + timeout * 1_000
        yield Until(lambda: call.over)
        yield Until(lambda: self.closed or bool(self.queue.available()), deadline)
        if not self.closed:
            arrived = bool(self.queue.available())
            yield from event.fire(self, None if arrived else TIMED_OUT if timeout else NOT_FOUND)
