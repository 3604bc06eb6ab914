"""reads: what became of each start-receive."""

from __future__ import annotations

from schemas.model import LONG, STRING, TIMESTAMP, U32, U64, UNSIGNED_LONG, Column, Table
from schemas.relations import NotAbove, Reference
from schemas.shared_columns import (
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    FOR_WHOM,
    ID,
    IN_TRANSACTION,
    MESSAGE_ID,
    MESSAGE_UID,
    NAMING,
    OF_CAPTURE,
    OF_FLOW,
    OF_SESSION,
    OF_TRANSACTION,
    SESSION_UID,
    UID,
    USERNAME,
)
from schemas.vocabulary import SESSION_ENDPOINTS

READ_OUTCOMES = {
    "peeked": "The message was read and stays in the queue.",
    "acked": "The message was read and removed; in an external transaction, if that was committed.",
    "nacked": "The message was read and put back by the client, or by the abort of its transaction.",
    "cancelled": "The client cancelled the request.",
    "timed_out": "No message came within the time allowed.",
    "failed": "The server refused it.",
    "rundown": "The association ended with the read open, or RemoteRead's queue was closed: the message goes back "
    "([MS-MQQP] 3.1.6.2, [MS-MQRR] 3.1.4.3 and 3.1.6.2).",
    "unfinished": "The capture ended first, the answer is missing, or a message left by an action that no document has "
    "and nothing ended the read.",
}

READS = Table(
    "reads",
    "One receive or peek with its end, cancel or rundown; also an end without its start. Not of sealed calls.",
    (
        Column(
            "read_uid", STRING, "Id of the read, derived from its first call: the same in every run.", required=True
        ),
        SESSION_UID.optional(),
        Column("ts", TIMESTAMP, "When it was asked for."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        ID,
        Column(
            "endpoint",
            STRING,
            "Interface of its session: `qm2qm`, `RemoteRead`, `qmcomm` of a supporting server, or `IMSMQQueue`.",
            required=True,
            values=SESSION_ENDPOINTS,
        ),
        USERNAME,
        DOMAIN,
        *FOR_WHOM,
        *NAMING,
        Column(
            "given_ts",
            TIMESTAMP,
            "When the server gave out the message: its answer on the wire. Null where no message was seen.",
        ),
        Column("start_call_uid", STRING, "Call that began it; null where only its end was captured."),
        Column("end_call_uid", STRING, "Call that ended it: end-receive, or cancel."),
        Column(
            "action",
            STRING,
            "ulAction by name, e.g. `MQ_ACTION_RECEIVE`, a number where it has none; of IMSMQQueue the method, e.g. "
            "`PeekNext`.",
        ),
        Column("request_id", LONG, "dwRequestID.", low=0, high=U32),
        Column("handle", STRING, "Context handle of the read; peeks have none."),
        Column("cursor", LONG, "hCursor that it goes by; null for none.", low=0, high=U32),
        Column("cursor_call_uid", STRING, "Call that made the cursor: of qm2qm R_QMCreateRemoteCursor, by any host."),
        Column("lookup_id", UNSIGNED_LONG, "LookupId asked for.", low=0, high=U64),
        Column(
            "sequential_id",
            UNSIGNED_LONG,
            "SequentialId answered: the low 7 bytes of the message's lookup id.",
            low=0,
            high=U64,
        ),
        Column(
            "outcome", STRING, "What became of it; the names stand below.", required=True, values=tuple(READ_OUTCOMES)
        ),
        DOUBT,
        Column(
            "message_bytes",
            LONG,
            "Size of the message that left the server. Of IMSMQQueue that of the body, if the client fetched it.",
            low=0,
        ),
        Column("message_sha256", STRING, "SHA-256 of the message; null where its bytes are not all captured."),
        MESSAGE_ID,
        MESSAGE_UID.optional(),
        Column("message_label", STRING, "Label of the message."),
        *IN_TRANSACTION,
        Column("arrived_ts", TIMESTAMP, "When the message arrived in the queue, as the server says (dwArriveTime)."),
        Column("ended_ts", TIMESTAMP, "When it was over; null where that was not seen."),
        CAPTURE_ID,
    ),
    key=("read_uid",),
    relations=(
        NotAbove("ts", "given_ts"),
        NotAbove("ts", "ended_ts"),
        Reference("start_call_uid", "calls", "call_uid"),
        Reference("end_call_uid", "calls", "call_uid"),
        Reference("cursor_call_uid", "calls", "call_uid"),
        OF_SESSION,
        OF_TRANSACTION,
        OF_FLOW,
        OF_CAPTURE,
    ),
)
