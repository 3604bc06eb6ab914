"""What clients and servers of RemoteRead do wrong, rule by rule: [MS-MQRR]."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from tests.conforming.casts import MQRR
from tests.conforming.occasions import NOBODY, ODD_STATUS, failed, received, succeeded, use
from tests.conforming.planting import Breach, Draft, answered, changed

if TYPE_CHECKING:
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
_SOMEBODY: Final = "99999999-2222-3333-4444-555555555555"
_ELSE: Final = {"status": "MQ_ERROR_ILLEGAL_CURSOR_ACTION"}


def _second_open(draft: Draft) -> bool:
    return any(
        one.operation == OPEN and one.connection.association is draft.connection.association
        for one in draft.server.world.history
    )


def _looks_up(draft: Draft) -> bool:
    return "LookupId" in draft.values


def _may_only_peek(draft: Draft) -> bool:
    opened = [
        one.values["dwAccess"]
        for one in draft.server.world.history
        if one.operation == OPEN and one.reply and one.reply.get("pphContext") == draft.values.get("phContext")
    ]
    return opened[-1:] == [0x20]


def _receive_though_peeking(draft: Draft) -> Draft | None:
    fits = draft.operation == START and draft.values["ulAction"] == "PEEK_CURRENT" and _may_only_peek(draft)
    return draft.having(ulAction="RECEIVE") if fits else None


def _pending_id(draft: Draft) -> Draft | None:
    others = [
        call.values["dwRequestId"]
        for connection in draft.connection.association.connections
        for call in connection.calls
        if call.operation in STARTS and not call.over and call.values.get("ulTimeout", 0) not in (0, 200)
        if call.values["phContext"] == draft.values.get("phContext")
    ]
    return draft.having(dwRequestId=others[0]) if draft.operation in STARTS and others else None


def _after(operation: str, then: str, **values: str | int) -> object:
    """The call `then` on the handle that was just closed."""

    def follow(call: Call) -> tuple[str, Values] | None:
        if call.operation != operation or call.reply is None or call.reply.get("status", 0) != 0:
            return None
        return then, {"phContext": call.values["pphContext"], **values}

    return follow


def _end_by_the_other(draft: Draft) -> Draft | None:
    if draft.operation != END_IN:
        return None
    return draft._replace(operation=END)


def _close_cursor_again(call: Call) -> tuple[str, Values] | None:
    fits = call.operation == CLOSE_CURSOR and call.reply is not None and call.reply.get("status") == 0
    return (CLOSE_CURSOR, call.values) if fits else None


def _use_closed_cursor(call: Call) -> tuple[str, Values] | None:
    if call.operation != CLOSE_CURSOR or call.reply is None or call.reply.get("status") != 0:
        return None
    cursor = call.values["hCursor"]
    return START, {
        "phContext": call.values["phContext"],
        "hCursor": cursor,
        "ulAction": "PEEK_CURRENT",
        "dwRequestId": 7_777,
    }


def _close_foreign_cursor(call: Call) -> tuple[str, Values] | None:
    fits = call.operation == CURSOR and call.reply is not None and "phCursor" in call.reply
    return (CLOSE_CURSOR, {"phContext": call.values["phContext"], "hCursor": 0x7777}) if fits else None


def _end_again(call: Call) -> tuple[str, Values] | None:
    fits = call.operation in ENDS and call.reply is not None and call.reply.get("status") == 0
    return (call.operation, call.values) if fits else None


def _end_nothing(call: Call) -> tuple[str, Values] | None:
    fits = call.operation == OPEN and call.reply is not None and "pphContext" in call.reply
    return (END, {"phContext": call.reply["pphContext"], "dwAck": "RR_ACK", "dwRequestId": 9_999}) if fits else None  # type: ignore[index]


def _cancel_nothing(call: Call) -> tuple[str, Values] | None:
    fits = call.operation == OPEN and call.reply is not None and "pphContext" in call.reply
    return (CANCEL, {"phContext": call.reply["pphContext"], "dwRequestId": 9_999}) if fits else None  # type: ignore[index]


def _null_handle(call: Call) -> tuple[str, Values] | None:
    return (CURSOR, {"phContext": "null"}) if call.operation == OPEN else None


def _read_by_move_handle(call: Call) -> tuple[str, Values] | None:
    fits = call.operation == FOR_MOVE and call.reply is not None and "pphContext" in call.reply
    return (CURSOR, {"phContext": call.reply["pphContext"]}) if fits else None  # type: ignore[index]


def _move_to_closed(call: Call) -> tuple[str, Values] | None:
    before = use(call, MOVE)
    closes_target = (
        call.operation == CLOSE and before and before[-1].values["phContextFrom"] != call.values["pphContext"]
    )
    return (MOVE, before[-1].values) if closes_target else None


def _sections(call: Call, reply: Reply) -> Reply | None:
    if call.operation not in STARTS or "message" not in reply:
        return None
    kept = {name: value for name, value in reply.items() if name not in ("message", "destination")}
    return {**kept, "ppPacketSections": '[[stBinarySecondSection, 8, "0001020304050607"]]'}


def _sizes(call: Call, reply: Reply) -> Reply | None:
    if call.operation not in STARTS or "message" not in reply:
        return None
    kept = {name: value for name, value in reply.items() if name not in ("message", "destination")}
    return {**kept, "ppPacketSections": '[[stFullPacket, 80, "0001020304050607"]]'}


def _nothing(call: Call, reply: Reply) -> Reply | None:
    if call.operation not in STARTS or "message" not in reply:
        return None
    return {**{name: value for name, value in reply.items() if name != "destination"}, "message": "null"}


def _too_much(call: Call, reply: Reply) -> Reply | None:
    small = int(call.values.get("dwMaxBodySize", 0)) < int(str(reply.get("message", "0/0")).partition("/")[0])
    fits = call.operation in STARTS and "message" in reply and small
    return {**reply, "cut": 0x40_0000} if fits else None


def _another(call: Call, reply: Reply) -> Reply | None:
    fits = call.operation in STARTS and "message" in reply and "CURRENT" in str(call.values["ulAction"])
    return {**reply, "pSequenceId": 0x99_9999} if fits and "LookupId" in call.values else None


def _not_zeroed(call: Call, reply: Reply) -> Reply | None:
    fits = call.operation == CLOSE and reply.get("status") == 0
    return {**reply, "pphContext": call.values["pphContext"]} if fits else None


_breach = partial(Breach, cast=MQRR)

REMOTE_READ: Final = (
    _breach("mqrr-open-modes", ask=changed(OPEN, values={"dwShareMode": 7})),
    _breach("mqrr-client-values", ask=changed(OPEN, values={"pClientId": NOBODY})),
    _breach("mqrr-client-constant", ask=changed(OPEN, values={"pClientId": _SOMEBODY}, where=_second_open)),
    _breach("mqrr-queue-format", ask=changed(OPEN, values={"queue": '"MULTICAST=234.1.1.1:80"'})),
    _breach("mqrr-ack-value", ask=changed(*ENDS, values={"dwAck": 3})),
    _breach("mqrr-reject-values", ask=changed(REJECT, values={"usClass": 5})),
    _breach("mqrr-move-values", ask=changed(MOVE, values={"LookupId": 0})),
    _breach("mqrr-enlist-values", ask=changed(ENLIST, values={"transaction": "null"})),
    _breach("mqrr-action-known", ask=changed(*STARTS, values={"ulAction": "0x12345678"})),
    _breach("mqrr-read-values", ask=changed(START, values={"ulTimeout": 5_000}, where=_looks_up)),
    _breach("mqrr-null-handle", follow=_null_handle),
    _breach("mqrr-open-before-use", follow=_after(CLOSE, CURSOR)),  # type: ignore[arg-type]
    _breach("mqrr-handle-kind", follow=_read_by_move_handle),
    _breach("mqrr-access-permits", ask=_receive_though_peeking),
    _breach("mqrr-receive-completed", omit="remote end"),
    _breach("mqrr-end-fits-start", ask=_end_by_the_other),
    _breach("mqrr-end-outstanding", follow=_end_again),
    _breach("mqrr-cancel-outstanding", follow=_cancel_nothing),
    _breach("mqrr-request-id-unique", ask=_pending_id),
    _breach("mqrr-cursor-of-handle", follow=_close_foreign_cursor),
    _breach("mqrr-cursor-after-close", follow=_use_closed_cursor),
    _breach("mqrr-move-context-known", follow=_move_to_closed),
    _breach("mqrr-port-answer", answer=answered("R_GetServerPort", values={"return_value": 2104})),
    _breach(
        "mqrr-status-kind", answer=answered(*ENDS, CLOSE_CURSOR, PURGE, values={"status": ODD_STATUS}, where=succeeded)
    ),
    _breach(
        "mqrr-no-faults",
        answer=answered(*ENDS, CLOSE_CURSOR, values={"fault": "MQ_ERROR_INVALID_HANDLE"}, where=succeeded),
    ),
    _breach("mqrr-handle-zeroed", answer=_not_zeroed),
    _breach("mqrr-ack-decides", omit="remote removal"),
    _breach("mqrr-message-given", answer=_nothing),
    _breach("mqrr-section-order", answer=_sections),
    _breach("mqrr-section-sizes", answer=_sizes),
    _breach("mqrr-body-limit", answer=_too_much),
    _breach("mqrr-sequence-id", answer=_another),
    _breach("mqrr-arrive-time", answer=answered(*STARTS, values={"pdwArriveTime": 0}, where=received)),
    _breach(
        "mqrr-error-arguments",
        ask=changed(START, values={"ulTimeout": 5_000}, where=_looks_up),
        answer=answered(START, values=_ELSE, where=failed),
        besides=frozenset(("mqrr-read-values",)),
    ),
    _breach(
        "mqrr-error-end-unknown",
        follow=_end_nothing,
        answer=answered(END, values=_ELSE, where=failed),
        besides=frozenset(("mqrr-end-outstanding",)),
    ),
)
_SEALED: Final = "planted, and in every conversation tried undecidable: sealed, crossing, or the capture ended"
NOT_PLANTED: Final = {
    **dict.fromkeys(
        (
            "mqrr-queue-closed",
            "mqrr-enlist-before-use",
            "mqrr-cancel-ends-start",
            "mqrr-purged-gone",
            "mqrr-error-cursor",
        ),
        _SEALED,
    ),
    "mqrr-handle-given": "the model's client would use the null handle, which is a breach of its own",
    "mqrr-opnum-reserved": "no such operation can be asked for by name",
    "mqrr-move-transaction": "only the server knows whether a queue takes transactions",
    "mqrr-closed-refused": "see tests/pipelines/rules/fixtures",
    "mqrr-move-related": "see tests/pipelines/rules/fixtures",
    "mqrr-reject-after-receive": "see tests/pipelines/rules/fixtures",
    "mqrr-answer-in-time": "an answer may have been held up on its way",
    "mqrr-error-access": "see tests/pipelines/rules/fixtures",
    "mqrr-error-move": "see tests/pipelines/rules/fixtures",
    "mqrr-exclusive-kept": "see tests/pipelines/rules/fixtures",
}
