"""calls: RPC calls, request and response paired."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import BOOL, INT, LONG, STRING, TIMESTAMP, Column, Table
from schemas.shared_columns import CALL_UID, CAPTURE_ID, COMMUNITY_ID, ID, UID

_OTHER_FRAMES = pa.list_(pa.struct([pa.field("side", STRING), pa.field("capture_id", STRING), pa.field("frame", LONG)]))

CALLS = Table(
    "calls",
    "One RPC call: request and response paired, either of which may be missing.",
    (
        CALL_UID,
        Column("ts", TIMESTAMP, "Time of its first PDU."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        UID,
        COMMUNITY_ID,
        ID,
        Column(
            "rtt_us",
            LONG,
            "Microseconds from the request's last fragment to the answer's first; negative where that came first.",
        ),
        Column("endpoint", STRING, "Name of the interface; null where it is not known."),
        Column("interface_uuid", STRING, "Its UUID."),
        Column("interface_version", STRING, "Its version, e.g. `1.0`."),
        Column(
            "interface_source",
            STRING,
            "How the interface is known: `bind`; or inferred: `bind_unanswered` (only the proposal was captured), "
            "`verification_trailer`, `endpoint_mapper` (announced for that address and port, or by a port query), "
            "`port`, `outer_call` (a callback's).",
        ),
        Column("opnum", INT, "Operation number; null where only the response was captured."),
        Column("operation", STRING, "Its name in the specification."),
        Column("object_uuid", STRING, "Object the request addresses, where it names one."),
        Column("call_id", LONG, "Call id; used again after the call is over."),
        Column("ctx_id", INT, "Presentation context."),
        Column("assoc_group_id", LONG, "Association group: a context handle is valid on all its connections."),
        Column("transfer_syntax", STRING, "`ndr` or `ndr64`; any other as its UUID."),
        Column("is_callback", BOOL, "The server called the client, within a call of the client."),
        Column("auth_type", INT, "Security provider: 9 SPNEGO, 10 NTLM, 16 Kerberos ...; null without security."),
        Column("auth_level", INT, "2 connect, 4 packet, 5 integrity, 6 privacy."),
        Column("username", STRING, "Account in the connection's NTLM authentication; claimed, not proven."),
        Column("domain", STRING, "Its domain."),
        Column("encrypted", BOOL, "Stubs are sealed (privacy level)."),
        Column("outcome", STRING, "What became of it: `mqtrail schema accounting` explains the names, stage `calls`."),
        Column("cancel_sent", BOOL, "The client sent a cancel for it."),
        Column("orphaned", BOOL, "The client gave it up."),
        Column("status", LONG, "Return value; for epm the [out] status. Null for operations that return none."),
        Column("status_name", STRING, "Its name, e.g. `MQ_ERROR_IO_TIMEOUT`."),
        Column("fault", LONG, "Status of the fault PDU that answered it."),
        Column("fault_name", STRING, "Its name, e.g. `nca_s_fault_context_mismatch`."),
        Column("did_not_execute", BOOL, "The fault says that the call was not executed."),
        Column(
            "decode_state",
            STRING,
            "`full`: all that was captured was decoded; `partial`: some of it, see `issues`; `opaque`: nothing, since "
            "the stubs are sealed or the operation is not known.",
        ),
        Column("request_bytes", LONG, "Stub bytes of the request, without security and verification trailers."),
        Column("response_bytes", LONG, "Stub bytes of the response."),
        Column("request_fragments", INT, "PDUs of the request."),
        Column("response_fragments", INT, "PDUs of the response or fault."),
        Column("request_frames", pa.list_(LONG), "Frames of the request in that capture."),
        Column("response_frames", pa.list_(LONG), "Frames of the response or fault in that capture."),
        Column("other_frames", _OTHER_FRAMES, "Frames in other captures, where it continues in the next file."),
        CAPTURE_ID,
    ),
)
