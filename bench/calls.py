"""From ordered segments to batches of tables: framing, pairing, decoding. Every packet carries a PDU of a receive."""

from __future__ import annotations

import random
import struct
import uuid
from typing import TYPE_CHECKING, Final

from bench.measure import Work
from bench.stubs import receive_stubs
from decoders.interfaces.qm2qm import INTERFACE
from decoders.tcp.model import ACK, PSH, SYN, Segment, Side
from ingest.choice import Choice
from pipelines.connections.assembler import Assembler
from pipelines.connections.decoding import Decoding
from pipelines.connections.segment_runs import SegmentRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Inputs

_SHARE: Final = 20
"""One packet in so many of those asked for: a call costs far more than a header."""
CALLS: Final = 100
"""Of one connection."""
NDR: Final = uuid.UUID("8a885d04-1ceb-11c9-9fe8-08002b104860").bytes_le + struct.pack("<I", 2)
_QM2QM: Final = uuid.UUID(INTERFACE.uuid).bytes_le + struct.pack("<I", 1)
_BIND: Final = struct.pack("<HHIB3xHBx", 5840, 5840, 0, 1, 0, 1) + _QM2QM + NDR
BIND_ACK: Final = struct.pack("<HHIH5sxB3xHH", 5840, 5840, 1, 5, b"2103", 1, 0, 0) + NDR


def receives(inputs: Inputs) -> Callable[[], Work]:
    return decoding(conversations(share_of(inputs)), in_bulk=True)


def careful_receives(inputs: Inputs) -> Callable[[], Work]:
    """Each PDU by the state machines, as unusual traffic is read."""
    return decoding(conversations(share_of(inputs)), in_bulk=False)


def share_of(inputs: Inputs) -> int:
    return max(1, inputs.packets // _SHARE)


def decoding(rows: list[SegmentRow], *, in_bulk: bool = True) -> Callable[[], Work]:
    octets = sum(len(row.segment.payload) for row in rows)

    def run() -> Work:
        assembler = Assembler(Choice(), ["capture"], ["path"], in_bulk=in_bulk)
        for _ in Decoding(assembler, keep_payload=False).run(rows):
            pass
        return Work(len(rows), octets)

    return run


def conversations(packets: int) -> list[SegmentRow]:
    rng = random.Random(5)
    asked, answered = receive_stubs(rng)
    talk = [(Side.LOW, pdu(11, _BIND, 1)), (Side.HIGH, pdu(12, BIND_ACK, 1))]
    for call in range(2, CALLS + 2):
        talk.append((Side.LOW, pdu(0, struct.pack("<IHH", len(asked), 0, 0) + asked, call)))
        talk.append((Side.HIGH, pdu(2, struct.pack("<IHBx", len(answered), 0, 0) + answered, call)))
    return repeated(packets, talk)


def repeated(packets: int, talk: list[tuple[Side, bytes]]) -> list[SegmentRow]:
    """The same talk by one client after the other, until there are so many packets."""
    rows: list[SegmentRow] = []
    key = 0
    while len(rows) < packets:
        key += 1
        rows += _rows(key, talk, len(rows))
    return rows


def _rows(key: int, talk: list[tuple[Side, bytes]], number: int) -> list[SegmentRow]:
    ends = (bytes((10, 0, key >> 8 & 255, key & 255)), 50_000), (b"\x0b\0\0\1", 2105)
    following = {Side.LOW: 1_001, Side.HIGH: 5_001}
    rows = [(Side.LOW, 1_000, 0, SYN, b""), (Side.HIGH, 5_000, 1_001, SYN | ACK, b"")]
    for sender, payload in talk:
        rows.append((sender, following[sender], following[sender.peer], PSH | ACK, payload))
        following[sender] += len(payload)
    return [
        SegmentRow(
            key,
            *ends,
            Segment(sender, (number + n) * 1_000, 0, number + n, seq, ack, flags, 501, payload, len(payload)),
        )
        for n, (sender, seq, ack, flags, payload) in enumerate(rows, 1)
    ]


def pdu(kind: int, body: bytes, call_id: int, flags: int = 3) -> bytes:
    return struct.pack("<BBBB4sHHI", 5, 0, kind, flags, b"\x10\0\0\0", 16 + len(body), 0, call_id) + body
