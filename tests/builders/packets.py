"""Packets from the inside out: each function puts one header before what it carries.

    ethernet(ipv4(tcp(b"payload", dport=2103)))

Addresses are text. Only the IPv4 header checksum is right; those of TCP and UDP are 0 (UDP: not computed).
"""

from __future__ import annotations

import ipaddress
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

CLIENT, SERVER = "10.0.0.1", "10.0.0.2"
CLIENT6, SERVER6 = "2001:db8::1", "2001:db8::2"
IPV4, IPV6, ARP = 0x0800, 0x86DD, 0x0806
SYN, PSH, ACK = 0x02, 0x08, 0x10

Extension = tuple[int, bytes]
"""The header's own number, and its bytes after the next header field."""


def ethernet(payload: bytes, kind: int | None = None, *, tags: Sequence[tuple[int, int]] = ()) -> bytes:
    """`tags` are (ethertype, VLAN id), outermost first. The ethertype follows from an IP payload if not given."""
    kinds = [*(tag for tag, _ in tags), _kind(payload, kind)]
    vlans = b"".join(struct.pack(">HH", vlan, after) for (_, vlan), after in zip(tags, kinds[1:], strict=True))
    return bytes.fromhex("020000000002 020000000001") + struct.pack(">H", kinds[0]) + vlans + payload


def llc_snap(payload: bytes, kind: int | None = None) -> bytes:
    """An 802.3 frame: length, LLC, SNAP with organisation 0."""
    body = b"\xaa\xaa\x03\0\0\0" + struct.pack(">H", _kind(payload, kind)) + payload
    return bytes.fromhex("020000000002 020000000001") + struct.pack(">H", len(body)) + body


def sll(payload: bytes, kind: int | None = None) -> bytes:
    return struct.pack(">HHH8sH", 0, 1, 6, bytes.fromhex("020000000001"), _kind(payload, kind)) + payload


def sll2(payload: bytes, kind: int | None = None) -> bytes:
    link = bytes.fromhex("020000000001")
    return struct.pack(">HHIHBB8s", _kind(payload, kind), 0, 2, 1, 0, 6, link) + payload


def null(payload: bytes, family: int | None = None, *, order: str = "<") -> bytes:
    """BSD loopback; LOOP is the same with order ">"."""
    default = 2 if payload[:1] and payload[0] >> 4 == 4 else 24
    return struct.pack(f"{order}I", default if family is None else family) + payload


def ipv4(
    payload: bytes,
    protocol: int = 6,
    *,
    src: str = CLIENT,
    dst: str = SERVER,
    options: bytes = b"",
    identification: int = 1,
    fragment_offset: int = 0,
    more: bool = False,
    total: int | None = None,
) -> bytes:
    """`fragment_offset` in bytes; `total` overrides the total length."""
    options += bytes(-len(options) % 4)
    size = 20 + len(options)
    total = size + len(payload) if total is None else total
    flags = more << 13 | fragment_offset >> 3
    head = struct.pack(">BBHHHBBH", 0x40 | size >> 2, 0, total, identification, flags, 64, protocol, 0)
    head += _packed(src) + _packed(dst) + options
    return head[:10] + struct.pack(">H", _checksum(head)) + head[12:] + payload


def ipv4_fragments(payload: bytes, protocol: int = 6, *, size: int = 1480, identification: int = 1) -> list[bytes]:
    """One datagram in fragments of `size` bytes, a multiple of 8."""
    return [
        ipv4(
            payload[at : at + size],
            protocol,
            identification=identification,
            fragment_offset=at,
            more=at + size < len(payload),
        )
        for at in range(0, len(payload), size)
    ]


