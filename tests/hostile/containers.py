"""Files that are expensive before a packet of them is read: blocks of pcapng, and what compression hides."""

from __future__ import annotations

import gzip
import struct
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa

from tests.builders import rpc
from tests.builders.containers import epb, interface, pcap_header, pcapng, section
from tests.hostile.tape import CLIENT, SERVER, frame, host

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

_FRAME_BYTES = 1 << 26
_FRAME = frame(CLIENT, SERVER, 40_000, 2103, 1, 1, 0x18, rpc.bind(rpc.QM2QM))
_PACKET = epb(_FRAME)("<")


def _packet(number: int) -> bytes:
    return _PACKET[:8] + struct.pack("<I", number) + _PACKET[12:]


def _filled(size: int, head: bytes, *parts: bytes) -> bytes:
    one = b"".join(parts)
    return head + one * max(1, (size - len(head)) // len(one))


def interface_before_each(size: int, _: random.Random) -> bytes:
    """Pcapng with an interface block before every packet."""
    declared = interface()("<")
    count = size // (len(declared) + len(_PACKET))
    return pcapng(section()) + b"".join(declared + _packet(number) for number in range(count))


def undeclared_interfaces(size: int, _: random.Random) -> bytes:
    """Every packet names another interface, which no block describes."""
    count = size // len(_PACKET)
    return pcapng(section(), interface()) + b"".join(_packet(number) for number in range(1, count))


def strange_interfaces(size: int, _: random.Random) -> bytes:
    """Interfaces of link types that nobody reads, and packets of each."""
    declared = [interface(1_000 + number)("<") for number in range(min(16_000, size // 600))]
    head = pcapng(section()) + b"".join(declared)
    count = (size - len(head)) // len(_PACKET)
    return head + b"".join(_packet(number % len(declared)) for number in range(count))


def many_sections(size: int, _: random.Random) -> bytes:
    return _filled(size, b"", pcapng(section(), interface()), _packet(0))


def strange_sections(size: int, _: random.Random) -> bytes:
    """Sections with an interface of a link type that nobody reads."""
    parts, number = [], 0
    while number * 500 < size:
        number += 1
        parts.append(pcapng(section(), interface(1_000 + number % 60_000)) + _packet(0))
    return b"".join(parts)


def only_interfaces(size: int, _: random.Random) -> bytes:
    """Interfaces, and then one packet."""
    return _filled(size, pcapng(section()), interface()("<")) + _packet(0)


def interfaces_then_packets(size: int, _: random.Random) -> bytes:
    """Half of it interfaces, half packets."""
    return _filled(size, _filled(size // 2, pcapng(section()), interface()("<")), _packet(0))


def small_blocks(size: int, _: random.Random) -> bytes:
    """Blocks of a kind that nobody reads."""
    return _filled(size, pcapng(section(), interface()), struct.pack("<III", 0xBAD, 12, 12)) + _packet(0)


def empty_members(size: int, _: random.Random) -> bytes:
    """Gzip of empty members."""
    head = gzip.compress(pcap_header() + _record(), mtime=0)
    return _filled(size, head, gzip.compress(b"", mtime=0))


def small_members(size: int, _: random.Random) -> bytes:
    """A member of gzip for each packet."""
    return _filled(size, gzip.compress(pcap_header(), mtime=0), gzip.compress(_record(), mtime=0))


def zeros_in_zstd(size: int, _: random.Random) -> bytes:
    """Zstd of records without a packet: thousands of bytes for each that is in the file."""
    codec = pa.Codec("zstd")
    return _zeros(size * 4_000, lambda octets: codec.compress(octets, asbytes=True))


def zeros_in_gzip(size: int, _: random.Random) -> bytes:
    return _zeros(size * 900, partial(gzip.compress, mtime=0))


def _zeros(size: int, compressed: Callable[[bytes], bytes]) -> bytes:
    """Frames, or members, that are alike: what they hold together has no room in memory."""
    first = compressed(pcap_header() + bytes(min(size, _FRAME_BYTES)))
    return first + compressed(bytes(_FRAME_BYTES)) * (max(0, size - 1) // _FRAME_BYTES)


def empty_records(size: int, _: random.Random) -> bytes:
    """Records without a packet."""
    return pcap_header() + bytes(size)


def lonely_fragments(size: int, _: random.Random) -> bytes:
    """First fragments of IP datagrams whose others never come."""
    parts, number = [pcap_header()], 0
    while number * 100 < size:
        number += 1
        octets = bytearray(frame(host(number), SERVER, 40_000, 2103, 1, 1, 0x18, bytes(24)))
        struct.pack_into(">HH", octets, 18, number & 0xFFFF, 0x2000)
        parts.append(struct.pack("<IIII", 1_700_000_000, 0, len(octets), len(octets)) + bytes(octets))
    return b"".join(parts)


def _record() -> bytes:
    return struct.pack("<IIII", 1_700_000_000, 0, len(_FRAME), len(_FRAME)) + _FRAME


IDEAS = (
    interface_before_each,
    undeclared_interfaces,
    strange_interfaces,
    many_sections,
    strange_sections,
    only_interfaces,
    interfaces_then_packets,
    small_blocks,
    empty_members,
    small_members,
    zeros_in_zstd,
    zeros_in_gzip,
    empty_records,
    lonely_fragments,
)
