"""pdus: the DCE/RPC PDUs of kept connections."""

from __future__ import annotations

from typing import NotRequired, TypedDict

import pyarrow as pa

from decoders.dcerpc.call_model import PDU_FATES
from decoders.dcerpc.header import HEADER_BYTES, PacketType
from schemas.model import BOOL, INT, LONG, STRING, TIMESTAMP, U8, U16, U32, Column, Table
from schemas.relations import NotAbove
from schemas.shared_columns import CAPTURE_ID, OF_CALL, OF_CAPTURE, OF_FLOW, UID
from schemas.vocabulary import PDU_TYPES, RPC_VERSIONS

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


class FrameElsewhere(TypedDict):
    """An element of the column `elsewhere`."""

    capture_id: str
    frame: int


class ProposedContext(TypedDict):
    """An element of the column `proposed`."""

    ctx_id: int
    interface_uuid: str
    interface_version: str
    transfer_syntaxes: list[str]


class ContextAnswer(TypedDict):
    """An element of the column `results`."""

    result: str
    reason: str | None
    transfer_syntax: str | None


class Negotiated(TypedDict):
    """What binds, their answers and faults say."""

    proposed: NotRequired[list[ProposedContext]]
    results: NotRequired[list[ContextAnswer]]
    reject_reason: NotRequired[str]
    fault: NotRequired[int]
    fault_name: NotRequired[str | None]


class PduRow(Negotiated):
    uid: str
    ts: int | None
    ts_ns: int | None
    is_orig: bool
    pkt_type: str
    pkt_type_number: int
    rpc_version: str
    little_endian: bool
    call_id: int
    ctx_id: int | None
    opnum: int | None
    object_uuid: str | None
    flags: int
    frag_len: int
    captured_len: int
    auth_type: int | None
    auth_level: int | None
    auth_context_id: int | None
    assoc_group_id: int | None
    fate: str
    call_uid: str | None
    stream_offset: int
    frames: list[int]
    elsewhere: list[FrameElsewhere] | None
    capture_id: str


PDUS = Table(
    "pdus",
    "One DCE/RPC PDU of a connection in `flows`, whole or cut.",
    (
        UID,
        Column("ts", TIMESTAMP, "Time of the frame that holds its first byte."),
        Column("ts_ns", LONG, "The same in nanoseconds since 1970."),
        Column("is_orig", BOOL, "Sent by orig, the RPC client.", required=True),
        Column(
            "pkt_type",
            STRING,
            "PDU type: `request`, `response`, `fault`, `bind`, `bind_ack`, `bind_nak` ...",
            required=True,
            values=PDU_TYPES,
        ),
        Column("pkt_type_number", INT, "The same as on the wire.", required=True, low=0, high=max(PacketType)),
        Column("rpc_version", STRING, "`5.0` or `5.1`.", required=True, values=RPC_VERSIONS),
        Column("little_endian", BOOL, "The PDU's own integers, as its data representation says.", required=True),
        Column("call_id", LONG, "Call id.", required=True, low=0, high=U32),
        Column("ctx_id", INT, "Presentation context; only in requests, responses and faults.", low=0, high=U16),
        Column("opnum", INT, "Operation number; only in requests.", low=0, high=U16),
        Column("object_uuid", STRING, "Object the request addresses, where it names one."),
        Column("flags", INT, "pfc_flags.", required=True, low=0, high=U8),
        Column("frag_len", INT, "Length of the PDU on the wire.", required=True, low=HEADER_BYTES, high=U16),
        Column("captured_len", LONG, "Bytes of it that the capture has.", required=True, low=1),
        Column(
            "auth_type", INT, "Security provider of its trailer: 9 SPNEGO, 10 NTLM, 16 Kerberos ...", low=0, high=U8
        ),
        Column("auth_level", INT, "2 connect, 4 packet, 5 integrity, 6 privacy.", low=0, high=U8),
        Column("auth_context_id", LONG, "Which of the connection's security contexts.", low=0, high=U32),
        Column(
            "assoc_group_id", LONG, "Association group; only in bind, alter_context and their answers.", low=0, high=U32
        ),
        Column("proposed", pa.list_(_PROPOSED), "Presentation contexts that a bind or alter_context proposes."),
        Column("results", pa.list_(_RESULT), "What the server answers to each of them, in order."),
        Column("reject_reason", STRING, "Why a bind was refused altogether; only in bind_nak."),
        Column("fault", LONG, "Status; only in faults, also in those that refuse an alter_context.", low=0, high=U32),
        Column("fault_name", STRING, "Its name."),
        Column(
            "fate",
            STRING,
            "What became of it: `mqtrail schema accounting` explains the names, stage `pdus`.",
            required=True,
            values=tuple(map(str, PDU_FATES)),
        ),
        Column("call_uid", STRING, "The call in `calls` it belongs to."),
        Column(
            "stream_offset", LONG, "Offset of its first byte in its direction of the TCP stream.", required=True, low=0
        ),
        Column("frames", pa.list_(LONG), "Frames of that capture that hold bytes of it.", required=True),
        Column("elsewhere", _ELSEWHERE, "Frames in other captures, where it continues in the next file."),
        CAPTURE_ID,
    ),
    key=("uid", "is_orig", "stream_offset"),
    relations=(NotAbove("captured_len", "frag_len"), OF_FLOW, OF_CALL, OF_CAPTURE),
)
