"""What servers of qm2qm do wrong, rule by rule: [MS-MQQP]."""

from __future__ import annotations

from typing import Final

from tests.conforming.occasions import (
    BAD_PORT,
    BY_PLACE,
    CANCEL,
    CLOSE,
    CURSOR,
    DENIED,
    ELSE,
    END,
    LATE_LOOKUP,
    LOOKUP,
    NULL_DESCRIPTOR,
    ODD_STATUS,
    OPEN,
    OTHER_QUEUE,
    PEEK_NEXT,
    PORT,
    START2,
    STARTS,
    UNEQUAL_OPEN,
    ZERO_OPEN,
    answered_late,
    besides,
    cancel_nothing,
    close_unknown_cursor,
    end_again,
    end_nothing,
    ended_again,
    failed,
    given_again,
    handle_accepted,
    has_message,
    is_new,
    kept_by_purge,
    neighbour,
    peeked,
    pending_id,
    read_again,
    received,
    succeeded,
    use_closed_cursor,
)
from tests.conforming.planting import Breach, answered, changed

SERVERS: Final = (
    Breach("mqqp-status-kind", answer=answered(END, CLOSE, values={"status": ODD_STATUS}, where=succeeded)),
    Breach("mqqp-read-handle-given", answer=answered(*STARTS, values={"pphContext": "null"}, where=received)),
    Breach("mqqp-read-handle-withheld", answer=answered(*STARTS, values={"pphContext": "RX9"}, where=peeked)),
    Breach("mqqp-open-handle-given", answer=answered(OPEN, values={"phContext": "null"}, where=succeeded)),
    Breach(
        "mqqp-handle-zeroed",
        answer=lambda call, reply: (
            {**reply, "pphContext": call.values["pphContext"]}
            if call.operation in (CLOSE, END) and succeeded(call, reply)
            else None
        ),
    ),
    Breach("mqqp-answer-in-time", omit="timer", shows=answered_late),
    Breach("mqqp-cancel-ends-start", omit="cancel"),
    Breach("mqqp-ack-decides", omit="removal", shows=given_again),
    Breach("mqqp-message-given", answer=answered(*STARTS, values={"message": "null"}, where=has_message)),
    Breach("mqqp-size-matches-buffer", answer=answered(*STARTS, values={"dwSize": 5}, where=has_message)),
    Breach("mqqp-packet-size", answer=answered(*STARTS, values={"packet_size": 5}, where=has_message)),
    Breach(
        "mqqp-sequential-id-range",
        answer=answered(START2, LOOKUP, values={"SequentialId": 1 << 60}, where=has_message),
    ),
    Breach(
        "mqqp-sequential-id-asked",
        answer=answered(
            LOOKUP,
            values={"SequentialId": 0x99_9999},
            where=lambda call, reply: has_message(call, reply) and "CURRENT" in str(call.values["ulAction"]),
        ),
    ),
    Breach("mqqp-arrive-time", answer=answered(*STARTS, values={"dwArriveTime": 0}, where=has_message)),
    Breach(
        "mqqp-port-answer-invalid-type",
        ask=BAD_PORT,
        answer=answered(PORT, values={"return_value": 2105}),
        besides=besides("mqqp-port-type-range"),
    ),
    Breach("mqqp-version-known", answer=answered("RemoteQmGetVersion", values={"pMajor": 9}, where=succeeded)),
    Breach(
        "mqqp-error-null-descriptor",
        ask=NULL_DESCRIPTOR,
        answer=answered(*STARTS, values=ELSE),
        besides=besides("mqqp-descriptor-present"),
    ),
    Breach(
        "mqqp-error-queue-values",
        ask=OTHER_QUEUE,
        answer=answered(*BY_PLACE, values=ELSE),
        besides=besides("mqqp-same-queue-values"),
    ),
    Breach(
        "mqqp-error-peek-next",
        ask=PEEK_NEXT,
        answer=answered(*BY_PLACE, values=ELSE, where=failed),
        besides=besides("mqqp-peek-next-cursor"),
    ),
    Breach(
        "mqqp-error-lookup-values",
        ask=LATE_LOOKUP,
        answer=answered(LOOKUP, values=ELSE),
        besides=besides("mqqp-lookup-timeout-zero"),
    ),
    Breach(
        "mqqp-error-open-values",
        ask=ZERO_OPEN,
        answer=answered(OPEN, values=ELSE, where=failed),
        besides=besides("mqqp-open-numbers"),
    ),
    Breach(
        "mqqp-error-open-unequal",
        ask=UNEQUAL_OPEN,
        answer=answered(OPEN, values=ELSE, where=failed),
        besides=besides("mqqp-open-numbers"),
    ),
    Breach(
        "mqqp-error-null-handle",
        follow=end_nothing,
        answer=answered(END, values=ELSE),
        besides=besides("mqqp-null-handle"),
    ),
    Breach(
        "mqqp-error-duplicate-request",
        ask=pending_id,
        omit="duplicates",
        besides=besides("mqqp-request-id-unique"),
    ),
    Breach(
        "mqqp-error-unknown-cursor",
        follow=use_closed_cursor,
        answer=answered(*BY_PLACE, values=DENIED),
        besides=besides("mqqp-cursor-after-close"),
    ),
    Breach(
        "mqqp-error-not-open",
        follow=read_again,
        answer=answered(*BY_PLACE, values=DENIED),
        besides=besides("mqqp-open-before-use"),
    ),
    Breach(
        "mqqp-error-cancel-unknown",
        follow=cancel_nothing,
        answer=answered(CANCEL, values=ELSE),
    ),
    Breach(
        "mqqp-error-cursor-close",
        follow=close_unknown_cursor,
        answer=answered(CURSOR, values=ELSE, where=failed),
    ),
    Breach(
        "mqqp-error-cancel-values",
        ask=changed(CANCEL, values={"pQueue": 0x00FF_0001}, where=is_new),
        answer=answered(CANCEL, values=ELSE),
        besides=besides("mqqp-cancel-values", "mqqp-same-queue-values"),
    ),
    Breach("mqqp-lookup-neighbour", answer=neighbour),
    Breach("mqqp-close-ends-reads", omit="waiting"),
    Breach("mqqp-closed-refused", follow=end_again, answer=ended_again, besides=besides("mqqp-end-once")),
    Breach("mqqp-rundown-undone", answer=handle_accepted, weather=True),
    Breach("mqqp-purge-removes", omit="purge", shows=kept_by_purge),
)
