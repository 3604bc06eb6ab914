"""A second opinion: tshark finds the same segments behind every encapsulation."""

from __future__ import annotations

import struct
import subprocess
from typing import TYPE_CHECKING

import pytest

from decoders.net.dissect import dissect
from decoders.net.model import TcpHeader
from tests.builders import packets as p
from tests.decoders.net.shapes import ASIDE, FRAME, SEGMENT, SHAPES, TOO_DEEP, V4, V6
from tests.tools import need

if TYPE_CHECKING:
    from pathlib import Path

FIELDS = ("tcp.srcport", "tcp.dstport", "tcp.seq_raw", "tcp.ack_raw", "tcp.window_size_value", "tcp.len")
LINK_TYPES = sorted({shape.link_type for shape in SHAPES})

ERSPAN_IP = next(shape.packet for shape in SHAPES if shape.name == "erspan 3 ip")
WE_DIFFER = {
    p.null(V6, 10): "tshark 4.0 does not know Linux's AF_INET6 in a loopback header",
    ERSPAN_IP: "tshark 4.0 shows frame type 2 (IP) as data; draft-foschiano-erspan-03 defines it",
    p.ethernet(p.ipv4(p.vxlan(FRAME, flags=0), 17)): "RFC 7348 5: not valid without the I flag; tshark does not ask",
    p.ethernet(p.ipv4(p.gre(V4, version=1), 47)): "RFC 2637 4.1: version 1 carries only PPP; tshark does not ask",
    p.ethernet(p.ipv4(SEGMENT[:24], more=True)): "tshark shows the TCP header in a first fragment; we put it together",
    p.ethernet(p.ipv6(SEGMENT, length=0)): "tshark takes offload's length 0 for IPv4 only",
    p.ethernet(V4, tags=[(0x8100, 1)] * 5): "MAX_VLAN_TAGS",
    **dict.fromkeys(TOO_DEEP, "MAX_TUNNEL_DEPTH"),
}


def segments(
    path: Path, packets: list[bytes], link_type: int, wire_lengths: list[int] | None = None
) -> list[tuple[int, ...] | None]:
    """What tshark sees of each packet: the innermost TCP header, or nothing."""
    records = b"".join(
        struct.pack("<IIII", 1_700_000_000, 0, len(packet), wire_len) + packet
        for packet, wire_len in zip(packets, wire_lengths or map(len, packets), strict=True)
    )
    path.write_bytes(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, link_type) + records)
    options = ["-n", "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE", "-E", "occurrence=l"]
    fields = [argument for field in FIELDS for argument in ("-e", field)]
    command = [need("tshark"), "-r", str(path), *options, "-T", "fields", *fields]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [tuple(int(field or -1) for field in line.split("\t")) if line.strip() else None for line in lines]


def ours(packet: bytes, link_type: int) -> tuple[int, ...] | None:
    found = dissect(packet, link_type)
    if not isinstance(found, TcpHeader):
        return None
    return found.sport, found.dport, found.seq, found.ack, found.window, found.payload_wire_len


@pytest.mark.parametrize("link_type", LINK_TYPES)
def test_same_segments(link_type: int, tmp_path: Path) -> None:
    packets = [shape.packet for shape in SHAPES if shape.link_type == link_type]
    packets += [packet for kind, packet in ASIDE if kind == link_type]
    for packet, theirs in zip(packets, segments(tmp_path / "all.pcap", packets, link_type), strict=True):
        assert (theirs != ours(packet, link_type)) == (packet in WE_DIFFER), packet.hex()


def test_same_lengths_where_the_snap_length_cut(tmp_path: Path) -> None:
    packets = [shape.packet[: shape.payload_offset + 9] for shape in SHAPES if shape.link_type == 1]
    wire_lengths = [len(shape.packet) for shape in SHAPES if shape.link_type == 1]
    for packet, theirs in zip(packets, segments(tmp_path / "cut.pcap", packets, 1, wire_lengths), strict=True):
        assert theirs == ours(packet, 1) or packet[:94] == ERSPAN_IP[:94], packet.hex()
