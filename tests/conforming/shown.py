"""Whether what was done wrong shows at all: looked for in conversations that are over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming import occasions_of_remote_read as remote_read
from tests.conforming.occasions import (
    ACTION,
    BY_PLACE,
    CROSSING_US,
    CURSOR,
    END,
    INFO,
    LOOKUP,
    OPEN,
    PURGE,
    START2,
    VERSION,
    done,
    received,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.conforming.conversation import Conversation
    from tests.conforming.stage import Value
    from tests.conforming.transport import Call

    _Both = Callable[[Call, Call], bool]

MINUTE_US: Final = 60_000_000
_RECEIVE_ACCESS, _PEEK_ACCESS, _ALONE = 0x01, 0x20, 1


def _given(talk: Conversation, *starts: str) -> list[Call]:
    """Reads that brought a message."""
    return [one for one in talk.calls if one.operation in starts and one.reply and "message" in one.reply]


def _given_again(given: list[Call], acks: list[Call], ends: _Both, same: _Both) -> bool:
    """A message that was acknowledged; `ends`: whether a call is the end of a read, `same`: two are of one session."""
    return any(
        ends(ack, one) and same(one, other) and (ack.answered_us or 0) < other.asked_us
        for ack in acks
        for one in given
        for other in given
        if one.reply and other.reply and one.reply["message"] == other.reply["message"]
    )


def given_again(talk: Conversation) -> bool:
    """By calls that tell the message's number."""
    acks = [one for one in talk.calls if done(one, END) and one.values["dwAck"] == "RR_ACK"]

    def ends(ack: Call, start: Call) -> bool:
        return start.reply is not None and start.reply["pphContext"] == ack.values["pphContext"]

    def same(one: Call, other: Call) -> bool:
        """The number was not given again meanwhile."""
        queue = one.values["hRemoteQueue"]
        opens = (call.asked_us for call in talk.calls if done(call, OPEN) and call.values["hQueue"] == queue)
        return other.values["hRemoteQueue"] == queue and not any(one.asked_us < at < other.asked_us for at in opens)

    return _given_again(_given(talk, START2, LOOKUP), acks, ends, same)


def given_again_by_handle(talk: Conversation) -> bool:
    """The same in RemoteRead."""
    acks = [one for one in talk.calls if done(one, remote_read.END) and one.values["dwAck"] == "RR_ACK"]

    def ends(ack: Call, start: Call) -> bool:
        same = all(start.values[name] == ack.values[name] for name in ("phContext", "dwRequestId"))
        return same and (start.answered_us or 0) <= ack.asked_us

    return _given_again(
        _given(talk, *remote_read.STARTS),
        acks,
        ends,
        lambda one, other: one.values["phContext"] == other.values["phContext"],
    )


def answered_late(talk: Conversation) -> bool:
    """By more than a minute."""
    return any(
        call.answered_us - call.asked_us > int(call.values["ulTimeout"]) * 1_000 + MINUTE_US
        for call in talk.calls
        if call.operation in (*BY_PLACE, *remote_read.STARTS) and call.answered_us and call.values.get("ulTimeout")
    )


def administered(talk: Conversation) -> bool:
    return any(done(one, INFO, ACTION) for one in talk.calls)


def cursor_left(talk: Conversation) -> bool:
    """One that the server took, and that nobody closed."""
    closed = {(one.values["hQueue"], one.values["hCursor"]) for one in talk.calls if one.operation == CURSOR}
    return any(
        (one.values["hRemoteQueue"], one.values["hCursor"]) not in closed and _took(one)
        for one in talk.calls
        if one.operation in BY_PLACE and one.values.get("hCursor")
    )


def _took(call: Call) -> bool:
    """A read, of which the server may have found nothing."""
    return call.reply is not None and call.reply.get("status", 0) in (0, "MQ_ERROR_IO_TIMEOUT")


def never_asked(talk: Conversation) -> bool:
    """By a client that reads as if it had been told the version."""
    clients = {place.client for place in talk.places}
    calls = [one for one in talk.calls if one.connection.client in clients]
    first = next((number for number, one in enumerate(calls) if one.operation == VERSION), len(calls))
    return any(one.operation == START2 for one in calls[:first])


