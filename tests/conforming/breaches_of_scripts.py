"""What scripts and the servers of their objects do wrong, rule by rule: [MC-MQAC]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.planting_objects import (
    DONE,
    again,
    answered,
    asked,
    breach,
    failed,
    instead,
    succeeded,
    then,
    told,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conforming.conversation import Conversation
    from tests.conforming.planting import Answering
    from tests.conforming.transport import Call, Reply

_NAMING: Final = ("put_PathName", "put_FormatName")
_OLE: Final = "0x800401F0"
"""An error that nobody asks for."""


def _used(*members: str) -> Callable[[Conversation], bool]:
    """An object of which nothing had been said was used so."""

    def shows(talk: Conversation) -> bool:
        calls = [one for one in talk.calls if "." in one.operation and one.reply is not None]
        named = {one.values["object"] for one in calls if names.member(one.operation) in _NAMING}
        used = [one for one in calls if names.member(one.operation) in members and one.values["object"] not in named]
        return any("QueueInfo" in one.operation for one in used)

    return shows


def _is_zero(call: Call, reply: Reply) -> Reply | None:
    """A read that was not to wait, and found nothing."""
    now = call.values.get("ReceiveTimeout") == 0 and reply.get("status") == "MQ_ERROR_MESSAGE_NOT_FOUND"
    return {"status": "MQ_ERROR_IO_TIMEOUT"} if now else None


def _empty_handed(_: Call, reply: Reply) -> Reply | None:
    """A success without a message."""
    return DONE if reply.get("status") == "MQ_ERROR_MESSAGE_NOT_FOUND" else None


def _named(call: Call) -> bool:
    """By a format name, which the object then has to tell."""
    history = call.connection.endpoint.host.world.history
    last = [one for one in history if one.values.get("object") == call.values["object"]]
    return any({"FormatName", "bstrFormatName"} & one.values.keys() for one in last)


def _other_name(of: str) -> Answering:
    """Of objects of that interface."""

    def change(call: Call, reply: Reply) -> Reply | None:
        fits = call.operation.startswith(of) and reply.get("result") not in (None, '""') and _named(call)
        return {"result": '"DIRECT=OS:elsewhere\\private$\\other"'} if fits else None

    return answered(("get_FormatName",), change)


def _of_queue_info(call: Call, reply: Reply) -> Reply | None:
    return {"status": _OLE} if reply == DONE and "QueueInfo" in call.operation else None


def _unidentified(call: Call, reply: Reply) -> Reply | None:
    """Of a message that was sent."""
    history = call.connection.endpoint.host.world.history
    own = [one for one in history if one.values.get("object") == call.values["object"]]
    sent = any(names.member(one.operation) == "Send" and one.reply == DONE for one in own)
    return {"result": v.octets(bytes(20))} if sent and "result" in reply else None


SCRIPTS: Final = (
    breach("mqac-status-kind", answer=answered(("Reset", "Close", "Update", "Refresh"), succeeded({"status": 1}))),
    breach(
        "mqac-always-succeeds",
        answer=answered(("put_PathName", "put_FormatName", "put_Quota"), _of_queue_info),
    ),
    breach(
        "mqac-transaction-once", follow=again("Commit", "Abort"), answer=answered(("Commit", "Abort"), failed(DONE))
    ),
    breach("mqac-queue-closed", follow=then("Purge", "Close"), answer=answered(("Purge",), failed(DONE))),
    breach("mqac-nothing-now", answer=answered(("Receive", "Peek"), _is_zero)),
    breach(
        "mqac-lookup-found",
        answer=answered(("ReceiveFirstByLookupId", "PeekFirstByLookupId", "PeekLastByLookupId"), _empty_handed),
    ),
    breach("mqac-is-open", follow=then("get_IsOpen", "Reset"), answer=answered(("get_IsOpen",), told(0))),
    breach("mqac-access-told", follow=then("get_Access", "Reset"), answer=answered(("get_Access",), told(2))),
    breach("mqac-queue-type", answer=answered(("get_QueueType",), told(77))),
    breach("mqac-management-name", answer=_other_name("IMSMQManagement")),
    breach("mqac-format-name-kept", answer=_other_name("IMSMQQueueInfo")),
    breach("mqac-transaction-argument", ask=asked("Receive", {"Transaction": '"none"'})),
    breach(
        "mqac-send-shared",
        ask=asked("Open", {"Access": 2, "ShareMode": 1}),
        answer=answered(("Open",), failed(DONE)),
    ),
    breach("mqac-sent-identified", answer=answered(("get_Id",), _unidentified)),
    breach(
        "mqac-destination-opened",
        follow=again("Open"),
        answer=answered(("Open",), lambda _, reply: DONE if reply.get("status") == 1 else None),
    ),
    breach(
        "mqac-destination-closed",
        follow=again("Close"),
        answer=answered(("Close",), lambda _, reply: DONE if reply.get("status") == 1 else None),
    ),
    breach(
        "mqac-unadvise-cookie",
        follow=lambda call: ("Unadvise", call.values) if call.operation == "Unadvise" and call.reply == DONE else None,
        answer=lambda call, reply: (
            DONE if call.operation == "Unadvise" and reply.get("status") not in (0, None) else None
        ),
    ),
    breach(
        "mqac-commit-arguments",
        errand="attached",
        ask=asked("Commit", {"grfTC": 1}),
        answer=answered(("Commit",), failed(DONE)),
    ),
    breach("mqac-create-first", ask=instead("put_PathName", "put_Label", {"bstrLabel": '"x"'}), shows=_used("Create")),
    breach(
        "mqac-queue-named-first",
        ask=instead("put_PathName", "put_Label", {"bstrLabel": '"x"'}),
        shows=_used("Open", "Update", "Delete", "Refresh"),
    ),
    breach("mqac-management-first", ask=instead("Init", "get_MessageCount", {})),
    breach("mqac-commit-reserved", errand="attached", ask=asked("Commit", {"grfRM": 5})),
)
