"""When and how a sentence of [MS-MQRR] can be broken: calls changed, answers changed, calls made besides."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conforming.occasions import done, outlasted, still_waiting, use

if TYPE_CHECKING:
    from tests.conforming.planting import Draft
    from tests.conforming.transport import Call, Reply, Values

START, START_IN, END, END_IN = (
    "R_StartReceive",
    "R_StartTransactionalReceive",
    "R_EndReceive",
    "R_EndTransactionalReceive",
)
STARTS: Final = (START, START_IN)
ENDS: Final = (END, END_IN)
OPEN, CLOSE, FOR_MOVE = "R_OpenQueue", "R_CloseQueue", "R_OpenQueueForMove"
CURSOR, CLOSE_CURSOR, CANCEL = "R_CreateCursor", "R_CloseCursor", "R_CancelReceive"
MOVE, REJECT, ENLIST, PURGE = (
    "R_MoveMessage",
    "R_SetUserAcknowledgementClass",
    "R_QMEnlistRemoteTransaction",
    "R_PurgeQueue",
)
PORT: Final = "R_GetServerPort"


def looks_up(draft: Draft) -> bool:
    return "LookupId" in draft.values


def moves_plainly(draft: Draft) -> bool:
    """To a queue that takes no transactions."""
    source = draft.connection.association.handles.get(str(draft.values["phContextFrom"]))
    return source is not None and not source.descriptor.queue.transactional


def _may_only_peek(draft: Draft) -> bool:
    opened = [
        one.values["dwAccess"]
        for one in draft.server.world.history
        if one.operation == OPEN and one.reply and one.reply.get("pphContext") == draft.values.get("phContext")
    ]
    return opened[-1:] == [0x20]


def receive_though_peeking(draft: Draft) -> Draft | None:
    fits = draft.operation == START and draft.values["ulAction"] == "PEEK_CURRENT" and _may_only_peek(draft)
    return draft.having(ulAction="RECEIVE") if fits else None


def pending_id(draft: Draft) -> Draft | None:
    """That of a read on the same handle that still waits."""
    others = [
        call.values["dwRequestId"]
        for call in still_waiting(draft, *STARTS)
        if call.values["phContext"] == draft.values.get("phContext")
    ]
    return draft.having(dwRequestId=others[0]) if draft.operation in STARTS and others else None


def end_by_the_other(draft: Draft) -> Draft | None:
    return draft._replace(operation=END) if draft.operation == END_IN else None


def move_elsewhere(draft: Draft) -> Draft | None:
    """To a subqueue of another queue, where names tell the two apart."""
    opens = [one for one in draft.server.world.history if one.connection.association is draft.connection.association]
    if any("PRIVATE=" in str(one.values.get("queue", "")) for one in opens):
        return None
    names = [one.format_name.removeprefix("DIRECT=") for one in draft.server.queues]
    others = [name for name in names if f"={name};" not in str(draft.values.get("queue", ""))]
    fits = draft.operation == FOR_MOVE and others
    return draft.having(queue=f'"SUBQUEUE={others[0]};rejected"') if fits else None


def open_twice(call: Call) -> tuple[str, Values] | None:
    """A queue that it has alone: that is no breach, for the server refuses it."""
    values = call.values
    fits = done(call, OPEN) and values["dwShareMode"] == values["dwAccess"] == 1 and "PRIVATE=" in str(values["queue"])
    return (OPEN, values) if fits else None


def create_by_closed(call: Call) -> tuple[str, Values] | None:
    """A cursor, with the handle that was just closed."""
    return (CURSOR, {"phContext": call.values["pphContext"]}) if done(call, CLOSE) else None


def use_closed_cursor(call: Call) -> tuple[str, Values] | None:
    read: Values = {"ulAction": "PEEK_CURRENT", "dwRequestId": 7_777}
    return (START, {**call.values, **read}) if done(call, CLOSE_CURSOR) else None


def close_foreign_cursor(call: Call) -> tuple[str, Values] | None:
    return (CLOSE_CURSOR, {"phContext": call.values["phContext"], "hCursor": 0x7777}) if done(call, CURSOR) else None


def end_again(call: Call) -> tuple[str, Values] | None:
    return (call.operation, call.values) if done(call, *ENDS) else None


def _opened(call: Call, *operations: str) -> str | None:
    """The handle that was just given."""
    return str(call.reply["pphContext"]) if done(call, *operations) and call.reply else None


def end_nothing(call: Call) -> tuple[str, Values] | None:
    handle = _opened(call, OPEN)
    return (END, {"phContext": handle, "dwAck": "RR_ACK", "dwRequestId": 9_999}) if handle else None


def cancel_nothing(call: Call) -> tuple[str, Values] | None:
    handle = _opened(call, OPEN)
    return (CANCEL, {"phContext": handle, "dwRequestId": 9_999}) if handle else None


def null_handle(call: Call) -> tuple[str, Values] | None:
    return (CURSOR, {"phContext": "null"}) if call.operation == OPEN else None


def read_by_move_handle(call: Call) -> tuple[str, Values] | None:
    handle = _opened(call, FOR_MOVE)
    return (CURSOR, {"phContext": handle}) if handle else None


def call_reserved(call: Call) -> tuple[str, Values] | None:
    return ("opnum", {"number": 1}) if call.operation == OPEN and call.connection.interfaces == {"RemoteRead"} else None


def move_to_closed(call: Call) -> tuple[str, Values] | None:
    before = use(call, MOVE)
    closes_target = (
        call.operation == CLOSE and before and before[-1].values["phContextFrom"] != call.values["pphContext"]
    )
    return (MOVE, before[-1].values) if closes_target else None


def move_in_unknown(call: Call) -> tuple[str, Values] | None:
    """In a transaction that the server was never told of, and a message that is there."""
    if call.operation != MOVE or call.values["transaction"] == "null":
        return None
    queue = call.context(call.values["phContextFrom"]).descriptor.queue
    known = [one.lookup_id for one in queue.available()]
    return (MOVE, {**call.values, "LookupId": known[-1], "transaction": "T7777"}) if known else None


def ask_meanwhile(call: Call) -> tuple[int, str, Values] | None:
    return outlasted(call, PORT, *STARTS)


def _given(call: Call, reply: Reply) -> bool:
    return call.operation in STARTS and "message" in reply


def _sections(call: Call, reply: Reply, sections: str) -> Reply | None:
    if not _given(call, reply):
        return None
    kept = {name: value for name, value in reply.items() if name not in ("message", "destination")}
    return {**kept, "ppPacketSections": sections}


def second_section_alone(call: Call, reply: Reply) -> Reply | None:
    return _sections(call, reply, '[[stBinarySecondSection, 8, "0001020304050607"]]')


def sizes_differ(call: Call, reply: Reply) -> Reply | None:
    return _sections(call, reply, '[[stFullPacket, 80, "0001020304050607"]]')


def no_message(call: Call, reply: Reply) -> Reply | None:
    if not _given(call, reply):
        return None
    return {**{name: value for name, value in reply.items() if name != "destination"}, "message": "null"}


def too_much(call: Call, reply: Reply) -> Reply | None:
    small = int(call.values.get("dwMaxBodySize", 0)) < int(str(reply.get("message", "0/0")).partition("/")[0])
    return {**reply, "cut": 0x40_0000} if _given(call, reply) and small else None


def another(call: Call, reply: Reply) -> Reply | None:
    fits = _given(call, reply) and "CURRENT" in str(call.values["ulAction"]) and "LookupId" in call.values
    return {**reply, "pSequenceId": 0x99_9999} if fits else None
