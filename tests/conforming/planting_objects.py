"""How breaches of what is done through MSMQ's objects are planted: by member, whatever the revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tests.conforming import com_names as names
from tests.conforming.casts import MQAC
from tests.conforming.planting import Breach

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tests.conforming.planting import Answering, Asking, Draft, Following
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Reply, Values

DONE: Final = {"status": 0}


def answered(members: Collection[str], change: Callable[[Call, Reply], Reply | None]) -> Answering:
    """Answers to these members, whatever the revision."""

    def answer(call: Call, reply: Reply) -> Reply | None:
        return change(call, reply) if names.member(call.operation) in members else None

    return answer


def succeeded(values: Reply) -> Callable[[Call, Reply], Reply | None]:
    return lambda _, reply: values if reply.get("status", 0) == 0 else None


def failed(values: Reply) -> Callable[[Call, Reply], Reply | None]:
    """With that status, which had to be."""
    return lambda _, reply: values if reply.get("status", 0) != 0 else None


def told(number: int) -> Callable[[Call, Reply], Reply | None]:
    return lambda _, reply: {"result": number} if "result" in reply else None


def asked(member: str, values: Values) -> Asking:
    def ask(draft: Draft) -> Draft | None:
        fits = "." in draft.operation and names.member(draft.operation) == member
        return draft.having(**values) if fits else None

    return ask


def instead(member: str, other: str, values: Values) -> Asking:
    """Another member of the same object than the one that had to come first."""

    def ask(draft: Draft) -> Draft | None:
        fits = "." in draft.operation and names.member(draft.operation) == member
        operation = f"{draft.operation.partition('.')[0]}.{other}"
        return (
            draft._replace(operation=operation, values={"object": draft.values["object"], **values}) if fits else None
        )

    return ask


def again(*members: str, object_of: str = "object", **values: Value) -> Following:
    """The same call once more on the object, though that is over."""

    def follow(call: Call) -> tuple[str, Values] | None:
        fits = "." in call.operation and names.member(call.operation) in members and call.reply == DONE
        return (call.operation, {"object": call.values[object_of], **values}) if fits else None

    return follow


def then(member: str, after: str, **values: Value) -> Following:
    """Another member of the same object afterwards."""

    def follow(call: Call) -> tuple[str, Values] | None:
        fits = "." in call.operation and names.member(call.operation) == after and call.reply == DONE
        operation = f"{call.operation.partition('.')[0]}.{member}"
        return (operation, {"object": call.values["object"], **values}) if fits else None

    return follow


def breach(rule_id: str, **how: Any) -> Breach:  # noqa: ANN401 - of Breach
    return Breach(rule_id, cast=MQAC, clear=True, **how)


def taken(rule_id: str, errand: str, member: str, reply: Reply = DONE, **how: Any) -> Breach:  # noqa: ANN401 - likewise
    """What had to be refused is not."""
    return breach(rule_id, errand=errand, answer=answered((member,), failed(reply)), **how)


def said(rule_id: str, errand: str, member: str, reply: Reply, **how: Any) -> Breach:  # noqa: ANN401 - likewise
    """Something else than is so."""
    return breach(rule_id, errand=errand, answer=answered((member,), succeeded(reply)), **how)
