"""Tables that pass between the stages of a run and are never written.

`file` is the ordinal of a capture among the inputs, which are in order of their first packet. Frames in the scan's
tables count from 0 within their split: the number of the split's first frame is known only when the chain of splits has
been verified.
"""

from __future__ import annotations

import pyarrow as pa

from schemas.model import BINARY, BOOL, INT, LONG, STRING, Column, Table
from schemas.shared_columns import UID
from schemas.tables.flows import FLOWS

_FILE = Column("file", INT, "Ordinal of the capture.", required=True)
_SPLIT = Column("split", INT, "Split of the capture.")
_FRAME = Column("frame", LONG, "Frame, from 0 within the split.")
_KEY = Column("key", LONG, "Hash of the conversation's two endpoints.", required=True)

SPLIT_REPORTS = Table(
    "reports",
    "Where a split began and ended, and what it saw.",
    (
        _FILE,
        _SPLIT,
        Column("start", STRING, "Position, as JSON; null where no boundary was found."),
        Column("end", STRING, "Position, as JSON."),
        Column("packets", LONG, "Packets read."),
        Column("damage_code", STRING, "Issue code of what ended the reading."),
        Column("damage_detail", STRING, "Its detail."),
        Column("damage_offset", LONG, "Its file offset."),
        Column("first_ts_ns", LONG, "Earliest packet."),
        Column("last_ts_ns", LONG, "Latest packet."),
        Column("back_ns", LONG, "The most that a packet lies before one in front of it."),
        Column("link_types", pa.list_(LONG), "Link types of the packets."),
    ),
)

UNSPOKEN = (
    Column("low_host", LONG, "Hash of the lower endpoint's address; null as the other where there is payload."),
    Column("high_host", LONG, "Hash of the higher endpoint's."),
)
"""Of conversations of which next to no payload was captured: between which hosts something may have been said."""
CONVERSATIONS = Table(
    "conversations",
    "A TCP 4-tuple within a split.",
    (
        _FILE,
        _SPLIT,
        _KEY,
        Column("packets", LONG, "Packets of both directions."),
        Column("payload_bytes", LONG, "Captured payload bytes of both directions."),
        Column("well_known_port", BOOL, "A port is a well-known one, and there is payload or it was accepted."),
        Column("may_be_rpc", BOOL, "A segment may begin a DCE/RPC PDU."),
        Column(
            "base_low", LONG, "Earliest base of the lower endpoint, see ingest.stream_bases; null if none is known."
        ),
        Column("base_high", LONG, "Earliest base of the higher endpoint."),
        Column("low_end", LONG, "Hash of the lower endpoint's address and port."),
        Column("high_end", LONG, "Hash of the higher endpoint's."),
        Column("last_ts_ns", LONG, "Its latest packet."),
        *UNSPOKEN,
    ),
)

SYNS = Table(
    "syns",
    "A SYN or SYN-ACK.",
    (
        _FILE,
        _SPLIT,
        _KEY,
        _FRAME,
        Column("from_low", BOOL, "Sent by the lower endpoint."),
        Column("with_ack", BOOL, "It is a SYN-ACK."),
        Column("seq", LONG, "Its sequence number."),
    ),
)

FRAGMENTS = Table(
    "fragments",
    "An IP fragment.",
    (
        _FILE,
        _SPLIT,
        _FRAME,
        Column("ts_ns", LONG, "Time of capture."),
        Column("src", BINARY, "Source address."),
        Column("dst", BINARY, "Destination address."),
        Column("protocol", INT, "IP protocol of the datagram."),
        Column(
            "key_protocol",
            INT,
            "Protocol where it tells datagrams apart: IPv4 (RFC 791 3.2); 0 for IPv6 (RFC 8200 4.5).",
        ),
        Column("identification", LONG, "Identification field."),
        Column("fragment_offset", INT, "In bytes."),
        Column("more", BOOL, "More fragments follow."),
        Column("payload_wire_len", INT, "Bytes on the wire."),
        Column("payload", BINARY, "Captured bytes."),
    ),
)

SCAN_ISSUES = Table(
    "scan_issues",
    "A problem met while scanning.",
    (
        _FILE,
        _SPLIT,
        Column("frame", LONG, "Frame, from 0 within the split; null where it concerns the file."),
        Column("code", STRING, "Issue code."),
        Column("detail", STRING, "What exactly."),
        Column("offset", LONG, "Where."),
    ),
)

COUNTS = Table(
    "counts",
    "A counter of the scan.",
    (_FILE, _SPLIT, Column("counter", STRING, "Name."), Column("value", LONG, "Value.")),
)

SCAN = (SPLIT_REPORTS, CONVERSATIONS, SYNS, FRAGMENTS, SCAN_ISSUES, COUNTS)

