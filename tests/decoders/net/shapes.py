"""One packet of each shape that dissect() unwraps, every one around the same TCP segment."""

from __future__ import annotations

from typing import NamedTuple

from decoders.net.numbers import LinkType
from tests.builders import packets as p

PAYLOAD = b"sixteen bytes...plus seven"
SEGMENT = p.tcp(PAYLOAD, sport=50001, dport=2103, seq=0xF0000001, ack=0x80000002, window=513)
OPTIONS = p.tcp(PAYLOAD, sport=50001, dport=2103, seq=0xF0000001, ack=0x80000002, window=513, options=bytes([1] * 12))
V4, V6 = p.ipv4(SEGMENT), p.ipv6(SEGMENT)
FRAME = p.ethernet(V4)

LINK_TYPES = (*LinkType, 105)
"""All that are read, and 802.11, which is not."""


class Shape(NamedTuple):
    name: str
    link_type: int
    packet: bytes
    payload_offset: int


def _tunnel(payload: bytes, protocol: int) -> bytes:
    return p.ethernet(p.ipv4(payload, protocol, src="192.0.2.1", dst="192.0.2.2"))


def _vxlan_in_vxlan(depth: int, frame: bytes = FRAME) -> bytes:
    for _ in range(depth):
        frame = p.ethernet(p.ipv4(p.vxlan(frame), 17))
    return frame


SHAPES = (
    Shape("ethernet", 1, FRAME, 54),
    Shape("ethernet padding", 1, FRAME + bytes(9), 54),
    Shape("ethernet ipv6", 1, p.ethernet(V6), 74),
    Shape("ipv4 options", 1, p.ethernet(p.ipv4(SEGMENT, options=bytes([1] * 8))), 62),
    Shape("ipv4 most options", 1, p.ethernet(p.ipv4(SEGMENT, options=bytes([1] * 40))), 94),
    Shape("tcp options", 1, p.ethernet(p.ipv4(OPTIONS)), 66),
    Shape("vlan", 1, p.ethernet(V4, tags=[(0x8100, 7)]), 58),
    Shape("qinq", 1, p.ethernet(V6, tags=[(0x88A8, 7), (0x8100, 8)]), 82),
    Shape("old qinq", 1, p.ethernet(V4, tags=[(0x9100, 7), (0x8100, 8)]), 62),
    Shape("four tags", 1, p.ethernet(V4, tags=[(0x88A8, 1), (0x8100, 2), (0x8100, 3), (0x8100, 4)]), 70),
    Shape("snap", 1, p.llc_snap(V4), 62),
    Shape("snap ipv6", 1, p.llc_snap(V6), 82),
    Shape("sll", 113, p.sll(V4), 56),
    Shape("sll ipv6", 113, p.sll(V6), 76),
    Shape("sll2", 276, p.sll2(V4), 60),
    Shape("sll2 ipv6", 276, p.sll2(V6), 80),
    Shape("raw", 101, V4, 40),
    Shape("raw ipv6", 101, V6, 60),
    Shape("raw 12", 12, V4, 40),
    Shape("raw 14", 14, V6, 60),
    Shape("ipv4 link", 228, V4, 40),
    Shape("ipv6 link", 229, V6, 60),
    Shape("null little", 0, p.null(V4), 44),
    Shape("null big", 0, p.null(V4, order=">"), 44),
    *(Shape(f"null ipv6 {family}", 0, p.null(V6, family), 64) for family in (10, 24, 28, 30)),
    Shape("null ipv6 big", 0, p.null(V6, 30, order=">"), 64),
    Shape("loop", 108, p.null(V4, order=">"), 44),
    Shape("loop ipv6", 108, p.null(V6, order=">"), 64),
    Shape("hop by hop", 1, p.ethernet(p.ipv6(SEGMENT, extensions=[p.hop_by_hop()])), 82),
    Shape(
        "extensions",
        1,
        p.ethernet(
            p.ipv6(
                SEGMENT,
                extensions=[p.hop_by_hop(1), p.destination(), p.routing(2), p.authentication(), p.destination(1)],
            )
        ),
        74 + 16 + 8 + 24 + 24 + 16,
    ),
    Shape("atomic fragment", 1, p.ethernet(p.ipv6(SEGMENT, extensions=[p.fragment()])), 82),
    Shape("ipv4 in ipv4", 1, _tunnel(V4, 4), 74),
    Shape("ipv6 in ipv4", 1, _tunnel(V6, 41), 94),
    Shape("ipv4 in ipv6", 1, p.ethernet(p.ipv6(V4, 4)), 94),
    Shape("gre ipv4", 1, _tunnel(p.gre(V4), 47), 78),
    Shape("gre ipv6", 1, _tunnel(p.gre(V6), 47), 98),
    Shape("gre all fields", 1, _tunnel(p.gre(V4, checksum=True, key=9, sequence=3), 47), 90),
    Shape("gre ethernet", 1, _tunnel(p.gre(FRAME, 0x6558, key=1), 47), 96),
    Shape("gre in ipv6", 1, p.ethernet(p.ipv6(p.gre(V4), 47)), 98),
    Shape("erspan 1", 1, _tunnel(p.erspan1(FRAME), 47), 92),
    Shape("erspan 2", 1, _tunnel(p.erspan2(FRAME), 47), 104),
    Shape("erspan 3", 1, _tunnel(p.erspan3(FRAME), 47), 108),
    Shape("erspan 3 subheader", 1, _tunnel(p.erspan3(FRAME, subheader=True), 47), 116),
    Shape("erspan 3 ip", 1, _tunnel(p.erspan3(V4, frame_type=2), 47), 94),
    Shape("vxlan", 1, _tunnel(p.vxlan(FRAME), 17), 104),
    Shape("vxlan vlan ipv6", 1, _tunnel(p.vxlan(p.ethernet(V6, tags=[(0x8100, 5)])), 17), 128),
    Shape("vxlan over ipv6", 1, p.ethernet(p.ipv6(p.vxlan(FRAME), 17)), 124),
    Shape("vxlan over raw", 101, p.ipv4(p.vxlan(FRAME), 17), 90),
    Shape("gre in vxlan", 1, _tunnel(p.vxlan(_tunnel(p.gre(V4), 47)), 17), 128),
    Shape("deepest", 1, _vxlan_in_vxlan(4), 54 + 4 * 50),
)