def ipv6(
    payload: bytes,
    protocol: int = 6,
    *,
    src: str = CLIENT6,
    dst: str = SERVER6,
    extensions: Sequence[Extension] = (),
    length: int | None = None,
) -> bytes:
    """`protocol` is that of the payload, behind the extensions; `length` overrides the payload length."""
    following = [*(number for number, _ in extensions), protocol]
    chain = b"".join(bytes([after]) + body for (_, body), after in zip(extensions, following[1:], strict=True))
    length = len(chain) + len(payload) if length is None else length
    return struct.pack(">IHBB", 6 << 28, length, following[0], 64) + _packed(src) + _packed(dst) + chain + payload


def hop_by_hop(units: int = 0) -> Extension:
    return 0, _options(units)


def routing(units: int = 0) -> Extension:
    return 43, bytes([units]) + bytes(6 + 8 * units)


def destination(units: int = 0) -> Extension:
    return 60, _options(units)


def authentication(words: int = 4) -> Extension:
    """`words` is the length field: 32-bit words less two."""
    return 51, bytes([words]) + bytes((words + 2) * 4 - 2)


def fragment(offset: int = 0, *, more: bool = False, identification: int = 1) -> Extension:
    """`offset` in bytes. Offset 0 without more is an atomic fragment (RFC 6946)."""
    return 44, struct.pack(">BHI", 0, offset | more, identification)


def tcp(
    payload: bytes = b"",
    *,
    sport: int = 49152,
    dport: int = 135,
    seq: int = 1,
    ack: int = 1,
    flags: int = PSH | ACK,
    window: int = 8192,
    options: bytes = b"",
) -> bytes:
    options += bytes(-len(options) % 4)
    words = 5 + len(options) // 4
    return struct.pack(">HHIIBBHHH", sport, dport, seq, ack, words << 4, flags, window, 0, 0) + options + payload


def udp(payload: bytes, *, sport: int = 40000, dport: int = 53) -> bytes:
    return struct.pack(">HHHH", sport, dport, 8 + len(payload), 0) + payload


def vxlan(frame: bytes, *, vni: int = 1, flags: int = 0x08) -> bytes:
    """UDP and VXLAN before an Ethernet frame: the payload of IP protocol 17."""
    return udp(struct.pack(">II", flags << 24, vni << 8) + frame, dport=4789)


def gre(
    payload: bytes,
    kind: int | None = None,
    *,
    checksum: bool = False,
    key: int | None = None,
    sequence: int | None = None,
    version: int = 0,
) -> bytes:
    flags = checksum << 15 | (key is not None) << 13 | (sequence is not None) << 12 | version
    optional = bytes(4) if checksum else b""
    optional += b"".join(struct.pack(">I", value) for value in (key, sequence) if value is not None)
    return struct.pack(">HH", flags, _kind(payload, kind)) + optional + payload


def erspan1(frame: bytes) -> bytes:
    return gre(frame, 0x88BE)


def erspan2(frame: bytes, *, session: int = 1) -> bytes:
    return gre(struct.pack(">HHI", 0x1000, session, 0) + frame, 0x88BE, sequence=7)


def erspan3(frame: bytes, *, session: int = 1, subheader: bool = False, frame_type: int = 0) -> bytes:
    """Frame type 0 is Ethernet, 2 is IP."""
    head = struct.pack(">HHIHH", 0x2000, session, 0, 0, frame_type << 10 | subheader)
    return gre(head + bytes(8 * subheader) + frame, 0x22EB, sequence=7)


def _kind(payload: bytes, kind: int | None) -> int:
    if kind is not None:
        return kind
    return IPV6 if payload[:1] and payload[0] >> 4 == 6 else IPV4


def _options(units: int) -> bytes:
    # Pad1 and PadN would do as well; zeros are Pad1.
    return bytes([units]) + bytes(6 + 8 * units)


def _packed(address: str) -> bytes:
    return ipaddress.ip_address(address).packed


def _checksum(head: bytes) -> int:
    total: int = sum(struct.unpack(f">{len(head) // 2}H", head))
    total = (total & 0xFFFF) + (total >> 16)
    return ~(total + (total >> 16)) & 0xFFFF
