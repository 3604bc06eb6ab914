"""sessions: remote queues that clients had open."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, U32, Column, Table
from schemas.relations import NotAbove, Reference, Sum
from schemas.shared_columns import (
    CAPTURE_ID,
    DOMAIN,
    DOUBT,
    FOR_WHOM,
    ID,
    NAMING,
    OF_CAPTURE,
    OF_FLOW,
    SESSION_UID,
    UID,
    USERNAME,
)
from schemas.vocabulary import NAMING_DOUBTS, REASONS, SESSION_ENDPOINTS, SESSION_STATES, SEVERANCES

NAMING_DOUBTS_MEAN = {
    "messages_only": "Only messages name the queue: each that was read is addressed to it. Journals, dead-letter "
    "queues and queues that messages were moved to hold messages addressed elsewhere.",
    "messages_differ": "Nothing but messages names the queue, and they are addressed to several.",
    "open_was_closed": "The remote open that gave the context was over when it was used.",
    "several_askers": "Calls of MSMQ's objects by several people were under way that may have led to it.",
    "numbers_differ": "hQueue, pQueue and dwpContext come from different remote opens; dwpContext counts "
    "([MS-MQQP] 3.1.4.2).",
}
"""Beside the reasons that findings give."""

SESSIONS = Table(
    "sessions",
    "One remote queue that a client had open on a server, from open to close, over all connections between the two.",
    (
        SESSION_UID,
        UID,
        ID,
        Column(
            "endpoint",
            STRING,
            "Interface by which it was opened: `qm2qm`, `RemoteRead`, `qmcomm` of a supporting server; `IMSMQQueue` of "
            "an MSMQQueue object, whatever its revision.",
            required=True,
            values=SESSION_ENDPOINTS,
        ),
        Column("ts", TIMESTAMP, "Time of its first call seen."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("opened_ts", TIMESTAMP, "When it was opened; null where that was not seen."),
        Column("closed_ts", TIMESTAMP, "When it was closed, or when the last connection of its association ended."),
        Column("open_call_uid", STRING, "Call that opened it; null where that was not seen."),
        Column("close_call_uid", STRING, "Call by which the client closed it; null where it did not, or out of sight."),
        Column(
            "state",
            STRING,
            "`closed` by the client; `rundown`: the association ended with it open, so the server closed it ([MS-MQQP] "
            "3.1.6.1, [MS-MQRR] 3.1.6.2, [MS-MQMP] 3.1.7.1); `open_at_end` "
            "of the capture; `open_not_seen`: calls prove it, its opening was not captured.",
            required=True,
            values=SESSION_STATES,
        ),
        Column(
            "severed_by",
            STRING,
            "Of a `rundown`: who ended the last connection of its association, and how. `client_closed` by a FIN; "
            "`server_closed` too, or it was just leaving; `client_reset`, `server_reset`. Null: not known.",
            values=SEVERANCES,
        ),
        DOUBT,
        Column(
            "counts_doubt",
            STRING,
            "Why the counts of this row may be too low, in the words of `findings.reason`; else null.",
            values=REASONS,
        ),
        Column("handle", STRING, "Context handle of the session."),
        Column("object_uid", STRING, "The opened queue as an object of MSMQ's, see `com_objects`; else null."),
        Column("queue_handle", LONG, "hQueue, the number that names the queue in the calls.", low=0, high=U32),
        *NAMING,
        Column("other_names", pa.list_(STRING), "Names of other queues that it may be, where that is in doubt."),
        Column(
            "addressed",
            LONG,
            "Messages read that are addressed to `queue_name`: how strong the evidence of `messages` is.",
            required=True,
            low=0,
        ),
        *FOR_WHOM,
        Column(
            "link_uid",
            STRING,
            "The same in the session of an application with its supporting server and in that server's own with the "
            "remote queue manager; another one for each use of a number.",
        ),
        Column(
            "link_doubt",
            STRING,
            "Why `link_uid` may be that of another use of the number, in the words of `naming_doubt`; else null.",
            values=(*REASONS, *NAMING_DOUBTS),
        ),
        Column(
            "access",
            LONG,
            "Access asked for: 1 receive, 2 send, 4 move, 32 peek, 128 outgoing queue.",
            low=0,
            high=U32,
        ),
        Column("share_mode", LONG, "0: others may read too; 1: nobody else.", low=0, high=U32),
        Column("client_qm", STRING, "GUID that the client's queue manager gave itself; of qm2qm and RemoteRead."),
        USERNAME,
        DOMAIN,
        Column(
            "peeks", LONG, "Reads that leave the message in the queue, whatever they came to.", required=True, low=0
        ),
        Column(
            "receives",
            LONG,
            "Reads that would remove it, whatever they came to, and those whose end removes it.",
            required=True,
            low=0,
        ),
        Column(
            "unknown_reads",
            LONG,
            "Reads by an action that no document has, of which no end tells what they did.",
            required=True,
            low=0,
        ),
        Column("peeked", LONG, "Messages peeked at: peeks that brought one.", required=True, low=0),
        Column("acked", LONG, "Messages removed.", required=True, low=0),
        Column("nacked", LONG, "Messages read and put back.", required=True, low=0),
        Column("cancelled", LONG, "Reads cancelled.", required=True, low=0),
        Column("timed_out", LONG, "Reads for which no message came in time.", required=True, low=0),
        Column("failed", LONG, "Reads refused.", required=True, low=0),
        Column(
            "rundown",
            LONG,
            "Reads cut off by a disconnect, or of RemoteRead by the close; the message goes back ([MS-MQQP] 3.1.6.2).",
            required=True,
            low=0,
        ),
        Column(
            "unfinished", LONG, "Reads that the capture ended before, or whose answer is missing.", required=True, low=0
        ),
        Column("purges", LONG, "Successful purges of the whole queue.", required=True, low=0),
        Column("moves", LONG, "Messages moved to another queue.", required=True, low=0),
        Column("sends", LONG, "Messages sent.", required=True, low=0),
        Column("sent_bytes", LONG, "Bytes of their bodies.", required=True, low=0),
        Column(
            "message_bytes", LONG, "Bytes of messages that left the server, in whichever way.", required=True, low=0
        ),
        Column("peeked_bytes", LONG, "Those of peeks: disclosed, and still in the queue.", required=True, low=0),
        Column("acked_bytes", LONG, "Those of messages removed.", required=True, low=0),
        Column(
            "nacked_bytes", LONG, "Those of messages put back by the client: disclosed as well.", required=True, low=0
        ),
        Column(
            "rundown_bytes",
            LONG,
            "Those of reads cut off by a disconnect: disclosed, and put back by the server.",
            required=True,
            low=0,
        ),
        Column("unfinished_bytes", LONG, "Those of reads whose end was not seen.", required=True, low=0),
        CAPTURE_ID,
    ),
    key=("session_uid",),
    relations=(
        NotAbove("ts", "opened_ts"),
        NotAbove("ts", "closed_ts"),
        NotAbove("opened_ts", "closed_ts"),
        Reference("open_call_uid", "calls", "call_uid"),
        Reference("close_call_uid", "calls", "call_uid"),
        Sum("message_bytes", ("peeked_bytes", "acked_bytes", "nacked_bytes", "rundown_bytes", "unfinished_bytes")),
        OF_FLOW,
        OF_CAPTURE,
    ),
)
