"""How a supporting server can break a sentence of [MS-MQMP]: answers changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.occasions import use
from tests.conforming.stage import text
from tests.conforming.supported_occasions import (
    CLOSE,
    ENOUGH_US,
    PURGE,
    RECEIVE,
    REMOTE_NAME,
    SEND,
    is_done,
    opened_with,
    was_sent,
)
from tests.conforming.transport import CONTEXT_MISMATCH

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conforming.conversation import Conversation
    from tests.conforming.transport import Call, Reply

_ONE: Final = "100/77777"
"""A message that the queue need not have."""


def found(_: Call, reply: Reply) -> bool:
    return "message" in reply


def refused_with(status: str) -> Callable[[Call, Reply], bool]:
    return lambda _, reply: reply.get("status") == status


def gives_handle(_: Call, reply: Reply) -> bool:
    return "phQueue" in reply


def decided_again(call: Call, reply: Reply) -> Reply | None:
    return {"status": 0, "phIntXact": "null"} if reply == CONTEXT_MISMATCH else None


def given_after_purge(talk: Conversation) -> bool:
    """The message that was peeked at, in the same use of the queue, and not at once."""
    return any(
        one.asked_us > (purge.answered_us or 0) + ENOUGH_US and one.reply["Uniquifier"] == peek.reply["Uniquifier"]
        for purge in talk.calls
        if is_done(purge, PURGE)
        for peek in use(purge, RECEIVE)
        if peek.reply and was_sent(peek.reply) and (peek.answered_us or 0) < purge.asked_us
        for one in use(purge, RECEIVE)
        if one.reply and was_sent(one.reply)
    )


def given_again(call: Call, _: Reply) -> Reply | None:
    """What a receive before took away."""
    before = [one.reply for one in use(call, RECEIVE) if one is not call and one.values["Action"] == "RECEIVE"]
    return next((one for one in reversed(before) if one and was_sent(one)), None)


def relabelled(call: Call, reply: Reply) -> Reply | None:
    """A message that somebody sent by the name by which it is received."""
    if call.operation != RECEIVE or "Uniquifier" not in reply:
        return None
    history = call.connection.endpoint.host.world.history
    sends = [one for one in history if one.operation == SEND and one.reply]
    sent = next((one for one in sends if one.reply and one.reply.get("Uniquifier") == reply["Uniquifier"]), None)
    if sent is None:
        return None
    same = opened_with(call, "queue") == opened_with(sent, "queue")
    return {**reply, "ppTitle": text("something else")} if same and "ppTitle" not in call.values else None


def squeezed(call: Call, reply: Reply) -> Reply | None:
    """A message for which there is no room."""
    fits = call.operation == RECEIVE and reply.get("status") == "MQ_ERROR_BUFFER_OVERFLOW"
    return {"message": f"{reply['pBodySize']}/77777"} if fits else None


def given_though_denied(call: Call, reply: Reply) -> Reply | None:
    return {"message": _ONE} if reply.get("status") == "MQ_ERROR_ACCESS_DENIED" else None


def not_zeroed(call: Call, reply: Reply) -> Reply | None:
    if call.operation != CLOSE or reply.get("status") != 0:
        return None
    return {**reply, "phQueue": call.values["phQueue"]}


def without_authentication(call: Call, _: Reply) -> bool:
    return call.connection.security.auth == "none"


def told_the_path(call: Call, reply: Reply) -> Reply | None:
    return {"lplpRemoteQueueName": text("srv1\\private$\\orders")} if call.operation == REMOTE_NAME else None