def taken_twice(talk: Conversation) -> bool:
    """A read waits to its end although another one took its number meanwhile."""
    reads = [one for one in talk.calls if one.operation in BY_PLACE and one.reply and one.answered_us]
    return any(
        one.connection is other.connection
        and one.values["dwRequestID"] == other.values["dwRequestID"]
        and one.asked_us + CROSSING_US <= other.asked_us
        and (one.answered_us or 0) > (other.answered_us or 0) + CROSSING_US
        and _took(one)
        and _took(other)
        for one in reads
        for other in reads
    )


def kept_by_purge(talk: Conversation) -> bool:
    """By calls that tell the message's number; of the queue that was purged."""
    given = _given(talk, START2, LOOKUP)
    queues = {one.values["hQueue"] for one in talk.calls if done(one, PURGE)}
    return any(
        given_after(talk, PURGE, [one for one in given if one.values["hRemoteQueue"] == queue]) for queue in queues
    )


def given_after(talk: Conversation, purge: str, given: Sequence[Call]) -> bool:
    """A message is given before a purge and long after it."""
    purges = [one for one in talk.calls if done(one, purge)]
    return any(
        (one.answered_us or 0) < purge.asked_us and other.asked_us > (purge.answered_us or 0) + CROSSING_US
        for purge in purges
        for one in given
        for other in given
        if one.reply and other.reply and one.reply["message"] == other.reply["message"]
    )


def moved(talk: Conversation) -> bool:
    """To a queue that has nothing to do with that of the message."""
    return any(done(one, remote_read.MOVE) for one in talk.calls)


def not_moved(talk: Conversation) -> bool:
    return any(
        one.operation == remote_read.MOVE and one.reply == {"status": "STATUS_INVALID_PARAMETER"} for one in talk.calls
    )


def left_in_hand(talk: Conversation) -> bool:
    """A message that was received, and neither ended nor cancelled."""
    over = {
        (one.values["phContext"], one.values["dwRequestId"])
        for one in talk.calls
        if one.operation in (*remote_read.ENDS, remote_read.CANCEL)
    }
    return any(
        received(one, one.reply) and (one.values["phContext"], one.values["dwRequestId"]) not in over
        for one in talk.calls
        if one.operation in remote_read.STARTS and one.reply
    )


def _handles(talk: Conversation, **values: int) -> set[Value]:
    """Of queues that were opened so."""
    return {
        one.reply["pphContext"]
        for one in talk.calls
        if done(one, remote_read.OPEN) and one.reply and values.items() <= one.values.items()
    }


def received_though_peeking(talk: Conversation) -> bool:
    """By a handle that was given for peeks."""
    peeking = _handles(talk, dwAccess=_PEEK_ACCESS)
    return any(
        received(one, one.reply) and one.values["phContext"] in peeking
        for one in talk.calls
        if one.operation == remote_read.START and one.reply
    )


def kept_from_one(talk: Conversation) -> bool:
    """By a purge of somebody who has the queue alone."""
    given = _given(talk, *remote_read.STARTS)
    return any(
        given_after(talk, remote_read.PURGE, [one for one in given if one.values["phContext"] == handle])
        for handle in _handles(talk, dwShareMode=_ALONE)
    )


def let_in(talk: Conversation) -> bool:
    """Two have a queue open by its identifier, one of them alone, and the first closes it later."""
    opens = [one for one in talk.calls if done(one, remote_read.OPEN) and "PRIVATE=" in str(one.values["queue"])]
    closes = [one for one in talk.calls if done(one, remote_read.CLOSE)]
    return any(
        _lets_in(first, then, closed)
        for first in opens
        for then in opens
        for closed in closes
        if first.reply and closed.values["pphContext"] == first.reply["pphContext"]
        if closed.connection.association is first.connection.association
    )


def _lets_in(first: Call, then: Call, closed: Call) -> bool:
    same = first.values["queue"] == then.values["queue"]
    both_receive = {first.values["dwAccess"], then.values["dwAccess"]} == {_RECEIVE_ACCESS}
    alone = _ALONE in (first.values["dwShareMode"], then.values["dwShareMode"])
    apart = min(then.asked_us - (first.answered_us or 0), closed.asked_us - (then.answered_us or 0))
    return same and both_receive and alone and apart > CROSSING_US
