"""What clients and servers of RemoteRead do wrong, rule by rule: [MS-MQRR]."""

from __future__ import annotations

from functools import partial
from typing import Final

from tests.conforming import occasions_of_remote_read as occasions
from tests.conforming import shown
from tests.conforming.casts import MQRR
from tests.conforming.occasions import (
    ELSE,
    NOBODY,
    ODD_STATUS,
    besides,
    failed,
    handle_kept,
    instead,
    opened_before,
    received,
    succeeded,
)
from tests.conforming.occasions_of_remote_read import (
    CLOSE,
    CLOSE_CURSOR,
    CURSOR,
    END,
    ENDS,
    ENLIST,
    FOR_MOVE,
    MOVE,
    OPEN,
    PORT,
    PURGE,
    REJECT,
    START,
    STARTS,
)
from tests.conforming.planting import Breach, answered, changed

_SOMEBODY: Final = "99999999-2222-3333-4444-555555555555"
_TWO_HOURS_US: Final = 7_200_000_000

_breach = partial(Breach, cast=MQRR)

REMOTE_READ: Final = (
    _breach("mqrr-open-modes", ask=changed(OPEN, values={"dwShareMode": 7})),
    _breach("mqrr-client-values", ask=changed(OPEN, values={"pClientId": NOBODY})),
    _breach("mqrr-client-constant", ask=changed(OPEN, values={"pClientId": _SOMEBODY}, where=opened_before(OPEN))),
    _breach("mqrr-queue-format", ask=changed(OPEN, values={"queue": '"MULTICAST=234.1.1.1:80"'})),
    _breach("mqrr-ack-value", ask=changed(*ENDS, values={"dwAck": 3})),
    _breach("mqrr-reject-values", ask=changed(REJECT, values={"usClass": 5})),
    _breach("mqrr-move-values", ask=changed(MOVE, values={"LookupId": 0})),
    _breach("mqrr-enlist-values", ask=changed(ENLIST, values={"transaction": "null"})),
    _breach("mqrr-action-known", ask=changed(*STARTS, values={"ulAction": "0x12345678"})),
    _breach("mqrr-read-values", ask=changed(START, values={"ulTimeout": 5_000}, where=occasions.looks_up)),
    _breach("mqrr-null-handle", follow=occasions.null_handle),
    _breach("mqrr-open-before-use", follow=occasions.create_by_closed),
    _breach("mqrr-handle-kind", follow=occasions.read_by_move_handle),
    _breach("mqrr-access-permits", ask=occasions.receive_though_peeking),
    _breach("mqrr-receive-completed", omit="remote end", shows=shown.left_in_hand, clear=True),
    _breach("mqrr-queue-closed", omit="remote close", clear=True),
    _breach("mqrr-end-fits-start", ask=occasions.end_by_the_other),
    _breach("mqrr-end-outstanding", follow=occasions.end_again),
    _breach("mqrr-cancel-outstanding", follow=occasions.cancel_nothing),
    _breach("mqrr-request-id-unique", ask=occasions.pending_id),
    _breach("mqrr-cursor-of-handle", follow=occasions.close_foreign_cursor),
    _breach("mqrr-cursor-after-close", follow=occasions.use_closed_cursor),
    _breach("mqrr-move-context-known", follow=occasions.move_to_closed),
    _breach("mqrr-opnum-reserved", follow=occasions.call_reserved),
    _breach("mqrr-move-transaction", ask=changed(MOVE, values={"transaction": "T7777"}, where=occasions.moves_plainly)),
    _breach("mqrr-move-related", ask=occasions.move_elsewhere, shows=shown.not_moved),
    _breach("mqrr-enlist-before-use", follow=occasions.move_in_unknown, later_us=_TWO_HOURS_US, clear=True),
    _breach("mqrr-reject-after-receive", omit="remote order", clear=True),
    _breach("mqrr-port-answer", answer=answered(PORT, values={"return_value": 2104})),
    _breach(
        "mqrr-status-kind", answer=answered(*ENDS, CLOSE_CURSOR, PURGE, values={"status": ODD_STATUS}, where=succeeded)
    ),
    _breach(
        "mqrr-no-faults",
        answer=answered(*ENDS, CLOSE_CURSOR, values={"fault": "MQ_ERROR_INVALID_HANDLE"}, where=succeeded),
    ),
    _breach("mqrr-handle-zeroed", answer=handle_kept("pphContext", CLOSE)),
    _breach("mqrr-ack-decides", omit="remote removal", shows=shown.given_again_by_handle),
    _breach("mqrr-message-given", answer=occasions.no_message),
    _breach("mqrr-section-order", answer=occasions.second_section_alone),
    _breach("mqrr-section-sizes", answer=occasions.sizes_differ),
    _breach("mqrr-body-limit", answer=occasions.too_much),
    _breach("mqrr-sequence-id", answer=occasions.another),
    _breach("mqrr-arrive-time", answer=answered(*STARTS, values={"pdwArriveTime": 0}, where=received)),
    _breach(
        "mqrr-error-arguments",
        ask=changed(START, values={"ulTimeout": 5_000}, where=occasions.looks_up),
        answer=answered(START, values=ELSE, where=failed),
        besides=besides("mqrr-read-values"),
    ),
    _breach(
        "mqrr-error-end-unknown",
        follow=occasions.end_nothing,
        answer=answered(END, values=ELSE, where=failed),
        besides=besides("mqrr-end-outstanding"),
    ),
    _breach(
        "mqrr-error-cursor",
        follow=occasions.use_closed_cursor,
        answer=answered(START, values={"status": "STATUS_INVALID_PARAMETER"}, where=failed),
        besides=besides("mqrr-cursor-after-close"),
    ),
    _breach(
        "mqrr-error-access",
        ask=occasions.receive_though_peeking,
        omit="remote access",
        shows=shown.received_though_peeking,
        besides=besides("mqrr-access-permits"),
    ),
    _breach(
        "mqrr-error-move",
        ask=occasions.move_elsewhere,
        omit="remote relation",
        shows=shown.moved,
        besides=besides("mqrr-move-related"),
    ),
    _breach("mqrr-handle-given", answer=answered(OPEN, FOR_MOVE, values={"pphContext": "null"}, where=succeeded)),
    _breach("mqrr-closed-refused", follow=occasions.create_by_closed, answer=instead(CURSOR, values={"phCursor": 77})),
    _breach("mqrr-cancel-ends-start", omit="remote cancel", meanwhile=occasions.ask_meanwhile, clear=True),
    _breach(
        "mqrr-answer-in-time",
        omit="remote timer",
        shows=shown.answered_late,
        meanwhile=occasions.ask_meanwhile,
        clear=True,
    ),
    _breach("mqrr-purged-gone", omit="remote purge", shows=shown.kept_from_one, clear=True),
    _breach("mqrr-exclusive-kept", omit="remote sharing", follow=occasions.open_twice, shows=shown.let_in, clear=True),
)
