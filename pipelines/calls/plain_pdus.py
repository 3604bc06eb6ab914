"""Rows of `pdus` for exchanges that were read together: by column, since all of them say the same few things."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow as pa

from decoders.dcerpc.call_model import PduFate
from decoders.dcerpc.header import RPC_VERSION, PacketType
from schemas.tables.pdus import PDUS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.dcerpc.call_model import Call
    from decoders.dcerpc.exchanges import Exchange, Fragment
    from pipelines.calls.connection import Captures, Place

_NAMES: Final = {kind: kind.name.lower() for kind in (PacketType.REQUEST, PacketType.RESPONSE)}
_VERSIONS: Final = {minor: f"{RPC_VERSION}.{minor}" for minor in (0, 1)}
_NO_CLAIMS: Final = (None, None, None)
_CONSTANTS: Final[dict[str, Any]] = {
    "little_endian": True,
    "fate": PduFate.CALL.value,
}


class PlainPdu(NamedTuple):
    """What differs between them; the names are those of the columns."""

    uid: str
    ts: int
    ts_ns: int
    is_orig: bool
    pkt_type: str
    pkt_type_number: int
    rpc_version: str
    call_id: int
    ctx_id: int | None
    opnum: int | None
    flags: int
    frag_len: int
    captured_len: int
    auth_type: int | None
    auth_level: int | None
    auth_context_id: int | None
    call_uid: str
    stream_offset: int
    frames: list[int]
    capture_id: str


def plain_rows(exchanges: Sequence[Exchange], place: Place, captures: Captures) -> list[PlainPdu]:
    rows: list[PlainPdu] = []
    for call, request, response in exchanges:
        uid = place.call_uid(call.key)
        rows += [_row(one, call, PacketType.REQUEST, call.opnum, place.uid, uid, captures) for one in request]
        rows += [_row(one, call, PacketType.RESPONSE, None, place.uid, uid, captures) for one in response]
    return rows


def _row(
    pdu: Fragment, call: Call, kind: PacketType, opnum: int | None, uid: str, call_uid: str, captures: Captures
) -> PlainPdu:
    auth_type, auth_level, auth_context_id = pdu.claims or _NO_CLAIMS
    size, ts_ns = pdu.end - pdu.offset, pdu.ts_ns
    return PlainPdu(
        uid,
        ts_ns // 1000,
        ts_ns,
        kind is PacketType.REQUEST,
        _NAMES[kind],
        int(kind),
        _VERSIONS[pdu.minor],
        call.call_id,
        call.ctx_id,
        opnum,
        pdu.flags,
        size,
        size,
        auth_type,
        auth_level,
        auth_context_id,
        call_uid,
        pdu.offset,
        [frame for _, frame in pdu.frames],
        captures.capture_id(pdu.frames[0][0]),
    )


def plain_batch(rows: Sequence[PlainPdu]) -> pa.RecordBatch:
    columns = dict(zip(PlainPdu._fields, zip(*rows, strict=True), strict=True))
    arrays = [
        pa.array(columns[column.name], column.type)
        if column.name in columns
        else pa.repeat(pa.scalar(_CONSTANTS.get(column.name), column.type), len(rows))
        for column in PDUS.columns
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=PDUS.arrow)
