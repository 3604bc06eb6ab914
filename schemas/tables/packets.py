"""packets: what the data source `pcap` gives. Not written by `mqtrail analyze`."""

from __future__ import annotations

from schemas.model import BINARY, INT, LONG, STRING, TIMESTAMP, U16, U32, Column, Table
from schemas.shared_columns import PATH
from schemas.vocabulary import PACKET_OUTCOMES

PACKETS = Table(
    "packets",
    'One captured packet; from `spark.read.format("pcap")` only.',
    (
        PATH,
        Column("frame_number", LONG, "Counted from 1 within the file, as Wireshark does.", required=True, low=1),
        Column("ts", TIMESTAMP, "Time of capture; null where the file has none."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("interface_id", INT, "Interface within its pcapng section; 0 in a pcap.", low=0),
        Column("link_type", INT, "Link type of that interface.", low=0),
        Column("captured_len", LONG, "Bytes captured.", required=True, low=0),
        Column("wire_len", LONG, "Bytes on the wire.", required=True, low=0),
        Column(
            "outcome",
            STRING,
            "`tcp`, `ip_fragment`, `not_ip`, `not_tcp`, `unsupported_link`, `header_cut`, `malformed` or `too_deep`. "
            "The columns that follow are null unless it is `tcp`.",
            required=True,
            values=PACKET_OUTCOMES,
        ),
        Column("ip_version", INT, "4 or 6, of the innermost IP header.", low=4, high=6),
        Column("src_h", STRING, "Source address."),
        Column("src_p", INT, "Source port.", low=0, high=U16),
        Column("dst_h", STRING, "Destination address."),
        Column("dst_p", INT, "Destination port.", low=0, high=U16),
        Column("seq", LONG, "Sequence number as on the wire.", low=0, high=U32),
        Column("ack", LONG, "Acknowledgement number as on the wire.", low=0, high=U32),
        Column("flags", INT, "TCP flags, FIN = 1, SYN = 2, RST = 4, PSH = 8, ACK = 16.", low=0, high=U16),
        Column("window", INT, "Window as on the wire, unscaled.", low=0, high=U16),
        Column("payload_len", LONG, "TCP payload bytes captured.", low=0),
        Column("payload_wire_len", LONG, "TCP payload bytes on the wire.", low=0),
        Column(
            "payload",
            BINARY,
            "The captured payload. Leave it out of the schema, or set `headersOnly`, to save reading it.",
        ),
    ),
    key=("path", "frame_number"),
)
