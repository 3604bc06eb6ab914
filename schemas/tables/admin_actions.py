"""admin_actions: acts that change or administer queues and queue managers."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import BOOL, INT, LONG, STRING, TIMESTAMP, U8, U32, Column, Table
from schemas.shared_columns import (
    CALL_UID,
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    FOR_WHOM,
    ID,
    NAMING,
    OF_CALL,
    OF_CAPTURE,
    OF_FLOW,
    OF_SESSION,
    SESSION_UID,
    UID,
    USERNAME,
)
from schemas.vocabulary import ACT_OUTCOMES

ACTIONS = {
    "connect": "The queue manager was told to go on line.",
    "disconnect": "The queue manager was told to go off line: it no longer exchanges messages.",
    "tidy": "The queue manager was told to clean up its message files ([MS-MQMR] 3.1.4.2 purges queues for that).",
    "pause": "An outgoing queue was told to hold its messages.",
    "resume": "A paused queue was told to go on.",
    "eod_resend": "A queue was told to send unacknowledged messages of exactly-once delivery again.",
    "other": "R_QMMgmtAction with a word that no document has, or that was not captured; see detail.",
    "purge": "All messages of a queue were deleted.",
    "create": "An object was created.",
    "delete": "An object was deleted.",
    "set_properties": "Properties of an object were set.",
    "set_security": "The security descriptor of an object was set: who may do what.",
    "register_certificate": "A user's certificate was put into the directory.",
    "query": "Properties, a security descriptor, queues or the state of a machine were asked for; nothing changes.",
}

_CHANGE = pa.struct(
    [
        pa.field("name", STRING),
        pa.field("old", STRING),
        pa.field("new", STRING),
        pa.field("old_call_uid", STRING),
    ]
)

ADMIN_ACTIONS = Table(
    "admin_actions",
    "One act that changes or administers a queue, a queue manager or the directory; sealed ones too.",
    (
        CALL_UID,
        Column("ts", TIMESTAMP, "When it was asked for."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        ID,
        Column("endpoint", STRING, "Interface.", required=True),
        Column("operation", STRING, "Call.", required=True),
        Column("action", STRING, "What was done; the names stand below.", required=True, values=tuple(ACTIONS)),
        Column("is_query", BOOL, "It only asked: leave these out to see what changed.", required=True),
        Column("target_type", STRING, "`queue`, `machine`, or the directory's name of another kind of object."),
        Column("target", STRING, "Queue, path name, GUID or machine that it was about; null where that was not seen."),
        *NAMING,
        SESSION_UID.optional(),
        *FOR_WHOM,
        USERNAME,
        DOMAIN,
        Column("auth_type", INT, "Authentication service of the call.", low=0, high=U8),
        Column("auth_level", INT, "Authentication level of the call.", low=0, high=U8),
        Column("outcome", STRING, "What the server answered.", required=True, values=ACT_OUTCOMES),
        Column("status", LONG, "Return value.", low=0, high=U32),
        Column("status_name", STRING, "Its name, or that of the fault."),
        Column(
            "changes",
            pa.list_(_CHANGE),
            "Values set, each with the one before where an earlier call showed it; of queries what was answered, as "
            "`new`. A security descriptor is `security`, as SDDL.",
        ),
        Column("detail", STRING, "What else there is to say."),
        DOUBT,
        Column("request_frames", pa.list_(LONG), "Frames of the request in this capture.", required=True),
        Column("response_frames", pa.list_(LONG), "Frames of the answer in this capture.", required=True),
        CAPTURE_ID,
    ),
    key=("call_uid",),
    relations=(OF_CALL, OF_FLOW, OF_SESSION, OF_CAPTURE),
)
