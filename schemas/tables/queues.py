"""queues: every queue that was used, by all its names, and who did what to it."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import LONG, STRING, TIMESTAMP, Column, Table
from schemas.relations import NotAbove

ACTS = {
    "opened": "Opened, for whichever access.",
    "received": "Read to be removed.",
    "peeked": "Read to stay in the queue.",
    "read": "Read by an action that no document has.",
    "purged": "Emptied.",
    "sent": "Sent to.",
    "moved_from": "A message was moved out of it.",
    "moved_to": "A message was moved into it.",
    "created": "Created.",
    "deleted": "Deleted.",
    "changed": "Its properties were set.",
    "secured": "Its security descriptor was set.",
    "controlled": "Paused, resumed or made to resend, by R_QMMgmtAction.",
    "inspected": "Its properties or security descriptor were asked for.",
}

_WHO = pa.struct(
    [
        pa.field("act", STRING),
        pa.field("address", STRING),
        pa.field("username", STRING),
        pa.field("domain", STRING),
        pa.field("opened_for_username", STRING),
        pa.field("naming_doubt", STRING),
        pa.field("count", LONG),
        pa.field("first_seen", TIMESTAMP),
        pa.field("last_seen", TIMESTAMP),
    ]
)

QUEUES = Table(
    "queues",
    "One queue. Names belong together where a call shows it: a path with its format name, a queue at its owner.",
    (
        Column("queue_uid", STRING, "Derived from its names.", required=True),
        Column(
            "names", pa.list_(STRING), "All its names, format names and path names, as they were seen.", required=True
        ),
        Column(
            "numbers",
            pa.list_(STRING),
            "hQueue of sessions with it. With no name beside them, one session's queue of which nothing else is known.",
            required=True,
        ),
        Column(
            "hosts", pa.list_(STRING), "Servers on which it was used: its owner, or supporting servers.", required=True
        ),
        Column(
            "acts",
            pa.list_(_WHO),
            "Who did what how often and when; only what succeeded. `naming_doubt` as in `sessions`: null where it is "
            "certain that it was this queue.",
            required=True,
        ),
        *(Column(act, LONG, f"{doc[:-1]}: how often.", required=True, low=0) for act, doc in ACTS.items()),
        Column("first_seen", TIMESTAMP, "First time it was named."),
        Column("last_seen", TIMESTAMP, "Last time."),
    ),
    key=("queue_uid",),
    relations=(NotAbove("first_seen", "last_seen"),),
)
