"""moves: messages that were moved from one queue to another."""

from __future__ import annotations

from schemas.model import LONG, STRING, TIMESTAMP, U32, U64, UNSIGNED_LONG, Column, Table
from schemas.relations import Reference
from schemas.shared_columns import (
    CALL_UID,
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    ID,
    IN_TRANSACTION,
    MESSAGE_ID,
    MESSAGE_UID,
    OF_CALL,
    OF_CAPTURE,
    OF_FLOW,
    OF_SESSION,
    OF_TRANSACTION,
    SESSION_UID,
    UID,
    USERNAME,
)
from schemas.vocabulary import UNDOABLE_OUTCOMES

MOVES = Table(
    "moves",
    "One R_MoveMessage: a message goes from an open queue to another, a subqueue mostly. Not of sealed calls.",
    (
        CALL_UID,
        Column("ts", TIMESTAMP, "When it was asked for."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        ID,
        USERNAME,
        DOMAIN,
        SESSION_UID.optional(),
        Column("target_session_uid", STRING, "Session of the queue moved to; null where its opening was not seen."),
        Column("queue_name", STRING, "Queue moved from."),
        Column("target_queue_name", STRING, "Queue moved to."),
        Column("lookup_id", UNSIGNED_LONG, "LookupId of the message.", low=0, high=U64),
        MESSAGE_ID,
        MESSAGE_UID.optional(),
        *IN_TRANSACTION,
        Column(
            "outcome",
            STRING,
            "`success`, `failure` or `unknown` as answered; `aborted` or `rundown`: undone with its transaction.",
            required=True,
            values=UNDOABLE_OUTCOMES,
        ),
        DOUBT,
        Column("status", LONG, "Its return value.", low=0, high=U32),
        CAPTURE_ID,
    ),
    key=("call_uid",),
    relations=(
        Reference("target_session_uid", "sessions", "session_uid"),
        OF_SESSION,
        OF_TRANSACTION,
        OF_CALL,
        OF_FLOW,
        OF_CAPTURE,
    ),
)
