"""Capture files by our own writers, independent of the readers under test.

    pcap([Packet(frame, ts=1_500)], nanoseconds=True)
    pcapng(section(), interface(resolution=ten(9)), epb(frame, ticks=1_500))

Blocks of a pcapng file take the byte order of the section they are joined into.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

ByteOrder = Literal["<", ">"]
Option = tuple[int, bytes]
Block = Callable[[ByteOrder], bytes]
"""Bytes of a block, once the byte order is known."""

SHB, IDB, OPB, SPB, NRB, ISB, EPB = 0x0A0D0D0A, 1, 2, 3, 4, 5, 6
IF_NAME, IF_TSRESOL, IF_TSOFFSET = 2, 9, 14


@dataclass(frozen=True, slots=True)
class Packet:
    data: bytes
    ts: int = 0
    """In ticks of the file since 1970."""
    wire_len: int | None = None


def pcap_header(
    byte_order: ByteOrder = "<",
    *,
    nanoseconds: bool = False,
    modified: bool = False,
    link_type: int = 1,
    snap_len: int = 262_144,
    version: tuple[int, int] = (2, 4),
) -> bytes:
    magic = 0xA1B2CD34 if modified else 0xA1B23C4D if nanoseconds else 0xA1B2C3D4
    return struct.pack(f"{byte_order}IHHiIII", magic, *version, 0, 0, snap_len, link_type)


def pcap_record(
    packet: Packet,
    byte_order: ByteOrder = "<",
    *,
    nanoseconds: bool = False,
    modified: bool = False,
    claimed: int | None = None,
) -> bytes:
    """`claimed` overrides the captured length."""
    seconds, fraction = divmod(packet.ts, 1_000_000_000 if nanoseconds else 1_000_000)
    captured = len(packet.data) if claimed is None else claimed
    wire = len(packet.data) if packet.wire_len is None else packet.wire_len
    head = struct.pack(f"{byte_order}IIII", seconds, fraction, captured, wire)
    # Interface index, protocol, packet type, padding: whatever they are, nothing depends on them.
    return head + (struct.pack(f"{byte_order}IHBB", 7, 0x0800, 4, 0) if modified else b"") + packet.data


def pcap(
    packets: list[Packet],
    byte_order: ByteOrder = "<",
    *,
    nanoseconds: bool = False,
    modified: bool = False,
    link_type: int = 1,
    snap_len: int = 262_144,
) -> bytes:
    head = pcap_header(byte_order, nanoseconds=nanoseconds, modified=modified, link_type=link_type, snap_len=snap_len)
    return head + b"".join(
        pcap_record(packet, byte_order, nanoseconds=nanoseconds, modified=modified) for packet in packets
    )


def pcapng(*blocks: Block, byte_order: ByteOrder = "<") -> bytes:
    """One section."""
    return b"".join(block(byte_order) for block in blocks)


def block(kind: int, body: bytes, *, opens: int | None = None, closes: int | None = None) -> Block:
    """`opens` and `closes` override the two lengths."""

    def write(byte_order: ByteOrder) -> bytes:
        padded = body + bytes(-len(body) % 4)
        total = 12 + len(padded)
        head = struct.pack(f"{byte_order}II", kind, total if opens is None else opens)
        return head + padded + struct.pack(f"{byte_order}I", total if closes is None else closes)

    return write


def section(*, version: tuple[int, int] = (1, 0), options: tuple[Option, ...] = ()) -> Block:
    """The section length stays unknown (-1), as live captures write it."""
    return lambda order: block(SHB, struct.pack(f"{order}IHHq", 0x1A2B3C4D, *version, -1) + _options(options, order))(
        order
    )


def interface(
    link_type: int = 1,
    snap_len: int = 0,
    *,
    resolution: bytes | None = None,
    offset_seconds: int | None = None,
    options: tuple[Option, ...] = (),
) -> Block:
    def write(order: ByteOrder) -> bytes:
        found = list(options)
        if resolution is not None:
            found.append((IF_TSRESOL, resolution))
        if offset_seconds is not None:
            found.append((IF_TSOFFSET, struct.pack(f"{order}q", offset_seconds)))
        return block(IDB, struct.pack(f"{order}HHI", link_type, 0, snap_len) + _options(tuple(found), order))(order)

    return write


def ten(exponent: int) -> bytes:
    """if_tsresol: 10^-exponent seconds."""
    return bytes([exponent])


def two(exponent: int) -> bytes:
    """if_tsresol: 2^-exponent seconds."""
    return bytes([0x80 | exponent])


def epb(
    data: bytes,
    ticks: int = 0,
    *,
    number: int = 0,
    wire_len: int | None = None,
    claimed: int | None = None,
    options: tuple[Option, ...] = (),
) -> Block:
    """`number` is the interface's; `claimed` overrides the captured length."""
    return lambda order: block(
        EPB,
        struct.pack(
            f"{order}IIIII",
            number,
            ticks >> 32,
            ticks & 0xFFFF_FFFF,
            len(data) if claimed is None else claimed,
            len(data) if wire_len is None else wire_len,
        )
        + _padded(data)
        + _options(options, order),
    )(order)


def opb(data: bytes, ticks: int = 0, *, number: int = 0, drops: int = 0, wire_len: int | None = None) -> Block:
    """The obsolete Packet Block."""
    wire = len(data) if wire_len is None else wire_len
    return lambda order: block(
        OPB,
        struct.pack(f"{order}HHIIII", number, drops, ticks >> 32, ticks & 0xFFFF_FFFF, len(data), wire) + _padded(data),
    )(order)


def spb(data: bytes, *, wire_len: int | None = None) -> Block:
    wire = len(data) if wire_len is None else wire_len
    return lambda order: block(SPB, struct.pack(f"{order}I", wire) + _padded(data))(order)


def names() -> Block:
    """A name resolution block: one IPv4 name, end of records."""
    return lambda order: block(
        NRB, struct.pack(f"{order}HH", 1, 9) + _padded(b"\x0a\0\0\1host\0") + struct.pack(f"{order}HH", 0, 0)
    )(order)


def statistics(number: int = 0) -> Block:
    return lambda order: block(ISB, struct.pack(f"{order}III", number, 0, 0))(order)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _options(options: tuple[Option, ...], order: ByteOrder) -> bytes:
    if not options:
        return b""
    written = (struct.pack(f"{order}HH", code, len(value)) + _padded(value) for code, value in options)
    return b"".join(written) + bytes(4)
