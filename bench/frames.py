"""Traffic as bytes: the headers of each kind are written in bulk over a buffer of random payload."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from bench.traffic import Kind

if TYPE_CHECKING:
    from bench.traffic import Traffic
    from decoders.net.model import Bytes, Column

_MAC = [("receiver", "V6"), ("sender", "V6")]
_TYPE = [("type", ">u2")]
_TAG = [("tag_type", ">u2"), ("tag", ">u2")]
_IPV4 = [
    ("version", "u1"), ("tos", "u1"), ("total", ">u2"), ("id", ">u2"), ("fragment", ">u2"),
    ("ttl", "u1"), ("protocol", "u1"), ("ip_checksum", ">u2"), ("src", ">u4"), ("dst", ">u4"),
]  # fmt: skip
_IPV6 = [
    ("version6", ">u4"), ("length6", ">u2"), ("protocol", "u1"), ("ttl", "u1"),
    ("src_high", ">u8"), ("src", ">u8"), ("dst_high", ">u8"), ("dst", ">u8"),
]  # fmt: skip
_TCP = [
    ("sport", ">u2"), ("dport", ">u2"), ("seq", ">u4"), ("ack", ">u4"), ("size", "u1"), ("flags", "u1"),
    ("window", ">u2"), ("tcp_checksum", ">u2"), ("urgent", ">u2"),
]  # fmt: skip
_UDP = [("sport", ">u2"), ("dport", ">u2"), ("udp_length", ">u2"), ("udp_checksum", ">u2")]
_VXLAN = [("vxlan_flags", ">u4"), ("vni", ">u4")]

_SHAPES: Final = {
    Kind.TCP4: np.dtype(_MAC + _TYPE + _IPV4 + _TCP),
    Kind.TCP4_TIMESTAMPS: np.dtype(_MAC + _TYPE + _IPV4 + _TCP + [("options", ">u4"), ("times", "V8")]),
    Kind.VLAN_TCP4: np.dtype(_MAC + _TAG + _TYPE + _IPV4 + _TCP),
    Kind.TCP6: np.dtype(_MAC + _TYPE + _IPV6 + _TCP),
    Kind.UDP4: np.dtype(_MAC + _TYPE + _IPV4 + _UDP),
    Kind.ICMP4: np.dtype(_MAC + _TYPE + _IPV4 + [("icmp", ">u8")]),
    Kind.ARP: np.dtype(_MAC + _TYPE + [("arp", ">u8"), ("arp_addresses", "V20")]),
    Kind.LLC: np.dtype([*_MAC, *_TYPE, ("llc", "V3"), ("bpdu", "V35")]),
}
_HEADER_BYTES: Final = np.array([_SHAPES[kind].itemsize for kind in Kind])
_IP_END: Final = {
    Kind.TCP4: 34,
    Kind.TCP4_TIMESTAMPS: 34,
    Kind.VLAN_TCP4: 38,
    Kind.TCP6: 54,
    Kind.UDP4: 34,
    Kind.ICMP4: 34,
}
_OUTER: Final = np.dtype(_MAC + _TYPE + _IPV4 + _UDP + _VXLAN)
_SMALLEST_FRAME: Final = 60
_CONSTANTS: Final = {
    "receiver": b"\x02\0\0\0\0\x01", "sender": b"\x02\0\0\0\0\x02", "tag_type": 0x8100, "tag": 100,
    "version": 0x45, "version6": 6 << 28, "ttl": 64, "src_high": 0x20010DB8 << 32, "dst_high": 0x20010DB8 << 32,
    "options": 0x0101080A, "window": 501, "icmp": 0x0800 << 48, "arp": 0x0001_0800_0604_0001, "llc": b"\x42\x42\x03",
    "vxlan_flags": 0x08 << 24, "vni": 42 << 8,
}  # fmt: skip
_TYPES: Final = {Kind.TCP6: 0x86DD, Kind.ARP: 0x0806, Kind.LLC: 38}
_PROTOCOLS: Final = {Kind.UDP4: 17, Kind.ICMP4: 1}
_CLIENTS, _SERVERS = 0x0A00_0001, 0x0AC8_0001


def frame_lengths(traffic: Traffic, *, vxlan: bool) -> Column:
    inner: Column = np.maximum(_HEADER_BYTES[traffic.kind] + traffic.payload_len, _SMALLEST_FRAME)
    return inner + _OUTER.itemsize if vxlan else inner


def frames(traffic: Traffic, seed: int, *, vxlan: bool) -> Bytes:
    """All frames, one after the other."""
    lengths = frame_lengths(traffic, vxlan=vxlan)
    starts = np.cumsum(lengths) - lengths
    octets = np.frombuffer(bytearray(np.random.default_rng(seed).bytes(int(lengths.sum()))), np.uint8)
    if vxlan:
        scatter(octets, starts, _outer(lengths))
        starts += _OUTER.itemsize
    for kind in Kind:
        rows = np.flatnonzero(traffic.kind == kind)
        scatter(octets, starts[rows], _headers(traffic, kind, rows))
    return octets


def scatter(octets: Bytes, starts: Column, values: Column) -> None:
    """Copy each of `values`, whatever its structure, to its place."""
    size = values.dtype.itemsize
    windows = np.ndarray((max(0, len(octets) - size + 1),), f"V{size}", buffer=octets, strides=(1,))
    windows[starts] = values.view(f"V{size}")


def _outer(lengths: Column) -> Column:
    outer = _blank(_OUTER, len(lengths))
    outer["type"], outer["protocol"], outer["total"] = 0x0800, 17, lengths - 14
    outer["src"], outer["dst"] = 0xC0A8_0001, 0xC0A8_0002
    outer["sport"], outer["dport"], outer["udp_length"] = 55_555, 4789, lengths - 34
    return outer


def _headers(traffic: Traffic, kind: Kind, rows: Column) -> Column:
    shape = _SHAPES[kind]
    header = _blank(shape, len(rows))
    header["type"] = _TYPES.get(kind, 0x0800)
    if kind in (Kind.ARP, Kind.LLC):
        return header
    from_client = traffic.from_client[rows]
    client, server = _CLIENTS + traffic.conversation[rows] // 64, _SERVERS + traffic.server[rows]
    header["protocol"] = _PROTOCOLS.get(kind, 6)
    header["src"], header["dst"] = np.where(from_client, client, server), np.where(from_client, server, client)
    above_ip = shape.itemsize - _IP_END[kind] + traffic.payload_len[rows]
    if kind is Kind.TCP6:
        header["length6"] = above_ip
    else:
        header["total"] = above_ip + 20
    if kind is Kind.ICMP4:
        return header
    ports = traffic.client_port[rows], traffic.server_port[rows]
    header["sport"], header["dport"] = np.where(from_client, *ports), np.where(from_client, *ports[::-1])
    if kind is Kind.UDP4:
        header["udp_length"] = above_ip
        return header
    header["seq"], header["ack"], header["flags"] = traffic.seq[rows], traffic.ack[rows], traffic.flags[rows]
    header["size"] = 0x80 if kind is Kind.TCP4_TIMESTAMPS else 0x50
    return header


def _blank(shape: np.dtype[np.void], count: int) -> Column:
    # Checksums stay 0, as in captures of a host whose card fills them in.
    header: Column = np.zeros(count, shape)
    for name in _CONSTANTS.keys() & set(shape.names or ()):
        header[name] = np.array(_CONSTANTS[name], shape[name])
    return header
