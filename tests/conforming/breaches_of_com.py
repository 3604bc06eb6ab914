"""What clients and servers of objects do wrong beneath their members, rule by rule: [MS-DCOM], [MS-OAUT]."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import com_names as names
from tests.conforming.planting_objects import answered, breach
from tests.conforming.stage import text

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from tests.conforming.conversation import Conversation
    from tests.conforming.planting import Asking, Breach, Draft, Following
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call, Reply, Values

_ACTIVATION: Final = ("RemoteCreateInstance",)
_OF_MEMBERS: Final = "the calls of members"
_TEXTS: Final = '[0x2008, ["a"]]'


def _asked(operation: str, where: Callable[[Values], bool] = lambda _: True, **values: Value) -> Asking:
    """`operation`: of which calls, or _OF_MEMBERS."""

    def ask(draft: Draft) -> Draft | None:
        fits = "." in draft.operation if operation == _OF_MEMBERS else draft.operation == operation
        return draft.having(**values) if fits and where(draft.values) else None

    return ask


def _said(operations: Collection[str], has: str = "", **values: Value) -> Callable[[Call, Reply], Reply | None]:
    """Beside what is so: `has`, which must be there."""

    def change(call: Call, reply: Reply) -> Reply | None:
        fits = call.operation in operations and "fault" not in reply and reply.get("status", 0) in (0, 1)
        return {**reply, **values} if fits and (not has or reply.get(has) not in (None, "[null]", "null")) else None

    return change


def _given_by(member: str, **values: Value) -> Callable[[Call, Reply], Reply | None]:
    """The object that this member hands out, by its own number."""

    def change(call: Call, reply: Reply) -> Reply | None:
        given = reply.get("gives") not in (None, "null", "[null]") and not names.is_late(call)
        return {**reply, **values} if given else None

    return answered((member,), change)


def _invoked(rule_id: str, answer: Reply | None = None, **values: Value) -> Breach:
    """An Invoke that no script of this model makes, and what the server says to it."""

    def follow(call: Call) -> tuple[str, Values] | None:
        fits = "." in call.operation and names.is_late(call) and call.reply is not None and "fault" not in call.reply
        return ("Invoke", {"object": call.values["object"], "dispIdMember": 4_711, **values}) if fits else None

    if answer is None:
        return breach(rule_id, follow=follow)
    return breach(rule_id, follow=follow, answer=lambda call, _: answer if call.operation == "Invoke" else None)


def _after(operation: str, **values: Value) -> Following:
    def follow(call: Call) -> tuple[str, Values] | None:
        fits = "." in call.operation and names.is_late(call) and call.reply is not None and "fault" not in call.reply
        return (operation, {"object": call.values["object"], **values}) if fits else None

    return follow


def _local_use(draft: Draft) -> Draft | None:
    if "." not in draft.operation:
        return None
    return draft._replace(operation="opnum", values={"number": 1, "object": draft.values["object"]})


def _released(call: Call) -> tuple[str, Values] | None:
    """What was said to it last, once more."""
    if call.operation != "RemRelease":
        return None
    refs = str(call.values["refs"])
    for one in reversed(call.connection.endpoint.host.world.history):
        if "." in one.operation and f"[{one.values['object']}, 5]" in refs and one.connection.usable:
            return one.operation, one.values
    return None


def _was_done(talk: Conversation) -> bool:
    """What had flags. Some of it fails for another reason."""
    answers = (one.reply for one in talk.calls if one.values.get("flags"))
    return any(one is not None and "fault" not in one and one.get("status", 0) == 0 for one in answers)


_CLIENTS: Final = (
    breach("dcom-interface-version", omit="version"),
    breach(
        "dcom-orpcthis-flags",
        ask=_asked(_OF_MEMBERS, flags=1),
        answer=lambda *_: {"fault": "0x80010111"},
    ),
    breach("dcom-local-opnums", ask=_local_use),
    breach(
        "dcom-version-negotiated",
        ask=_asked(_OF_MEMBERS, MinorVersion=9),
        answer=lambda *_: {"fault": "0x80010110"},
    ),
    breach("dcom-bound-interface", follow=_after("CreateInstance")),
    breach("dcom-released-called", follow=_released, later_us=130_000_000),
    breach("dcom-references-asked", omit="references"),
    breach("dcom-ping-set-begins", ask=_asked("ComplexPing", lambda said: said["pSetId"] == 0, SequenceNum=0)),
    breach("dcom-ping-sequence", ask=_asked("ComplexPing", lambda said: said["pSetId"] != 0, SequenceNum=1)),
    breach("dcom-simple-ping-set", ask=_asked("SimplePing", pSetId=0)),
    breach("dcom-activation-properties", ask=_asked(*_ACTIVATION, lacks="[ServerLocationInfo]")),
    breach("dcom-activation-sizes", ask=_asked(*_ACTIVATION, total=4_096)),
    breach("dcom-reference-form", ask=_asked(*_ACTIVATION, signature="0x12345678")),
    breach("oaut-riid-null", ask=_asked("GetIDsOfNames", riid=names.DISPATCH)),
    breach("oaut-type-info-index", follow=_after("GetTypeInfo", iTInfo=1)),
    _invoked("oaut-named-arguments", rgvarg='["a"]', rgdispidNamedArgs="[1, 2]"),
    _invoked("oaut-put-named", dwFlags=4, rgvarg='["a"]'),
    _invoked("oaut-by-reference", rgvarg='["a", [0x400C, "b"]]'),
    _invoked("oaut-text-size", rgvarg='["ab"]', cBytes=9),
    _invoked("oaut-array-elements", rgvarg=f"[{_TEXTS}]", fFeatures="0x800"),
)
_SERVERS: Final = (
    breach(
        "dcom-orpcthis-flags-refused",
        ask=_asked(_OF_MEMBERS, flags=1),
        shows=_was_done,
        besides=frozenset(("dcom-orpcthis-flags",)),
    ),
    breach(
        "dcom-version-refused",
        ask=_asked(_OF_MEMBERS, MajorVersion=6),
        besides=frozenset(("dcom-version-negotiated",)),
    ),
    breach("dcom-granted-interface", answer=_said(("RemQueryInterface",), "gives", public=3)),
    breach("dcom-ping-set-number", answer=_said(("ComplexPing",), pSetId=0)),
    breach("dcom-activation-answer-properties", answer=_said(_ACTIVATION, "gives", lacks="[ScmReplyInfo]")),
    breach("dcom-activation-answer-sizes", answer=_said(_ACTIVATION, "gives", total=4_096)),
    breach("dcom-activation-results", answer=_said(_ACTIVATION, "gives", results="[0x80004002]")),
    breach("dcom-answer-reference-form", answer=_given_by("Open", form=3)),
    breach(
        "dcom-reference-interface",
        answer=_said(_ACTIVATION, "gives", iid="IMSMQEvent"),
        besides=frozenset(("dcom-bound-interface",)),
    ),
    breach("dcom-resolver-bindings", answer=_said(("ServerAlive2",), host=text("10.0.0.9[135]"))),
    _invoked("oaut-exception-told", {"status": "0x80020009"}, rgvarg='["a"]'),
    breach(
        "oaut-unknown-name",
        answer=lambda call, _: (
            {"status": "0x80020006", "rgDispId": "[4]"} if call.operation == "GetIDsOfNames" else None
        ),
    ),
    _invoked("oaut-no-result", {"pVarResult": '"x"'}, dwFlags="0x20001"),
    _invoked("oaut-answer-text-size", {"pVarResult": '"ab"', "cBytes": 9}),
    _invoked("oaut-answer-array-elements", {"pVarResult": _TEXTS, "fFeatures": "0x800"}),
)
COM: Final = (*_CLIENTS, *_SERVERS)
