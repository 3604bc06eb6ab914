"""The beginnings of DCE/RPC payloads, enough for a recogniser: [C706] 12.6.4."""

from __future__ import annotations

import struct
import uuid
from typing import TYPE_CHECKING, Final

import numpy as np

from bench.traffic import PDU_BYTES, Pdu

if TYPE_CHECKING:
    from bench.traffic import Traffic
    from decoders.net.model import Bytes, Column

_QMCOMM: Final = uuid.UUID("fdb3a030-065f-11d1-bb9b-00a024ea5525").bytes_le + struct.pack("<I", 1)
_NDR: Final = uuid.UUID("8a885d04-1ceb-11c9-9fe8-08002b104860").bytes_le + struct.pack("<I", 2)
_BODIES: Final = {
    Pdu.BIND: struct.pack("<HHIB3xHBx", 5840, 5840, 0, 1, 0, 1) + _QMCOMM + _NDR,
    Pdu.BIND_ACK: struct.pack("<HHIH5sxB3xHH", 5840, 5840, 1, 5, b"2103", 1, 0, 0) + _NDR,
    Pdu.REQUEST: struct.pack("<IHH", 0, 0, 7),
    Pdu.RESPONSE: struct.pack("<IHBx", 0, 0, 0),
}
_TYPES: Final = {Pdu.BIND: 11, Pdu.BIND_ACK: 12, Pdu.REQUEST: 0, Pdu.RESPONSE: 2}


def write_pdus(octets: Bytes, payload_starts: Column, traffic: Traffic) -> None:
    """One PDU a segment that should have one, as long as its payload."""
    for pdu, body in _BODIES.items():
        rows = np.flatnonzero(traffic.pdu == pdu)
        template = struct.pack("<BBBB4sHHI", 5, 0, _TYPES[pdu], 3, b"\x10\0\0\0", 0, 0, 1) + body
        assert len(template) == PDU_BYTES[pdu]
        values = np.tile(np.frombuffer(template, np.uint8), (len(rows), 1))
        lengths = traffic.payload_len[rows]
        values[:, 8], values[:, 9] = lengths & 0xFF, lengths >> 8
        octets[payload_starts[rows][:, None] + np.arange(len(template))] = values
