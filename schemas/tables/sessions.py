"""sessions: remote queues that clients had open."""

from __future__ import annotations

from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.shared_columns import CAPTURE_ID, DOUBT, ID, SESSION_UID, UID

SESSIONS = Table(
    "sessions",
    "One remote queue that a client had open on a server, from open to close, over all connections between the two.",
    (
        SESSION_UID,
        UID,
        ID,
        Column("endpoint", STRING, "Interface by which it was read: `qm2qm`."),
        Column("ts", TIMESTAMP, "Time of its first call seen."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("opened_ts", TIMESTAMP, "When it was opened; null where that was not seen."),
        Column("closed_ts", TIMESTAMP, "When it was closed, or when the last connection of its association ended."),
        Column(
            "state",
            STRING,
            "`closed` by the client; `rundown`: the association ended with it open, so the server closed it ([MS-MQQP] "
            "3.1.6.1); `open_at_end` of the capture; `open_not_seen`: calls prove it, its opening was not captured.",
        ),
        DOUBT,
        Column("handle", STRING, "Context handle of the session."),
        Column("queue_handle", LONG, "hQueue, the number that names the queue in the calls."),
        Column("queue_name", STRING, "Name of the queue, where another protocol of the family tells it."),
        Column("client_qm", STRING, "GUID that the client's queue manager gave itself."),
        Column("username", STRING, "Account in the connection's NTLM authentication; claimed, not proven."),
        Column("domain", STRING, "Its domain."),
        Column("peeks", LONG, "Reads that leave the message in the queue, whatever they came to."),
        Column("receives", LONG, "Reads that would remove it, whatever they came to."),
        Column("acked", LONG, "Messages removed."),
        Column("nacked", LONG, "Messages read and put back."),
        Column("cancelled", LONG, "Reads cancelled."),
        Column("timed_out", LONG, "Reads for which no message came in time."),
        Column("failed", LONG, "Reads refused."),
        Column("rundown", LONG, "Reads cut off by a disconnect; the message goes back ([MS-MQQP] 3.1.6.2)."),
        Column("unfinished", LONG, "Reads that the capture ended before, or whose answer is missing."),
        Column("purges", LONG, "Successful purges of the whole queue."),
        Column("message_bytes", LONG, "Bytes of messages that left the server, in whichever way."),
        Column("peeked_bytes", LONG, "Those of peeks: disclosed, and still in the queue."),
        Column("acked_bytes", LONG, "Those of messages removed."),
        Column("nacked_bytes", LONG, "Those of messages put back by the client: disclosed as well."),
        Column("rundown_bytes", LONG, "Those of reads cut off by a disconnect: disclosed, and put back by the server."),
        Column("unfinished_bytes", LONG, "Those of reads whose end was not seen."),
        CAPTURE_ID,
    ),
)
