"""Values of the story as packets of scapy-rpc, which scapy then marshals itself."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from msrpcs import ms_mqmr, ms_mqqp
from scapy.layers.dcerpc import NDRContextHandle, NDRPacket, NDRUnion
from scapy.packet import Packet, Raw

from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Syntax
from decoders.ndr.texts import guid_bytes
from tests.second_opinion.stubs.scapy_calls import call as opinion
from tests.second_opinion.stubs.scapy_declarations import VOID

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder
    from tests.live.model import Call, Talk, Values

ENDIAN = {"<": "little", ">": "big"}
_OPERATIONS = {"qm2qm": ms_mqqp.QM2QM_OPNUMS, "qmmgmt": ms_mqmr.QMMGMT_OPNUMS}
_STRUCTURES = {
    "lpRemoteReadDesc": ms_mqqp.REMOTEREADDESC,
    "lpRemoteReadDesc2": ms_mqqp.REMOTEREADDESC2,
    "pRemoteReadDesc": ms_mqqp.REMOTEREADDESC,
    "pLicGuid": ms_mqqp.GUID,
    "pphContext": NDRContextHandle,
    "phContext": NDRContextHandle,
    "pObjectFormat": ms_mqmr.MGMT_OBJECT,
    "pQueueFormat": ms_mqmr.QUEUE_FORMAT,
    "apVar": ms_mqmr.tag_inner_PROPVARIANT,
    "puuid": ms_mqmr.GUID,
    "caul": ms_mqmr.CAUL,
}
_UNIONS = {"type": "value", "m_qft": "value", "vt": "_varUnion"}
"""Discriminants, and how scapy-rpc calls the union behind each."""


def stub(talk: Talk, call: Call, direction: Direction) -> Packet:
    operation = call.declared
    values = call.request if direction is Direction.IN else call.response
    if call.operation in VOID and direction is Direction.OUT:
        # scapy-rpc has a return value where the method is void: our encoder's bytes instead.
        return Raw(load=encode(operation, direction, values, call.interface.types, talk.syntax, talk.byte_order))
    if talk.mended:
        return opinion(call.operation, direction, talk.syntax, talk.byte_order).packet(values)
    made = _OPERATIONS[call.interface.name][operation.opnum]
    packet = _packet(made.request if direction is Direction.IN else made.response, values, talk.byte_order)
    packet.ndr64 = talk.syntax is Syntax.NDR64
    packet.ndrendian = ENDIAN[talk.byte_order]
    return packet


def _packet(kind: type[NDRPacket], values: Values, order: ByteOrder) -> NDRPacket:
    fields: dict[str, Any] = {}
    named = dict(values)
    for switch, union in _UNIONS.items():
        if switch in named:
            fields[switch] = tag = named.pop(switch)
            arms = named.pop(union) if union in named else {n: named.pop(n) for n in list(named) if not _known(kind, n)}
            inner = next((_value(n, v, order) for n, v in arms.items()), b"")
            fields[union] = NDRUnion(tag=tag, value=inner)  # type: ignore[no-untyped-call]
    for name, value in named.items():
        fields["status" if name == "return_value" else name] = _value(name, value, order)
    return kind(**fields)


def _known(kind: type[NDRPacket], name: str) -> bool:
    return any(field.name == name for field in kind.fields_desc)


def _value(name: str, value: Any, order: ByteOrder) -> Any:  # noqa: ANN401
    kind = _STRUCTURES.get(name)
    if kind is NDRContextHandle:
        raw = bytes(16) if value is None else guid_bytes(value, order)
        return NDRContextHandle(attributes=0, uuid=raw)  # type: ignore[no-untyped-call]
    if isinstance(value, list):
        return [_value(name, one, order) for one in value]
    if kind is None or value is None:
        return value
    if isinstance(value, str):
        one = uuid.UUID(value)
        return kind(Data1=one.time_low, Data2=one.time_mid, Data3=one.time_hi_version, Data4=one.bytes[8:])
    return _packet(kind, value, order)