TOO_DEEP = (_vxlan_in_vxlan(5), _vxlan_in_vxlan(4, _tunnel(p.gre(V4), 47)), _vxlan_in_vxlan(4, _tunnel(V4, 4)))

ASIDE = (
    (1, p.ethernet(bytes(46), p.ARP)),
    (1, p.ethernet(p.ipv4(p.udp(b"query"), 17))),
    (1, p.ethernet(p.ipv6(p.udp(b"query"), 17))),
    (1, p.ethernet(p.ipv4(bytes(8), 1))),
    (1, p.ethernet(p.ipv4(p.vxlan(FRAME, flags=0), 17))),
    (1, p.ethernet(p.ipv4(p.gre(V4, version=1), 47))),
    (1, p.ethernet(p.ipv4(p.gre(bytes(8), 0x880B), 47))),
    (1, _tunnel(p.vxlan(p.ethernet(bytes(46), p.ARP)), 17)),
    (1, p.ethernet(p.ipv4(SEGMENT[:24], more=True))),
    (1, p.ethernet(p.ipv6(SEGMENT[:24], extensions=[p.fragment(8)]))),
    *((1, packet) for packet in TOO_DEEP),
    (1, _tunnel(p.vxlan(p.ethernet(p.ipv4(SEGMENT[:16], fragment_offset=800))), 17)),
    (1, p.ethernet(p.ipv4(SEGMENT, total=0))),
    (1, p.ethernet(p.ipv6(SEGMENT, length=0))),
    (1, p.ethernet(V4, tags=[(0x8100, 1)] * 5)),
    (1, p.llc_snap(bytes(40), 0x2000)),
    (113, p.sll(bytes(20), 1)),
    (0, p.null(V4, 7)),
    (101, b"\x50" + V4[1:]),
)
"""Packets that end otherwise, for comparisons and mutations."""
