"""When and how a sentence of [MS-MQQP] can be broken: calls changed, answers changed, calls made besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.planting import Draft, changed
from tests.conforming.queue_manager import LOW_SEVEN
from tests.conforming.transport import CONTEXT_MISMATCH

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conforming.planting import Answering
    from tests.conforming.transport import Call, Reply, Values

START, START2, LOOKUP = "RemoteQMStartReceive", "RemoteQMStartReceive2", "RemoteQMStartReceiveByLookupId"
STARTS: Final = (START, START2, LOOKUP)
BY_PLACE: Final = (START, START2)
OPEN, CLOSE, END = "RemoteQMOpenQueue", "RemoteQMCloseQueue", "RemoteQMEndReceive"
CANCEL, CURSOR, PORT = "RemoteQMCancelReceive", "RemoteQMCloseCursor", "RemoteQMGetQMQMServerPort"
PURGE, VERSION = "RemoteQMPurgeQueue", "RemoteQmGetVersion"
INFINITE: Final = 0xFFFF_FFFF
INFO, ACTION = "R_QMMgmtGetInfo", "R_QMMgmtAction"
WIN32: Final = 5
CROSSING_US: Final = 3_000_000
"""More than packets take to cross."""
NOBODY: Final = "00000000-0000-0000-0000-000000000000"
ODD_STATUS: Final = "0x400E0009"
"""Neither MQ_OK nor a failure."""


def is_new(draft: Draft) -> bool:
    return not draft.server.product.descriptor_differs


def has_message(_: Call, reply: Reply) -> bool:
    return "message" in reply


def received(call: Call, reply: Reply) -> bool:
    return has_message(call, reply) and "RECEIVE" in str(call.values["ulAction"])


def peeked(call: Call, reply: Reply) -> bool:
    return has_message(call, reply) and "PEEK" in str(call.values["ulAction"])


def succeeded(_: Call, reply: Reply) -> bool:
    return reply.get("status", 0) == 0 and "fault" not in reply


def failed(call: Call, reply: Reply) -> bool:
    return not succeeded(call, reply)


def done(call: Call, *operations: str) -> bool:
    """One of these, and it succeeded."""
    return call.operation in operations and call.reply is not None and succeeded(call, call.reply)


def opened_before(operation: str) -> Callable[[Draft], bool]:
    """The client has opened something in the same association."""
    return lambda draft: any(
        one.operation == operation and one.connection.association is draft.connection.association
        for one in draft.server.world.history
    )


def still_waiting(draft: Draft, *operations: str) -> list[Call]:
    """Reads of the same association that wait for longer than a moment."""
    return [
        call
        for connection in draft.connection.association.connections
        for call in connection.calls
        if call.operation in operations and not call.over and call.values.get("ulTimeout", 0) not in (0, 200)
    ]


def instead(*operations: str, values: Reply, where: Callable[[Call, Reply], bool] = lambda *_: True) -> Answering:
    """The answer is this, and nothing of the one that was to be given."""
    return lambda call, reply: values if call.operation in operations and where(call, reply) else None


def handle_kept(name: str, *operations: str) -> Answering:
    """A handle that was closed comes back."""
    return lambda call, reply: (
        {**reply, name: call.values[name]} if call.operation in operations and succeeded(call, reply) else None
    )


def pending_id(draft: Draft) -> Draft | None:
    """That of a request on the same queue that still waits."""
    waiting, queue = still_waiting(draft, *BY_PLACE), draft.values.get("hRemoteQueue")
    others = [one.values["dwRequestID"] for one in waiting if one.values["hRemoteQueue"] == queue]
    fits = draft.operation in BY_PLACE and others and draft.server.product.tells_duplicates
    return draft.having(dwRequestID=others[0]) if fits else None


def outlasted(call: Call, asked: str, *starts: str) -> tuple[int, str, Values] | None:
    """Something is asked long after a read should have been over."""
    timeout = int(call.values.get("ulTimeout", 0))
    if call.operation not in starts or not timeout:
        return None
    return (0 if timeout == INFINITE else timeout * 1_000) + 20_000_000, asked, {}


def read_meanwhile(call: Call) -> tuple[int, str, Values] | None:
    """With the number of the one that waits."""
    fits = call.operation in BY_PLACE and call.connection.endpoint.host.product.tells_duplicates
    return (CROSSING_US, call.operation, {**call.values, "ulTimeout": 200}) if fits else None


def ask_meanwhile(call: Call) -> tuple[int, str, Values] | None:
    known = call.connection.endpoint.host.product.version is not None
    return outlasted(call, VERSION, *BY_PLACE) if known else None


def other_numbers(draft: Draft) -> Draft | None:
    """HQueue is what another open was given; servers should ignore it."""
    given = [
        int(one.reply["phQueue"])
        for one in draft.server.world.history
        if one.reply and "phQueue" in one.reply and one.connection.endpoint.host is draft.server
    ]
    others = [one for one in given if one != draft.values.get("hQueue")]
    return draft.having(hQueue=others[-1]) if draft.operation == OPEN and others and is_new(draft) else None


def old_start(draft: Draft) -> Draft | None:
    return draft._replace(operation=START) if draft.operation == START2 else None


def use(call: Call, *operations: str) -> list[Call]:
    """Calls of the same use of a queue before."""
    part = call.part.partition("/")[0]
    history = call.connection.endpoint.host.world.history
    return [one for one in history if one.part.partition("/")[0] == part and one.operation in operations]


def read_again(call: Call) -> tuple[str, Values] | None:
    """After the queue was closed."""
    before = use(call, *BY_PLACE)
    if call.operation != CLOSE or not before:
        return None
    return before[-1].operation, {**before[-1].values, "dwRequestID": 77_777, "ulTimeout": 0}


def use_closed_cursor(call: Call) -> tuple[str, Values] | None:
    before = [one for one in use(call, *BY_PLACE) if one.values.get("hCursor") == call.values.get("hCursor")]
    if call.operation != CURSOR or not before:
        return None
    return before[-1].operation, {**before[-1].values, "dwRequestID": 77_777, "ulTimeout": 0}


def end_again(call: Call) -> tuple[str, Values] | None:
    return (END, call.values) if call.operation == END and call.reply == ENDED else None


def end_session(call: Call) -> tuple[str, Values] | None:
    """With the handle of the opened queue."""
    opened = [one for one in use(call, OPEN) if one.reply is not None and "phContext" in one.reply]
    if call.operation != END or not opened or opened[-1].reply is None:
        return None
    return END, {"pphContext": opened[-1].reply["phContext"], "dwAck": "RR_ACK"}


def end_nothing(call: Call) -> tuple[str, Values] | None:
    return (END, {"pphContext": "null", "dwAck": "RR_ACK"}) if call.operation == END else None


def cancel_nothing(call: Call) -> tuple[str, Values] | None:
    """At a server whose codes are those of the text and not of note 17."""
    if call.connection.endpoint.host.product.descriptor_differs:
        return None
    if call.operation != END or not use(call, *STARTS):
        return None
    start = use(call, *STARTS)[-1].values
    return CANCEL, {"hQueue": start["hRemoteQueue"], "pQueue": start["dwQueue"], "dwRequestID": 77_777}


def close_unknown_cursor(call: Call) -> tuple[str, Values] | None:
    """One that was closed already."""
    return (CURSOR, call.values) if call.operation == CURSOR else None


ENDED: Final = {"status": 0, "pphContext": "null"}
ELSE: Final = {"status": "MQ_ERROR_ILLEGAL_CURSOR_ACTION"}
"""Another failure than the one demanded."""
DENIED: Final = {"status": "MQ_ERROR_INVALID_HANDLE"}
"""The same, of a server that denies that there is such a thing."""
NULL_DESCRIPTOR: Final = changed(START2, values={"descriptor": "null"})
PEEK_NEXT: Final = changed(*BY_PLACE, values={"ulAction": "PEEK_NEXT", "hCursor": 0}, where=is_new)
OTHER_QUEUE: Final = changed(*BY_PLACE, values={"dwQueue": 0x00FF_0001}, where=is_new)
LATE_LOOKUP: Final = changed(LOOKUP, values={"ulTimeout": 1_000})
ZERO_OPEN: Final = changed(OPEN, values={"pQueue": 0})
UNEQUAL_OPEN: Final = changed(
    OPEN, values={"pQueue": 0x00FF_0001}, where=lambda draft: draft.server.product.compares_context
)
BAD_PORT: Final = changed(PORT, values={"dwPortType": 9})


def neighbour(call: Call, reply: Reply) -> Reply | None:
    """The very message that LookupId names."""
    action, wanted = str(call.values.get("ulAction", "")), int(call.values.get("LookupId", 0))
    if call.operation != LOOKUP or "message" not in reply or "CURRENT" in action or wanted in (0, (1 << 64) - 1):
        return None
    number = wanted & LOW_SEVEN
    return {**reply, "SequentialId": number, "message": f"100/{number}"}


HANDLE_ACCEPTED: Final = instead(CLOSE, values={"pphContext": "null"}, where=lambda _, reply: reply == CONTEXT_MISMATCH)
"""Of an association that is over."""
ENDED_AGAIN: Final = instead(END, values={"pphContext": "null"}, where=lambda _, reply: reply == CONTEXT_MISMATCH)
"""What was ended before."""


def besides(*rule_ids: str) -> frozenset[str]:
    return frozenset(rule_ids)
