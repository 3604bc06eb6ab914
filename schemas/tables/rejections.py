"""rejections: messages that a consumer read and refused."""

from __future__ import annotations

from schemas.model import LONG, STRING, TIMESTAMP, U32, U64, UNSIGNED_LONG, Column, Table
from schemas.shared_columns import (
    CALL_UID,
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    ID,
    IN_TRANSACTION,
    MESSAGE_ID,
    MESSAGE_UID,
    NAMING,
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

REJECTIONS = Table(
    "rejections",
    "One R_SetUserAcknowledgementClass: a consumer marks a message that it read as rejected. Not of sealed calls.",
    (
        CALL_UID,
        Column("ts", TIMESTAMP, "When it was asked for."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        ID,
        USERNAME,
        DOMAIN,
        SESSION_UID.optional(),
        *NAMING,
        Column("lookup_id", UNSIGNED_LONG, "LookupId of the message.", low=0, high=U64),
        MESSAGE_ID,
        MESSAGE_UID.optional(),
        Column(
            "message_class",
            STRING,
            "usClass by name, e.g. `MQMSG_CLASS_NACK_RECEIVE_REJECTED`; null for 0, which changes nothing.",
        ),
        *IN_TRANSACTION,
        Column(
            "outcome",
            STRING,
            "`success`, `failure` or `unknown` as answered; `aborted` or `rundown`: undone with its transaction.",
            required=True,
            values=UNDOABLE_OUTCOMES,
        ),
        DOUBT,
        Column("status", LONG, "Return value.", low=0, high=U32),
        CAPTURE_ID,
    ),
    key=("call_uid",),
    relations=(OF_CALL, OF_FLOW, OF_SESSION, OF_TRANSACTION, OF_CAPTURE),
)
