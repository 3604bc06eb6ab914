"""MSMQMessage: [MC-MQAC] 3.17. One that was read, or one to be sent."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.conforming import mqac_values as v
from tests.conforming.com_server import Served, never
from tests.conforming.mqac_properties import NULL_GUID, PUTS, TOLD, refused, unsendable
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

_NO_VALUE: Final[Reply] = {"status": 0}
_INVALID_ARGUMENT: Final = {"status": "0x80070057"}
_NO_IDENTIFIER: Final = bytes(20)
_USAGE: Final = {"status": "MQ_ERROR_TRANSACTION_USAGE"}


class Target(NamedTuple):
    """Where a message can be sent to."""

    queue: Queue | None
    told: Session | None
    refused: str = ""


class Wanted(NamedTuple):
    """Of a message, by who read it."""

    body: bool = True
    destination: Queue | None = None
    connector: bool = False


class Addressed(Served):
    @abstractmethod
    def target(self) -> Target: ...


class MessageObject(Served):
    """`read`: which gave it; None: the client made it itself."""

    def __init__(
        self, server: ComServer, message: Message | None = None, read: Read | None = None, wanted: Wanted | None = None
    ) -> None:
        super().__init__("MSMQMessage")
        self.server, self.message, self.read, self.wanted = server, message, read, wanted or Wanted()
        self.put: dict[str, Value] = {}
        self.sent_as: Message | None = None
        puts: dict[str, Callable[[Call], Handling]] = {f"put_{name}": self._put(name) for name in PUTS}
        self.members = {
            **puts,
            **{f"get_{name}": self._get(name) for name in PUTS},
            "get_Body": self.get_body,
            "get_BodyLength": self.get_length,
            "get_ConnectorTypeGuid": self.get_connector,
            "get_DestinationQueueInfo": self.get_destination,
            "get_TransactionId": self.get_transaction_id,
            "get_Class": self.get_class,
            "get_Properties": never,
            "get_Id": self.get_id,
            "get_LookupId": self.get_lookup_id,
            "Send": self.send,
        }

    def _put(self, name: str) -> Callable[[Call], Handling]:
        def put(call: Call) -> Handling:
            yield None
            value = call.values[PUTS[name].argument]
            wrong = refused(name, value)
            if wrong is None:
                self.put[name] = value
            return _NO_VALUE if wrong is None else {"status": wrong}

        return put

    def _get(self, name: str) -> Callable[[Call], Handling]:
        def get(_: Call) -> Handling:
            yield None
            told = self.message.put if self.message is not None and name in TOLD else {}
            usual = text("order") if self.message is not None and name == "Label" else PUTS[name].usual
            return {"result": self.put.get(name, told.get(name, usual))}

        return get

    def get_class(self, _: Call) -> Handling:
        yield None
        return {"result": 0}

    def get_connector(self, _: Call) -> Handling:
        """3.17.4.1.53: none where the read did not want it, and of these messages none that means anything."""
        yield None
        usual = NULL_GUID if self.wanted.connector else text("")
        return {"result": self.put.get("ConnectorTypeGuid", usual)}

    def get_destination(self, call: Call) -> Handling:
        """3.17.4.1.23: nothing where the read did not want it."""
        yield None
        if self.wanted.destination is None:
            return _NO_VALUE
        return self.server.hand_out(call, self.server.described(self.wanted.destination))

    def get_transaction_id(self, _: Call) -> Handling:
        """3.17.4.1.68."""
        yield None
        return {"result": v.octets(_NO_IDENTIFIER)}

    def get_body(self, call: Call) -> Handling:
        """3.17.4.1.21: nothing where the read did not want it."""
        yield None
        if "Body" in self.put:
            return {"result": self.put["Body"]}
        if self.message is None or not self.wanted.body:
            return _NO_VALUE
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
        given = call.values.get("DestinationQueue")
        found = self.server.find(given)
        target = found.target() if isinstance(found, Addressed) else Target(None, None, "MQ_ERROR_INVALID_HANDLE")
        send = Send(target.told, call.asked_us, sealed)
        self.server.world.truth.sends.append(send)
        call.if_lost(send.not_heard)
        if given is None:
            return _INVALID_ARGUMENT
        if (wrong := unsendable(self.put)) is not None:
            return {"status": wrong}
        if target.queue is None or target.refused:
            return {"status": target.refused}
        return self._sent(call, send, target.queue)

    def _sent(self, call: Call, send: Send, queue: Queue) -> Reply:
        value = call.values.get("Transaction")
        unit = self.server.find(value) if v.is_object(value) else None
        in_unit = isinstance(unit, TransactionObject) and unit.usable
        single = value == v.SINGLE
        odd = value is not None and not isinstance(value, int) and not in_unit
        if (in_unit or single) != queue.transactional or odd:
            return _USAGE
        message = self.server.manager.deliver(queue)
        if "Body" in self.put:
            message.body = v.size(self.put["Body"])
        message.put = {name: self.put[name] for name in ("Body", *TOLD) if name in self.put}
        self._raise_times()
        self.sent_as = message
        if in_unit and isinstance(unit, TransactionObject) and unit.unit is not None:
            unit.unit.send(queue, message, send)
            message.state = LOCKED
            send.came_to("success", "aborted", "rundown", "unknown")
        else:
            send.came_to("success")
        return {"status": 0}

    def _raise_times(self) -> None:
        """3.17.4.1.48: who may travel longer than it may be received, may be received as long."""
        reach, receive = (self.put.get(f"MaxTimeTo{name}") for name in ("ReachQueue", "Receive"))
        if isinstance(reach, int) and isinstance(receive, int) and 0 <= receive < reach:
            self.put["MaxTimeToReceive"] = reach
