"""What a dataset carries from run to run, beside its tables.

`file` is the ordinal of a capture among all captures of the dataset, as CARRIED_CAPTURES lists them.
"""

from __future__ import annotations

import pyarrow as pa

from schemas.internal import ANNOUNCED, FACTS, FRAGMENTS, SEGMENTS, STREAM_FLOWS, VERSIONS
from schemas.model import BOOL, INT, LONG, STRING, Column, Table
from schemas.shared_columns import UID
from schemas.tables.findings import VERDICTS

_OF_FLOWS = {column.name: column for column in STREAM_FLOWS.columns}
_KEY, _COUNTS = _OF_FLOWS["key"], _OF_FLOWS["counts"]
_FILE = Column("file", INT, "Ordinal of the capture.")

CARRIED_CAPTURES = Table(
    "captures",
    "A capture of the dataset.",
    (
        _FILE,
        Column("capture_id", STRING, "SHA-256 of the file."),
        Column("path", STRING, "Its path when it was read."),
        Column("first_ts_ns", LONG, "Its first packet, by which ordinals are given; 0 where it is not known."),
        Column("untidy", BOOL, "Its clock went back."),
        Column("date", STRING, "Date of its earliest packet, under which what is said of it is filed."),
    ),
)
CARRIED_CONVERSATIONS = Table(
    "conversations",
    "A pair of endpoints whose packets are carried.",
    (
        _KEY,
        Column("low_end", LONG, "Hash of the lower endpoint's address and port."),
        Column("high_end", LONG, "Hash of the higher endpoint's."),
        Column("last_ts_ns", LONG, "Its latest packet."),
        Column("midstream", BOOL, "No SYN of it was seen, so that its first bytes say little."),
        Column("streamed", BOOL, "It was put in order; the others showed too little to tell whether they are DCE/RPC."),
    ),
)
CARRIED_CONNECTIONS = Table(
    "connections",
    "A connection that may go on, with what it added to the accounting.",
    (
        UID,
        _KEY,
        Column("first_ts_ns", LONG, "Its first packet."),
        Column("last_ts_ns", LONG, "Its latest packet."),
        Column("unresolved", BOOL, "It was set aside, or has calls whose interface no bind tells."),
        _COUNTS,
    ),
)
CARRIED_STREAMS = Table(
    "streams",
    "Where Wireshark's stream numbers begin, of the conversations carried.",
    (
        _FILE,
        _KEY,
        Column("frame", LONG, "Frame at which the stream begins."),
        Column("tcp_stream", LONG, "Its number."),
    ),
)
TALLIES = Table(
    "tallies",
    "What the table verdicts sums up, by server.",
    (Column("server", STRING, "Address of the server."), *VERDICTS.columns),
)
HOST_NOTES = Table(
    "host_notes",
    "What the traffic of one server proves of a host.",
    (
        Column("server", STRING, "Address of the server."),
        Column("address", STRING, "Address of the host: the server or a client of it."),
        Column(
            "kind", STRING, "`serves`, `calls`, `supports`, `opens`, `queue_manager`, `version`, or what told a name."
        ),
        Column("value", STRING, "What is proven."),
        Column("first_ts_ns", LONG, "First time."),
        Column("last_ts_ns", LONG, "Last time."),
    ),
)
QUEUE_NOTES = Table(
    "queue_notes",
    "What one client did to one queue on one server, or names that belong together.",
    (
        Column("server", STRING, "Address of the server."),
        Column("keys", pa.list_(STRING), "The queue's names, spelled alike."),
        Column("names", pa.list_(STRING), "As they were seen."),
        Column("numbers", pa.list_(STRING), "By which calls name it."),
        Column("act", STRING, "What was done; null where only names were told."),
        Column("address", STRING, "Who did it."),
        Column("username", STRING, "Account."),
        Column("domain", STRING, "Its domain."),
        Column("opened_for_username", STRING, "Account for which it was done."),
        Column("naming_doubt", STRING, "Why it may be another queue."),
        Column("count", LONG, "How often."),
        Column("first_ts_ns", LONG, "First time."),
        Column("last_ts_ns", LONG, "Last time."),
    ),
)
SUMMARIES = (TALLIES, HOST_NOTES, QUEUE_NOTES)
"""What is known of each server, from which the tables about all of them are made."""

STATE = (
    CARRIED_CAPTURES, CARRIED_CONVERSATIONS, CARRIED_CONNECTIONS, CARRIED_STREAMS, SEGMENTS, FRAGMENTS, ANNOUNCED,
    VERSIONS, FACTS, *SUMMARIES,
)  # fmt: skip
