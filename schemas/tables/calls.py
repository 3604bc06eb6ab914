"""calls: RPC calls, request and response paired."""

from __future__ import annotations

import pyarrow as pa

from schemas.model import BOOL, INT, LONG, STRING, TIMESTAMP, U8, U16, U32, Column, Table
from schemas.relations import AtLeast
from schemas.shared_columns import CALL_UID, CAPTURE_ID, COMMUNITY_ID, ID, OF_CAPTURE, OF_FLOW, UID, USERNAME
from schemas.vocabulary import CALL_OUTCOMES, DECODE_STATES, ENDPOINT_NAMES, INTERFACE_SOURCES, OPERATIONS

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
            "Microseconds from the request's last fragment to the answer's first; negative where a request of several "
            "fragments was answered before its last one. Null where clocks contradict each other.",
        ),
        Column("endpoint", STRING, "Name of the interface; null where it is not known.", values=ENDPOINT_NAMES),
        Column("interface_uuid", STRING, "Its UUID."),
        Column("interface_version", STRING, "Its version, e.g. `1.0`."),
        Column(
            "interface_source",
            STRING,
            "How the interface is known: `bind`; or inferred: `bind_unanswered` (only the proposal was captured), "
            "`verification_trailer`, `endpoint_mapper` (announced for that address and port, also by a port query, or "
            "by calls that were answered there), `port`, `outer_call` (a callback's).",
            values=INTERFACE_SOURCES,
        ),
        Column("opnum", INT, "Operation number; null where only the response was captured.", low=0, high=U16),
        Column("operation", STRING, "Its name in the specification.", values=OPERATIONS),
        Column("object_uuid", STRING, "Object the request addresses, where it names one."),
        Column("call_id", LONG, "Call id; used again after the call is over.", required=True, low=0, high=U32),
        Column("ctx_id", INT, "Presentation context.", low=0, high=U16),
        Column(
            "assoc_group_id",
            LONG,
            "Association group: a context handle is valid on all its connections.",
            low=0,
            high=U32,
        ),
        Column("transfer_syntax", STRING, "`ndr` or `ndr64`; any other as its UUID."),
        Column("is_callback", BOOL, "The server called the client, within a call of the client.", required=True),
        Column(
            "auth_type",
            INT,
            "Security provider: 9 SPNEGO, 10 NTLM, 16 Kerberos ...; null without security.",
            low=0,
            high=U8,
        ),
        Column("auth_level", INT, "2 connect, 4 packet, 5 integrity, 6 privacy.", low=0, high=U8),
        Column("auth_context_id", LONG, "Which of the connection's security contexts.", low=0, high=U32),
        USERNAME,
        Column("domain", STRING, "Its domain."),
        Column("encrypted", BOOL, "Stubs are sealed (privacy level).", required=True),
        Column("unsealed", BOOL, "And all that was captured of them could be unsealed, see --secrets.", required=True),
        Column(
            "verified",
            BOOL,
            "The signatures of all its PDUs fit; false: one does not; null: not all could be checked, see --secrets.",
        ),
        Column(
            "outcome",
            STRING,
            "What became of it: `mqtrail schema accounting` explains the names, stage `calls`.",
            required=True,
            values=CALL_OUTCOMES,
        ),
        Column("cancel_sent", BOOL, "The client sent a cancel for it.", required=True),
        Column("orphaned", BOOL, "The client gave it up.", required=True),
        Column(
            "status",
            LONG,
            "Return value; for epm the [out] status. Null for operations that return none.",
            low=0,
            high=U32,
        ),
        Column("status_name", STRING, "Its name, e.g. `MQ_ERROR_IO_TIMEOUT`."),
        Column("fault", LONG, "Status of the fault PDU that answered it.", low=0, high=U32),
        Column("fault_name", STRING, "Its name, e.g. `nca_s_fault_context_mismatch`."),
        Column("did_not_execute", BOOL, "The fault says that the call was not executed."),
        Column(
            "decode_state",
            STRING,
            "`full`: all that was captured was decoded; `partial`: some of it, see `issues`; `opaque`: nothing, since "
            "the stubs are sealed or the operation is not known.",
            required=True,
            values=DECODE_STATES,
        ),
        Column("request_bytes", LONG, "Stub bytes of the request, without security and verification trailers.", low=0),
        Column("response_bytes", LONG, "Stub bytes of the response.", low=0),
        Column("request_fragments", INT, "PDUs of the request.", low=1),
        Column("response_fragments", INT, "PDUs of the response or fault.", low=1),
        Column("request_frames", pa.list_(LONG), "Frames of the request in that capture.", required=True),
        Column("response_frames", pa.list_(LONG), "Frames of the response or fault in that capture.", required=True),
        Column("other_frames", _OTHER_FRAMES, "Frames in other captures, where it continues in the next file."),
        CAPTURE_ID,
    ),
    key=("call_uid",),
    relations=(
        # An answer may come while later fragments of the request are under way, never before its first.
        AtLeast("rtt_us", 0, "request_fragments", 1, "the response is not before the request"),
        OF_FLOW,
        OF_CAPTURE,
    ),
)
