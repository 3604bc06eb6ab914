"""pdus: the DCE/RPC PDUs of kept connections."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import BOOL, INT, LONG, STRING, TIMESTAMP, Column, Table
from schemas.shared_columns import CAPTURE_ID, UID

_ELSEWHERE = pa.list_(pa.struct([pa.field("capture_id", STRING), pa.field("frame", LONG)]))

_PROPOSED = pa.struct(
    [
        pa.field("ctx_id", INT),
        pa.field("interface_uuid", STRING),
        pa.field("interface_version", STRING),
        pa.field("transfer_syntaxes", pa.list_(STRING)),
    ]
)
_RESULT = pa.struct([pa.field("result", STRING), pa.field("reason", STRING), pa.field("transfer_syntax", STRING)])

PDUS = Table(
    "pdus",
    "One DCE/RPC PDU of a connection in `flows`, whole or cut.",
    (
        UID,
        Column("ts", TIMESTAMP, "Time of the frame that holds its first byte."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("is_orig", BOOL, "Sent by orig, the RPC client."),
        Column("pkt_type", STRING, "PDU type: `request`, `response`, `fault`, `bind`, `bind_ack`, `bind_nak` ..."),
        Column("pkt_type_number", INT, "The same as on the wire."),
        Column("rpc_version", STRING, "`5.0` or `5.1`."),
        Column("little_endian", BOOL, "The PDU's own integers, as its data representation says."),
        Column("call_id", LONG, "Call id."),
        Column("ctx_id", INT, "Presentation context; only in requests, responses and faults."),
        Column("opnum", INT, "Operation number; only in requests."),
        Column("object_uuid", STRING, "Object the request addresses, where it names one."),
        Column("flags", INT, "pfc_flags."),
        Column("frag_len", INT, "Length of the PDU on the wire."),
        Column("captured_len", LONG, "Bytes of it that the capture has."),
        Column("auth_type", INT, "Security provider of its trailer: 9 SPNEGO, 10 NTLM, 16 Kerberos ..."),
        Column("auth_level", INT, "2 connect, 4 packet, 5 integrity, 6 privacy."),
        Column("auth_context_id", LONG, "Which of the connection's security contexts."),
        Column("assoc_group_id", LONG, "Association group; only in bind, alter_context and their answers."),
        Column("proposed", pa.list_(_PROPOSED), "Presentation contexts that a bind or alter_context proposes."),
        Column("results", pa.list_(_RESULT), "What the server answers to each of them, in order."),
        Column("reject_reason", STRING, "Why a bind was refused altogether; only in bind_nak."),
        Column("fault", LONG, "Status; only in faults, also in those that refuse an alter_context."),
        Column("fault_name", STRING, "Its name."),
        Column("fate", STRING, "What became of it: `mqtrail schema accounting` explains the names, stage `pdus`."),
        Column("call_uid", STRING, "The call in `calls` it belongs to."),
        Column("stream_offset", LONG, "Offset of its first byte in its direction of the TCP stream."),
        Column("frames", pa.list_(LONG), "Frames of that capture that hold bytes of it."),
        Column("elsewhere", _ELSEWHERE, "Frames in other captures, where it continues in the next file."),
        CAPTURE_ID,
    ),
)
