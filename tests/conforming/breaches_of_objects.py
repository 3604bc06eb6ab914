"""What servers of MSMQ's objects take, tell and hand out against the document, rule by rule: [MC-MQAC]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.com_server import ComServer
from tests.conforming.mqac_event import CONTAINER
from tests.conforming.mqac_management import ASKED_OF_QUEUE
from tests.conforming.mqac_message import MessageObject
from tests.conforming.mqac_script import WATCH
from tests.conforming.planting_objects import (
    DONE,
    answered,
    asked,
    breach,
    failed,
    instead,
    said,
    taken,
    then,
)
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conforming.com_server import Served
    from tests.conforming.planting import Answering, Breach, Draft
    from tests.conforming.transport import Call, Reply

_UNINITIALIZED: Final[Reply] = {"status": "MQ_ERROR_UNINITIALIZED_OBJECT"}
_ODD: Final[Reply] = {"status": "0x800401F0"}
_WITH_STATE: Final = ("get_State", "Pause", "Resume", "EodResend")
_WITH_JOURNAL: Final = ("get_JournalMessageCount", "get_BytesInJournal")


def _server(call: Call) -> ComServer:
    services = call.connection.endpoint.services.values()
    return next(one for one in services if isinstance(one, ComServer))


def _served(call: Call) -> Served | None:
    return _server(call).find(call.values["object"])


def _of_revision(*members: str) -> Answering:
    """Handed out by an interface of another revision than was called."""

    def other(call: Call, reply: Reply) -> Reply | None:
        late = names.is_late(call)
        given = str(reply.get("gives", "null"))
        if late or given in ("null", "[null]"):
            return None
        known = _server(call).objects[given.strip("[]")]
        wrong = names.interface(known.served.cls, 1 if names.revision(call.operation) != 1 else 2)
        return {**reply, "iid": wrong}

    return answered(members, other)


def _handed_out(rule_id: str, errand: str, *members: str) -> Breach:
    """Clients that go on with what they were given call by an interface that nobody granted."""
    also = frozenset(("dcom-bound-interface",))
    return breach(rule_id, errand=errand, answer=_of_revision(*members), besides=also)


def _uninitialized(_: Call, reply: Reply) -> Reply | None:
    return _UNINITIALIZED if "result" in reply else None


def _location(call: Call, reply: Reply) -> Reply | None:
    """The other one. Scripts do not ask for interfaces that only one kind has."""
    if "result" not in reply or names.is_late(call):
        return None
    return {"result": v.FALSE if reply["result"] == v.TRUE else v.TRUE}


def _location_if(told: str) -> Callable[[Call, Reply], Reply | None]:
    return lambda call, reply: _location(call, reply) if reply.get("result") == told else None


def _location_after(call: Call, reply: Reply) -> Reply | None:
    """Of an object that had answered as what it is."""
    served, history = _served(call), _server(call).world.history
    proper = [one for one in history if names.member(one.operation) in (*_WITH_STATE, *_WITH_JOURNAL)]
    known = any(one.reply is not None and "result" in one.reply and _same(one, served) for one in proper)
    return _location(call, reply) if known else None


def _same(call: Call, served: Served | None) -> bool:
    return served is not None and _served(call) is served


def _unwanted(reply: Callable[[Call], Reply]) -> Callable[[Call, Reply], Reply | None]:
    """Of a message that was read without it."""

    def change(call: Call, was: Reply) -> Reply | None:
        served = _served(call)
        empty = was.get("status", 0) == 0 and was.get("result", '""') == '""' and "gives" not in was
        return reply(call) if empty and isinstance(served, MessageObject) and served.read is not None else None

    return change


def _a_queue(call: Call) -> Reply:
    server = _server(call)
    return server.hand_out(call, server.described(server.manager.queues[0]))


def _a_result(call: Call, reply: Reply) -> Reply | None:
    """Behind the end."""
    before = [one for one in _server(call).world.history if one.values.get("object") == call.values["object"]]
    ended = any(one.reply == DONE and names.member(one.operation) == "Next" for one in before if one is not call)
    return _a_queue(call) if reply == DONE and ended else None


def _same_cookie(_: Call, reply: Reply) -> Reply | None:
    return {"pdwCookie": 1} if int(reply.get("pdwCookie", 1)) > 1 else None


def _with_cookie(_: Call, reply: Reply) -> Reply | None:
    return {**reply, "pdwCookie": 7} if reply.get("status") == "0x80040202" else None


def _gone(_: Call, reply: Reply) -> Reply | None:
    return DONE if reply.get("status") == "MQ_ERROR_MESSAGE_ALREADY_RECEIVED" else None


def _cleared(call: Call, reply: Reply) -> Reply | None:
    """It tells a format name though a path name was put."""
    told = reply.get("result") == '""' and "QueueInfo" in call.operation
    return {"result": text("DIRECT=OS:elsewhere\\private$\\other")} if told else None


def _not_destination(call: Call, reply: Reply) -> Reply | None:
    return {"result": 0} if "Destination" in call.operation and reply.get("result") == -1 else None


def _unnamed_destination(draft: Draft) -> Draft | None:
    is_one = draft.operation.startswith("IMSMQDestination.")
    return instead("put_FormatName", "get_IsOpen", {})(draft) if is_one else None


def _activated(draft: Draft) -> Draft | None:
    """Instead of the class that has it."""
    if draft.values.get("class") != "MSMQManagement":
        return None
    return draft.having(**{"class": "MSMQQueueManagement", "iids": "[IMSMQQueueManagement]"})


OBJECTS: Final = (
    # answers of any member
    taken("mqac-never-implemented", "unimplemented", "get_Properties", {"result": "null"}),
    breach("mqac-transaction-value", errand="attached", answer=answered(("get_Transaction",), failed(_ODD))),
    # 3.2
    taken("mqac-certificate-remote", "other machine", "RegisterCertificate"),
    taken("mqac-application-local", "other machine", "get_MSMQVersionMajor", {"result": 6}),
    said("mqac-machine-kept", "other machine", "get_Machine", {"result": text("srv0")}),
    taken("mqac-certificate-flags", "certificates", "RegisterCertificate"),
    said("mqac-certificate-kept", "certificates", "RegisterCertificate", {"status": "0x400E000A"}),
    said("mqac-machine-id", "machine", "MachineIdOfMachineName", {"result": text("{far1}")}),
    said("mqac-queue-lists", "machine", "get_PrivateQueues", {"result": 5}),
    said("mqac-directory-server", "machine", "get_DirectoryServiceServer", {"result": text("dc1")}),
    # 3.3 to 3.5
    breach("mqac-management-uninitialized", errand="by both", answer=answered(ASKED_OF_QUEUE, _uninitialized)),
    taken("mqac-management-init-failed", "init in vain", "get_MessageCount", {"result": 3}),
    taken("mqac-management-names", "init of two", "Init"),
    said("mqac-foreign-status", "by both", "get_ForeignStatus", {"result": 77}),
    said("mqac-transactional-status", "by both", "get_TransactionalStatus", {"result": 77}),
    said("mqac-outgoing-state", "by both", "get_State", {"result": 77}),
    breach("mqac-queue-location", errand="by both", answer=answered(("get_IsLocal",), _location_after)),
    breach("mqac-interface-local", errand="by both", answer=answered(("get_IsLocal",), _location_if(v.TRUE))),
    breach("mqac-interface-outgoing", errand="by both", answer=answered(("get_IsLocal",), _location_if(v.FALSE))),
    # 3.6 to 3.9
    taken("mqac-transaction-empty", "empty transaction", "Commit"),
    taken("mqac-abort-arguments", "attached", "Abort"),
    taken("mqac-transaction-attached", "attached", "InitNew"),
    taken("mqac-transaction-source", "no source", "InitNew"),
    _handed_out("mqac-transaction-interface", "attached", "BeginTransaction"),
    # 3.10
    taken("mqac-create-unnamed", "created without a name", "Create", besides=frozenset(("mqac-create-first",))),
    taken("mqac-unnamed-refused", "opened without a name", "Update", besides=frozenset(("mqac-queue-named-first",))),
    breach("mqac-deleted-reset", follow=then("Refresh", "Delete"), answer=answered(("Refresh",), failed(DONE))),
    taken("mqac-refresh-fails", "nameless", "get_Label", {"result": text("orders")}),
    taken("mqac-elements-refused", "several", "Refresh"),
    taken("mqac-elements-send", "several to read", "Open"),
    taken("mqac-path-refused", "no computer", "Refresh"),
    taken("mqac-base-priority-range", "priority", "put_BasePriority"),
    taken("mqac-base-priority-public", "names put", "put_BasePriority"),
    breach("mqac-format-name-cleared", errand="names put", answer=answered(("get_FormatName",), _cleared)),
    taken("mqac-public-only", "names put", "get_PathNameDNS", {"result": text("srv0.example\\orders")}),
    _handed_out("mqac-open-interface", "how opened", "Open"),
    # 3.11
    taken("mqac-queue-blank", "blank queue", "Peek"),
    taken("mqac-receive-access", "receive to peek", "Purge"),
    taken("mqac-peek-access", "peek to send", "Peek"),
    taken("mqac-notification-access", "notified of sending", "EnableNotification"),
    taken("mqac-notification-cursor", "notified at no cursor", "EnableNotification"),
    taken("mqac-notification-event", "no event", "EnableNotification"),
    taken("mqac-lookup-zero", "lookup of zero", "PeekByLookupId"),
    taken("mqac-cursor-reset", "next of reset", "PeekNext"),
    breach(
        "mqac-transaction-refused",
        ask=asked("Receive", {"Transaction": '"none"'}),
        answer=answered(("Receive",), failed(DONE)),
        besides=frozenset(("mqac-transaction-argument",)),
    ),
    said("mqac-share-told", "how opened", "get_ShareMode", {"result": 1}),
    breach("mqac-timeout-kept", errand="patient", omit="patience"),
    breach(
        "mqac-body-wanted",
        errand="looked at",
        answer=answered(("get_Body",), _unwanted(lambda _: {"result": text("secret")})),
    ),
    breach(
        "mqac-destination-wanted",
        errand="looked at",
        answer=answered(("get_DestinationQueueInfo",), _unwanted(_a_queue)),
    ),
    breach(
        "mqac-connector-wanted",
        errand="looked at",
        answer=answered(
            ("get_ConnectorTypeGuid",),
            _unwanted(lambda _: {"result": text("{8f2d1c44-2d6b-4f0a-9a55-1d2c3b4a5968}")}),
        ),
    ),
    breach("mqac-received-gone", errand="received twice", omit="removal"),
    breach(
        "mqac-current-received",
        errand="gone at the cursor",
        answer=answered(("PeekCurrent",), _gone),
    ),
    breach("mqac-exclusive-kept", errand="alone with it", omit="exclusion"),
    _handed_out("mqac-message-interface", "looked at", "Peek"),
    # 3.12
    breach("mqac-destination-is-open", errand="destination", answer=answered(("get_IsOpen",), _not_destination)),
    # 3.13 to 3.15
    _handed_out("mqac-query-interface", "queried", "LookupQueue"),
    _handed_out("mqac-next-interface", "queried", "Next"),
    taken("mqac-results-made", "results of nothing", "Reset"),
    said("mqac-query-usable", "queried", "Reset", {"status": "MQ_ERROR_INVALID_HANDLE"}),
    breach("mqac-results-end", errand="queried", answer=answered(("Next",), _a_result)),
    taken("mqac-collection-key", "collection", "Item", {"result": 5}),
    said("mqac-collection-count", "collection", "get_Count", {"result": 2}),
    # 3.16
    taken("mqac-connection-point", "events", "FindConnectionPoint", {"gives": "[P]"}),
    said("mqac-connection-interface", "events", "GetConnectionInterface", {"pIID": CONTAINER}),
    taken("mqac-advise-sink", "events", "Advise", {"pdwCookie": 9}),
    breach("mqac-called-back", errand=WATCH, omit="counting"),
    breach("mqac-advise-refused", errand="events", answer=answered(("Advise",), _with_cookie)),
    breach("mqac-advise-cookie", errand=WATCH, answer=answered(("Advise",), _same_cookie)),
    # 3.17
    *(
        taken(f"mqac-{name}-value", "values", f"put_{member}")
        for name, member in (
            ("privacy", "PrivLevel"),
            ("authentication", "AuthLevel"),
            ("delivery", "Delivery"),
            ("trace", "Trace"),
            ("priority", "Priority"),
            ("journal", "Journal"),
            ("acknowledgement", "Ack"),
        )
    ),
    taken("mqac-label-length", "values", "put_Label"),
    taken("mqac-body-type", "values", "put_Body"),
    breach(
        "mqac-connector-value",
        errand="kept",
        ask=asked("put_ConnectorTypeGuid", {"bstrGuidConnectorType": text("somebody")}),
        answer=answered(("put_ConnectorTypeGuid",), failed(DONE)),
        besides=frozenset(("mqac-connector-form",)),
    ),
    said("mqac-connector-told", "kept", "get_ConnectorTypeGuid", {"result": text("somebody")}),
    said("mqac-message-kept", "kept", "get_Priority", {"result": 1}),
    said("mqac-transaction-id", "looked at", "get_TransactionId", {"result": v.octets(bytes(4))}),
    _handed_out("mqac-message-queue-interface", "looked at", "get_DestinationQueueInfo"),
    taken("mqac-send-destination", "to nobody", "Send"),
    taken("mqac-send-connector", "as connector", "Send"),
    taken("mqac-send-provider", "half a provider", "Send"),
    taken("mqac-send-transaction", "in no transaction", "Send"),
    taken("mqac-send-open", "to peek", "Send"),
    said("mqac-sent-times", "timed", "get_MaxTimeToReceive", {"result": 60}),
    # by clients
    breach("mqac-argument-omitted", ask=asked("Create", {"IsTransactional": "[10, 0x80020005]"})),
    breach("mqac-destination-named-first", ask=_unnamed_destination),
    breach(
        "mqac-connector-form",
        errand="kept",
        ask=asked("put_ConnectorTypeGuid", {"bstrGuidConnectorType": text("somebody")}),
    ),
    breach("mqac-management-by-query", errand="by both", ask=_activated),
)
