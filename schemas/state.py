"""What a dataset carries from run to run, beside its tables.

`file` is the ordinal of a capture among all captures of the dataset, as CARRIED_CAPTURES lists them.
"""

from __future__ import annotations

from typing import TypedDict

import pyarrow as pa

from schemas.internal import ANNOUNCED, CONNECTIONS, FACTS, FRAGMENTS, SEGMENTS, UNSPOKEN, VERSIONS
from schemas.model import BOOL, INT, LONG, STRING, Column, Table
from schemas.tables.findings import VERDICTS, VerdictRow

_KEY = next(column for column in CONNECTIONS.columns if column.name == "key")
_FILE = Column("file", INT, "Ordinal of the capture.", required=True)


class CarriedCaptureRow(TypedDict):
    file: int
    capture_id: str
    path: str
    first_ts_ns: int
    untidy: bool
    date: str


CARRIED_CAPTURES = Table(
    "captures",
    "A capture of the dataset.",
    (
        _FILE,
        Column("capture_id", STRING, "SHA-256 of the file.", required=True),
        Column("path", STRING, "Its path when it was read.", required=True),
        Column(
            "first_ts_ns",
            LONG,
            "Its first packet, by which ordinals are given; 0 where it is not known.",
            required=True,
        ),
        Column("untidy", BOOL, "Its clock went back.", required=True),
        Column("date", STRING, "Date of its earliest packet, under which what is said of it is filed.", required=True),
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
        Column("hollow", BOOL, "It was put in order for nothing but the bytes that it does not show."),
        *UNSPOKEN,
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
_SERVER = Column("server", STRING, "Address of the server.", required=True)
_SPAN = (
    Column("first_ts_ns", LONG, "First time.", required=True),
    Column("last_ts_ns", LONG, "Last time.", required=True),
)


class TallyRow(VerdictRow):
    server: str


TALLIES = Table("tallies", "What the table verdicts sums up, by server.", (_SERVER, *VERDICTS.columns))


class HostNoteRow(TypedDict):
    server: str
    address: str
    kind: str
    value: str
    first_ts_ns: int
    last_ts_ns: int


HOST_NOTES = Table(
    "host_notes",
    "What the traffic of one server proves of a host.",
    (
        _SERVER,
        Column("address", STRING, "Address of the host: the server or a client of it.", required=True),
        Column(
            "kind",
            STRING,
            "`serves`, `calls`, `supports`, `opens`, `queue_manager`, `version`, or what told a name.",
            required=True,
        ),
        Column("value", STRING, "What is proven.", required=True),
        *_SPAN,
    ),
)


class QueueNoteRow(TypedDict):
    server: str
    keys: list[str]
    names: list[str]
    numbers: list[str]
    act: str | None
    address: str
    username: str | None
    domain: str | None
    opened_for_username: str | None
    naming_doubt: str | None
    count: int
    first_ts_ns: int
    last_ts_ns: int


QUEUE_NOTES = Table(
    "queue_notes",
    "What one client did to one queue on one server, or names that belong together.",
    (
        _SERVER,
        Column("keys", pa.list_(STRING), "The queue's names, spelled alike.", required=True),
        Column("names", pa.list_(STRING), "As they were seen.", required=True),
        Column("numbers", pa.list_(STRING), "By which calls name it.", required=True),
        Column("act", STRING, "What was done; null where only names were told."),
        Column("address", STRING, "Who did it.", required=True),
        Column("username", STRING, "Account."),
        Column("domain", STRING, "Its domain."),
        Column("opened_for_username", STRING, "Account for which it was done."),
        Column("naming_doubt", STRING, "Why it may be another queue."),
        Column("count", LONG, "How often.", required=True),
        *_SPAN,
    ),
)
SUMMARIES = (TALLIES, HOST_NOTES, QUEUE_NOTES)
"""What is known of each server, from which the tables about all of them are made."""

STATE = (
    CARRIED_CAPTURES, CARRIED_CONVERSATIONS, CONNECTIONS, CARRIED_STREAMS, SEGMENTS, FRAGMENTS, ANNOUNCED,
    VERSIONS, FACTS, *SUMMARIES,
)  # fmt: skip
