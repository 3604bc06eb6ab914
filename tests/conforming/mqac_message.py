"""MSMQMessage: [MC-MQAC] 3.17. One that was read, or one to be sent."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.conforming import mqac_values as v
from tests.conforming.com_server import Served
from tests.conforming.mqac_transaction import TransactionObject
from tests.conforming.queue_manager import LOCKED
from tests.conforming.stage import text
from tests.conforming.truth import Send

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from tests.conforming.com_server import ComServer
    from tests.conforming.queue_manager import Message, Queue
    from tests.conforming.schedule import Until
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Reply
    from tests.conforming.truth import Read, Session

    Handling = Generator[Until | None, None, Reply]

PUTS: Final = {
    "Label": "bstrLabel",
    "Body": "varBody",
    "Priority": "lPriority",
    "Delivery": "lDelivery",
    "AppSpecific": "lAppSpecific",
    "Ack": "lAck",
    "Journal": "lJournal",
}
_GETS: Final = {
    "Label": "pbstrLabel",
    "Priority": "plPriority",
    "Delivery": "plDelivery",
    "AppSpecific": "plAppSpecific",
    "Class": "plClass",
}
_USUAL: Final[dict[str, Value]] = {"Label": '"order"', "Priority": 3, "Delivery": 0, "AppSpecific": 0, "Class": 0}
_USAGE: Final = {"status": "MQ_ERROR_TRANSACTION_USAGE"}


class Target(NamedTuple):
    """Where a message can be sent to."""

    queue: Queue | None
    told: Session | None
    refused: str = ""


class Addressed(Served):
    @abstractmethod
    def target(self) -> Target: ...


class MessageObject(Served):
    """`read`: which gave it; None: the client made it itself."""

    def __init__(
        self, server: ComServer, message: Message | None = None, read: Read | None = None, *, has_body: bool = True
    ) -> None:
        super().__init__("MSMQMessage")
        self.server, self.message, self.read, self.has_body = server, message, read, has_body
        self.put: dict[str, Value] = {}
        self.sent_as: Message | None = None
        puts: dict[str, Callable[[Call], Handling]] = {f"put_{name}": self._put(name) for name in PUTS}
        self.members = {
            **puts,
            **{f"get_{name}": self._get(name) for name in _GETS},
            "get_Body": self.get_body,
            "get_BodyLength": self.get_length,
            "get_Id": self.get_id,
            "get_LookupId": self.get_lookup_id,
            "Send": self.send,
        }

    def _put(self, name: str) -> Callable[[Call], Handling]:
        def put(call: Call) -> Handling:
            yield None
            self.put[name] = call.values[PUTS[name]]
            return {"status": 0}

        return put

    def _get(self, name: str) -> Callable[[Call], Handling]:
        def get(_: Call) -> Handling:
            yield None
            usual = _USUAL[name] if self.message is not None or name != "Label" else text("")
            told = self.message.told if self.message is not None else {}
            return {"result": self.put.get(name, told.get(name, usual))}

        return get

    def get_body(self, call: Call) -> Handling:
        """3.17.4.1.21: nothing where the read did not want it."""
        yield None
        if "Body" in self.put:
            return {"result": self.put["Body"]}
        if self.message is None or not self.has_body:
            return {"status": 0}
        written, size = v.body(self.message)
        if self.read is not None and not self.read.sealed:
            self.read.fetched = size
            call.if_lost(self._unheard)
        return {"result": written}

    def _unheard(self) -> None:
        if self.read is not None:
            self.read.fetched_unsure = True

    def get_length(self, _: Call) -> Handling:
        yield None
        return {"result": 0 if self.message is None else v.body(self.message)[1]}

    def get_id(self, _: Call) -> Handling:
        yield None
        known = self.message or self.sent_as
        return {"status": 0} if known is None else {"result": v.message_id(self.server.manager, known)}

    def get_lookup_id(self, _: Call) -> Handling:
        yield None
        return {"status": 0} if self.message is None else {"result": text(str(self.message.lookup_id))}

    def send(self, call: Call) -> Handling:
        """3.17.4.1.48."""
        sealed = call.connection.security.auth == "privacy"
        yield None
        found = self.server.find(call.values.get("DestinationQueue"))
        target = found.target() if isinstance(found, Addressed) else Target(None, None, "MQ_ERROR_INVALID_HANDLE")
        send = Send(target.told, call.asked_us, sealed)
        self.server.world.truth.sends.append(send)
        call.if_lost(send.not_heard)
        if target.queue is None or target.refused:
            return {"status": target.refused}
        return self._sent(call, send, target.queue)

    def _sent(self, call: Call, send: Send, queue: Queue) -> Reply:
        value = call.values.get("Transaction")
        unit = self.server.find(value) if v.is_object(value) else None
        in_unit = isinstance(unit, TransactionObject) and unit.usable
        single = value == v.SINGLE
        if (in_unit or single) != queue.transactional or (v.is_object(value) and not in_unit):
            return _USAGE
        message = self.server.manager.deliver(queue)
        if "Body" in self.put:
            message.told |= {"Body": self.put["Body"], "size": v.size(self.put["Body"])}
        message.told |= {name: self.put[name] for name in ("Label", "Priority", "AppSpecific") if name in self.put}
        self.sent_as = message
        if in_unit and isinstance(unit, TransactionObject) and unit.unit is not None:
            unit.unit.send(queue, message, send)
            message.state = LOCKED
            send.came_to("success", "aborted", "rundown", "unknown")
        else:
            send.came_to("success")
        return {"status": 0}
