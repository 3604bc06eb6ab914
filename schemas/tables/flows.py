"""flows: the TCP connections kept."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from schemas.model import BOOL, LONG, STRING, TIMESTAMP, Column, Table
from schemas.relations import NotAbove, Sum
from schemas.shared_columns import CAPTURE_ID, COMMUNITY_ID, ENDS, ID, OF_CAPTURE, UID
from schemas.vocabulary import CHOSEN_BY, CONN_STATES, DECIDED_BY

FLOWS = Table(
    "flows",
    "One TCP connection kept. A 4-tuple used again is another row.",
    (
        UID,
        COMMUNITY_ID,
        # The other tables' are copies of this one.
        replace(ID, inside=ENDS),
        Column(
            "orig_decided_by",
            STRING,
            "How the client was told: `syn`, `bind` (who bound), `port` (a well-known port is the server's), "
            "`request` (who asked), `first_packet`.",
            required=True,
            values=DECIDED_BY,
        ),
        Column(
            "chosen_by",
            STRING,
            "Why it was kept: `interface` (it binds to one of ours), `port`, `endpoint` (one of ours was announced or "
            "met there), `conflict` (DCE/RPC whose segments disagree, so that nobody knows what was said) or `scope`.",
            required=True,
            values=CHOSEN_BY,
        ),
        Column(
            "interfaces",
            pa.list_(STRING),
            "UUIDs of the interfaces it proposed to bind to, in order; of a flood the first 64 and ours.",
            required=True,
        ),
        Column("first_ts", TIMESTAMP, "Time of its first packet."),
        Column("first_ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("last_ts", TIMESTAMP, "Time of its last packet."),
        Column("last_ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column(
            "conn_state",
            STRING,
            "Zeek's: S0 S1 SF REJ S2 S3 RSTO RSTR RSTOS0 RSTRH SH SHR OTH.",
            required=True,
            values=CONN_STATES,
        ),
        Column(
            "history",
            STRING,
            "Zeek's letters in order, upper case from orig: s SYN, h SYN-ACK, a ACK, d data, f FIN, r RST, g gap, "
            "t retransmission, w zero window, i and q odd flags, ^ the first packet was not the client's.",
            required=True,
        ),
        Column("orig_pkts", LONG, "Packets from orig.", required=True, low=0),
        Column("resp_pkts", LONG, "Packets from resp.", required=True, low=0),
        Column("orig_bytes", LONG, "Payload bytes orig sent, missing ones included.", required=True, low=0),
        Column("resp_bytes", LONG, "Payload bytes resp sent, missing ones included.", required=True, low=0),
        Column(
            "missed_bytes",
            LONG,
            "Bytes of both directions that the stream had and the capture has not.",
            required=True,
            low=0,
        ),
        Column("orig_missed_bytes", LONG, "Those of orig.", required=True, low=0),
        Column("resp_missed_bytes", LONG, "Those of resp.", required=True, low=0),
        Column(
            "duplicate_bytes",
            LONG,
            "Payload bytes seen again: retransmissions, keep-alives, second taps; compared up to 1 MiB back.",
            required=True,
            low=0,
        ),
        Column(
            "discarded_bytes",
            LONG,
            "Payload bytes out of window, before the start or too late for a gap given up.",
            required=True,
            low=0,
        ),
        Column(
            "conflicts", LONG, "Overlapping segments whose bytes differed from those seen first.", required=True, low=0
        ),
        Column(
            "pdus_recognised", LONG, "DCE/RPC PDU headers met while recognising the protocol.", required=True, low=0
        ),
        Column("starts_midstream", BOOL, "Neither SYN nor SYN-ACK was captured.", required=True),
        Column("tcp_stream", LONG, "Wireshark's `tcp.stream` in the first capture.", low=0),
        CAPTURE_ID,
        Column("first_frame", LONG, "Frame of its first packet in that capture.", required=True, low=1),
        Column(
            "capture_ids", pa.list_(STRING), "All captures that have packets of it, in order of input.", required=True
        ),
    ),
    key=("uid",),
    relations=(
        NotAbove("first_ts_ns", "last_ts_ns"),
        Sum("missed_bytes", ("orig_missed_bytes", "resp_missed_bytes")),
        OF_CAPTURE,
    ),
)
