"""DCE/RPC PDUs by hand, just enough to look real to a recogniser."""

from __future__ import annotations

import struct
import uuid

QM2QM = "1088a980-eae5-11d0-8d9b-00a02453c337"
EPM = "e1af8308-5d1f-11c9-91a4-08002b14a0fa"
SAMR = "12345778-1234-abcd-ef00-0123456789ac"
NDR = "8a885d04-1ceb-11c9-9fe8-08002b104860"
REQUEST, RESPONSE, BIND, BIND_ACK, ALTER_CONTEXT = 0, 2, 11, 12, 14


def pdu(kind: int, body: bytes, call_id: int = 1) -> bytes:
    return struct.pack("<BBBBIHHI", 5, 0, kind, 3, 0x10, 16 + len(body), 0, call_id) + body


def bind(*interfaces: str, kind: int = BIND) -> bytes:
    body = struct.pack("<HHIB3x", 5840, 5840, 0, len(interfaces))
    for number, interface in enumerate(interfaces):
        body += struct.pack("<HBx", number, 1) + _syntax(interface, 3 if interface == EPM else 1) + _syntax(NDR, 2)
    return pdu(kind, body)


def bind_ack(accepted: int = 1, kind: int = BIND_ACK, call_id: int = 1) -> bytes:
    """Takes the first `accepted` contexts proposed."""
    results = (struct.pack("<HH", 0, 0) + _syntax(NDR, 2)) * accepted
    address = struct.pack("<HHIH", 5840, 5840, 77, 5) + b"2103\0" + b"\0"
    return pdu(kind, address + struct.pack("<B3x", accepted) + results, call_id)


def request(stub: bytes = b"stub", opnum: int = 0, call_id: int = 1) -> bytes:
    return pdu(REQUEST, struct.pack("<IHH", len(stub), 0, opnum) + stub, call_id)


def response(stub: bytes = b"back", call_id: int = 1) -> bytes:
    return pdu(RESPONSE, struct.pack("<IHBx", len(stub), 0, 0) + stub, call_id)


def _syntax(interface: str, version: int) -> bytes:
    return uuid.UUID(interface).bytes_le + struct.pack("<I", version)