SEGMENTS = Table(
    "segments",
    "A TCP segment of a conversation that may be of interest; frames are final here.",
    (
        _KEY,
        Column("ts_ns", LONG, "Time of capture."),
        _FILE,
        Column("frame", LONG, "Frame number in the capture, from 1."),
        Column("low_h", BINARY, "Address of the lower endpoint, 4 or 16 bytes."),
        Column("low_p", INT, "Its port."),
        Column("high_h", BINARY, "Address of the higher endpoint."),
        Column("high_p", INT, "Its port."),
        Column("from_low", BOOL, "Sent by the lower endpoint."),
        Column("seq", LONG, "Sequence number."),
        Column("ack", LONG, "Acknowledgement number."),
        Column("flags", INT, "TCP flags."),
        Column("window", INT, "Window."),
        Column("wire_len", INT, "Payload bytes on the wire."),
        Column("payload", BINARY, "Captured payload."),
    ),
)

NO_SPLIT = -1
"""Split of rows of earlier runs; their frames are final."""
MADE_SEGMENTS = Table(
    "made_segments",
    "A TCP segment put together out of IP fragments; it has the frame that completed it.",
    (_SPLIT, *(column for column in SEGMENTS.columns)),
)
BUNDLES = Table(
    "bundles",
    "TCP segments of one conversation and capture on their way to the others of their conversation.",
    (
        _KEY,
        Column("ts_ns", LONG, "Time of capture of the first."),
        _FILE,
        Column("frame", LONG, "Its frame number."),
        *(column for column in SEGMENTS.columns if column.name in {"low_h", "low_p", "high_h", "high_p"}),
        Column("headers", BINARY, "What each of them has for itself; see pipelines.connections.bundles."),
        Column("payloads", BINARY, "Captured payloads, one behind the other."),
        Column("is_stored", BOOL, "An earlier run stored them; else they are of this run's captures."),
    ),
)
DEFRAGMENTED = (MADE_SEGMENTS, CONVERSATIONS, SYNS, SCAN_ISSUES)
MEETING_FRAGMENTS = Table(
    "meeting_fragments",
    "An IP fragment on its way to those of the same datagram.",
    (*FRAGMENTS.columns, Column("is_new", BOOL, "Of this run; else an earlier one left it.")),
)


_COUNTS = Column(
    "counts",
    pa.list_(
        pa.struct(
            [pa.field("file", INT), pa.field("stage", STRING), pa.field("counter", STRING), pa.field("value", LONG)]
        )
    ),
    "What it adds to the accounting. Kept by connection, since a later look may replace all that was said of it.",
    required=True,
)


STREAM_FLOWS = Table(
    "flows",
    "A row of flows before Wireshark's stream number is known.",
    (
        *(column for column in FLOWS.columns if column.name != "tcp_stream"),
        _KEY,
        Column("file", INT, "Ordinal of the first capture.", required=True),
        Column("unresolved", BOOL, "It has calls whose interface is not known.", required=True),
        _COUNTS,
    ),
)


ASIDES = Table(
    "asides",
    "A connection not kept.",
    (
        UID,
        _KEY,
        Column("first_ts_ns", LONG, "Its first packet.", required=True),
        Column("last_ts_ns", LONG, "Its latest packet.", required=True),
        Column("chosen_by", STRING, "Why it should have been kept, where that came to light after its first PDU."),
        _COUNTS,
    ),
)


ANNOUNCED = Table(
    "announced",
    "An endpoint of message queuing that an answer announced, or gave away by being one, other than by its port.",
    (
        Column("host", STRING, "Address.", required=True),
        Column("port", INT, "TCP port.", required=True),
        Column("interface_uuid", STRING, "Interface that listens there.", required=True),
        Column("ts_ns", LONG, "When it was first announced.", required=True),
    ),
)


VERSIONS = Table(
    "versions",
    "A version that a host said it has: needed wherever that host is met, as server or as client.",
    (
        Column("host", STRING, "Address of the host that answered RemoteQmGetVersion.", required=True),
        Column("major", INT, "Major version.", required=True),
        Column("minor", INT, "Minor version.", required=True),
        Column("build", INT, "Build number.", required=True),
    ),
)
CONNECTIONS = Table(
    "connections",
    "A connection that was put in order, kept or set aside.",
    (
        UID,
        _KEY,
        Column("first_ts_ns", LONG, "Its first packet."),
        Column("last_ts_ns", LONG, "Its latest packet."),
        Column("unresolved", BOOL, "It was set aside, or has calls whose interface no bind tells."),
        _COUNTS,
    ),
)


FACTS = Table(
    "facts",
    "What a capture says of one server, for sessions and rules: a call, a connection, or a stretch not seen.",
    (
        Column("server", STRING, "Address of the server.", required=True),
        Column("client", STRING, "Address of the client.", required=True),
        Column("kind", STRING, "`connection`, `call`, `com`, `given`, `handed` or `blind`.", required=True),
        Column("ts_ns", LONG, "When it began.", required=True),
        _FILE,
        Column("frame", LONG, "Frame with which it began.", required=True),
        Column(
            "place",
            LONG,
            "Order within the frame: the call's offset in its stream; below 0 for what comes first.",
            required=True,
        ),
        UID,
        Column("data", BINARY, "The fact, in msgpack; see pipelines.facts.", required=True),
    ),
)
LISTED = Table(
    "listed",
    "A value that is looked for in one file of the dataset, where what to look for is too much for the driver.",
    (
        Column("number", INT, "Of the file, among those that were looked at.", required=True),
        Column("value", STRING, "A connection, or a message.", required=True),
    ),
)
