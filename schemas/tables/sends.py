"""sends: messages that applications sent through a supporting server, or by an object of MSMQ's."""

from __future__ import annotations

from schemas.model import LONG, STRING, TIMESTAMP, U32, Column, Table
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
from schemas.vocabulary import SEND_OPERATIONS, UNDOABLE_OUTCOMES

SENDS = Table(
    "sends",
    "One message sent by rpc_ACSendMessageEx, QMSendMessageInternalEx or Send of IMSMQMessage. Not of sealed calls, "
    "but for those by Send, which its number tells: in doubt.",
    (
        CALL_UID,
        Column("ts", TIMESTAMP, "When it was asked for."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        ID,
        Column("operation", STRING, "Call.", required=True, values=SEND_OPERATIONS),
        USERNAME,
        DOMAIN,
        SESSION_UID.optional(),
        *NAMING,
        MESSAGE_ID,
        MESSAGE_UID.optional(),
        Column("message_label", STRING, "Label of the message."),
        Column("message_bytes", LONG, "Bytes of its body.", low=0),
        *IN_TRANSACTION,
        Column(
            "outcome",
            STRING,
            "`success`, `failure` or `unknown` as answered; `aborted` or `rundown`: undone with its transaction, and "
            "got by nobody.",
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
