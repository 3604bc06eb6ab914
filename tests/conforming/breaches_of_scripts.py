"""What scripts and the servers of their objects do wrong, rule by rule: [MC-MQAC]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.conforming import com_names as names
from tests.conforming import mqac_values as v
from tests.conforming.casts import MQAC
from tests.conforming.planting import Breach

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tests.conforming.conversation import Conversation
    from tests.conforming.planting import Answering, Asking, Draft, Following
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Reply, Values

_DONE: Final = {"status": 0}
_NAMING: Final = ("put_PathName", "put_FormatName")
_OLE: Final = "0x800401F0"
"""An error that nobody asks for."""


def _answered(members: Collection[str], change: Callable[[Call, Reply], Reply | None]) -> Answering:
    """Answers to these members, whatever the revision."""

    def answer(call: Call, reply: Reply) -> Reply | None:
        fits = "." in call.operation and names.member(call.operation) in members
        return change(call, reply) if fits else None

    return answer


def _succeeded(values: Reply) -> Callable[[Call, Reply], Reply | None]:
    return lambda _, reply: values if reply.get("status", 0) == 0 else None


def _failed(values: Reply) -> Callable[[Call, Reply], Reply | None]:
    """With that status, which had to be."""
    return lambda _, reply: values if reply.get("status", 0) != 0 else None


def _told(number: int) -> Callable[[Call, Reply], Reply | None]:
    return lambda _, reply: {"result": number} if "result" in reply else None


def _asked(member: str, values: Values) -> Asking:
    def ask(draft: Draft) -> Draft | None:
        fits = "." in draft.operation and names.member(draft.operation) == member
        return draft.having(**values) if fits else None

    return ask


def _instead(member: str, other: str, values: Values) -> Asking:
    """Another member of the same object than the one that had to come first."""

    def ask(draft: Draft) -> Draft | None:
        fits = "." in draft.operation and names.member(draft.operation) == member
        operation = f"{draft.operation.partition('.')[0]}.{other}"
        return (
            draft._replace(operation=operation, values={"object": draft.values["object"], **values}) if fits else None
        )

    return ask


def _used(*members: str) -> Callable[[Conversation], bool]:
    """An object of which nothing had been said was used so."""

    def shows(talk: Conversation) -> bool:
        calls = [one for one in talk.calls if "." in one.operation and one.reply is not None]
        named = {one.values["object"] for one in calls if names.member(one.operation) in _NAMING}
        used = [one for one in calls if names.member(one.operation) in members and one.values["object"] not in named]
        return any("QueueInfo" in one.operation for one in used)

    return shows


def _again(*members: str, object_of: str = "object", **values: Value) -> Following:
    """The same call once more on the object, though that is over."""

    def follow(call: Call) -> tuple[str, Values] | None:
        fits = "." in call.operation and names.member(call.operation) in members and call.reply == _DONE
        return (call.operation, {"object": call.values[object_of], **values}) if fits else None

    return follow


def _then(member: str, after: str, **values: Value) -> Following:
    """Another member of the same object afterwards."""

    def follow(call: Call) -> tuple[str, Values] | None:
        fits = "." in call.operation and names.member(call.operation) == after and call.reply == _DONE
        operation = f"{call.operation.partition('.')[0]}.{member}"
        return (operation, {"object": call.values["object"], **values}) if fits else None

    return follow


def _breach(rule_id: str, **how: Any) -> Breach:  # noqa: ANN401 - of Breach
    return Breach(rule_id, cast=MQAC, clear=True, **how)


def _is_zero(call: Call, reply: Reply) -> Reply | None:
    """A read that was not to wait, and found nothing."""
    now = call.values.get("ReceiveTimeout") == 0 and reply.get("status") == "MQ_ERROR_MESSAGE_NOT_FOUND"
    return {"status": "MQ_ERROR_IO_TIMEOUT"} if now else None


def _empty_handed(_: Call, reply: Reply) -> Reply | None:
    """A success without a message."""
    return _DONE if reply.get("status") == "MQ_ERROR_MESSAGE_NOT_FOUND" else None


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

    return _answered(("get_FormatName",), change)


SCRIPTS: Final = (
    _breach("mqac-status-kind", answer=_answered(("Reset", "Close", "Update", "Refresh"), _succeeded({"status": 1}))),
    _breach(
        "mqac-always-succeeds",
        answer=_answered(("put_PathName", "put_Label", "put_Quota"), _succeeded({"status": _OLE})),
    ),
    _breach(
        "mqac-transaction-once", follow=_again("Commit", "Abort"), answer=_answered(("Commit", "Abort"), _failed(_DONE))
    ),
    _breach("mqac-queue-closed", follow=_then("Purge", "Close"), answer=_answered(("Purge",), _failed(_DONE))),
    _breach("mqac-nothing-now", answer=_answered(("Receive", "Peek"), _is_zero)),
    _breach(
        "mqac-lookup-found",
        answer=_answered(("ReceiveFirstByLookupId", "PeekFirstByLookupId", "PeekLastByLookupId"), _empty_handed),
    ),
    _breach("mqac-is-open", follow=_then("get_IsOpen", "Reset"), answer=_answered(("get_IsOpen",), _told(0))),
    _breach("mqac-access-told", follow=_then("get_Access", "Reset"), answer=_answered(("get_Access",), _told(2))),
    _breach("mqac-queue-type", answer=_answered(("get_QueueType",), _told(77))),
    _breach("mqac-management-name", answer=_other_name("IMSMQManagement")),
    _breach("mqac-format-name-kept", answer=_other_name("IMSMQQueueInfo")),
    _breach("mqac-transaction-argument", ask=_asked("Receive", {"Transaction": '"none"'})),
    _breach(
        "mqac-send-shared",
        ask=_asked("Open", {"Access": 2, "ShareMode": 1}),
        answer=_answered(("Open",), _failed(_DONE)),
    ),
    _breach("mqac-priority-value", ask=_asked("put_Priority", {"lPriority": 9})),
    _breach("mqac-sent-identified", answer=_answered(("get_Id",), _succeeded({"result": v.octets(b"\0" * 20)}))),
    _breach(
        "mqac-destination-opened",
        follow=_again("Open"),
        answer=_answered(("Open",), lambda _, reply: _DONE if reply.get("status") == 1 else None),
    ),
    _breach(
        "mqac-destination-closed",
        follow=_again("Close"),
        answer=_answered(("Close",), lambda _, reply: _DONE if reply.get("status") == 1 else None),
    ),
    _breach(
        "mqac-unadvise-cookie",
        follow=lambda call: ("Unadvise", call.values) if call.operation == "Unadvise" and call.reply == _DONE else None,
        answer=lambda call, reply: (
            _DONE if call.operation == "Unadvise" and reply.get("status") not in (0, None) else None
        ),
    ),
    _breach("mqac-commit-arguments", ask=_asked("Commit", {"grfTC": 1}), answer=_answered(("Commit",), _failed(_DONE))),
    _breach(
        "mqac-create-first", ask=_instead("put_PathName", "put_Label", {"bstrLabel": '"x"'}), shows=_used("Create")
    ),
    _breach(
        "mqac-queue-named-first",
        ask=_instead("put_PathName", "put_Label", {"bstrLabel": '"x"'}),
        shows=_used("Open", "Update", "Delete", "Refresh"),
    ),
    _breach("mqac-management-first", ask=_instead("Init", "get_MessageCount", {})),
    _breach("mqac-commit-reserved", ask=_asked("Commit", {"grfRM": 5})),
)
"""Not of every rule: those that these conversations give an occasion for."""
