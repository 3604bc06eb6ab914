"""Every shape to its TCP header, byte-exact."""

from __future__ import annotations

import ipaddress

import pytest

from decoders.limits import MAX_IPV6_EXTENSIONS
from decoders.net.dissect import dissect, dissect_transport
from decoders.net.model import IpFragment, PacketOutcome, SetAside, TcpHeader
from tests.builders import packets as p
from tests.decoders.net.shapes import FRAME, PAYLOAD, SEGMENT, SHAPES, TOO_DEEP, V4, V6, Shape


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_finds_the_segment(shape: Shape) -> None:
    found = dissect(shape.packet, shape.link_type)
    assert isinstance(found, TcpHeader), found
    assert (found.sport, found.dport, found.seq, found.ack) == (50001, 2103, 0xF0000001, 0x80000002)
    assert (found.flags, found.window) == (p.PSH | p.ACK, 513)
    assert found.payload_offset == shape.payload_offset
    assert found.payload_len == found.payload_wire_len == len(PAYLOAD)
    assert shape.packet[found.payload_offset : found.payload_offset + found.payload_len] == PAYLOAD
    inner = {4: (p.CLIENT, p.SERVER), 16: (p.CLIENT6, p.SERVER6)}[len(found.src)]
    assert tuple(str(ipaddress.ip_address(address)) for address in (found.src, found.dst)) == inner


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_counts_what_the_snap_length_cut(shape: Shape) -> None:
    for captured in range(shape.payload_offset, shape.payload_offset + len(PAYLOAD)):
        found = dissect(shape.packet[:captured], shape.link_type)
        assert isinstance(found, TcpHeader)
        assert found.payload_len == captured - shape.payload_offset
        assert found.payload_wire_len == len(PAYLOAD)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_says_where_a_header_was_cut(shape: Shape) -> None:
    fixed = shape.payload_offset - (12 if shape.name == "tcp options" else 0)
    for captured in range(fixed):
        found = dissect(shape.packet[:captured], shape.link_type)
        assert isinstance(found, SetAside)
        assert found.outcome == PacketOutcome.HEADER_CUT
        assert 0 <= found.offset <= captured


def test_tcp_options_may_be_cut() -> None:
    found = dissect(p.ethernet(p.ipv4(p.tcp(PAYLOAD, options=bytes(12))))[:60], 1)
    assert isinstance(found, TcpHeader)
    assert (found.payload_offset, found.payload_len, found.payload_wire_len) == (60, 0, len(PAYLOAD))


@pytest.mark.parametrize("packet", [p.ethernet(p.ipv4(SEGMENT, total=0)), p.ethernet(p.ipv6(SEGMENT, length=0))])
def test_segmentation_offload_leaves_the_length_to_the_capture(packet: bytes) -> None:
    whole = dissect(packet, 1, len(packet))
    assert isinstance(whole, TcpHeader)
    assert whole.payload_len == whole.payload_wire_len == len(PAYLOAD)
    cut = dissect(packet[:-5], 1, len(packet))
    assert isinstance(cut, TcpHeader)
    assert (cut.payload_len, cut.payload_wire_len) == (len(PAYLOAD) - 5, len(PAYLOAD))


def test_wire_length_counts_only_for_segmentation_offload() -> None:
    assert dissect(FRAME, 1, 9000) == dissect(FRAME, 1)


def test_ipv4_fragment() -> None:
    found = dissect(p.ethernet(p.ipv4(bytes(24), 17, identification=77, fragment_offset=1480, more=True))[:-4], 1)
    assert found == IpFragment(
        src=bytes([10, 0, 0, 1]),
        dst=bytes([10, 0, 0, 2]),
        protocol=17,
        identification=77,
        fragment_offset=1480,
        more=True,
        payload_offset=34,
        payload_len=20,
        payload_wire_len=24,
    )


def test_ipv6_fragment_behind_other_extensions() -> None:
    extensions = [p.hop_by_hop(), p.fragment(1448, more=False, identification=0xDEADBEEF)]
    found = dissect(p.ipv6(bytes(30), 6, extensions=extensions), 101)
    assert isinstance(found, IpFragment)
    assert (found.protocol, found.identification, found.fragment_offset) == (6, 0xDEADBEEF, 1448)
    assert (found.more, found.payload_offset, found.payload_len) == (False, 56, 30)


def test_fragment_inside_a_tunnel() -> None:
    packet = p.ethernet(p.ipv4(p.vxlan(p.ethernet(p.ipv4(bytes(16), more=True))), 17, src="192.0.2.1"))
    found = dissect(packet, 1)
    assert isinstance(found, IpFragment)
    assert found.src == bytes([10, 0, 0, 1])
    assert packet[found.payload_offset :] == bytes(16)


@pytest.mark.parametrize(
    ("packet", "outcome", "offset"),
    [
        (p.ethernet(bytes(46), p.ARP), PacketOutcome.NOT_IP, 14),
        (p.ethernet(b"\x42\x42\x03" + bytes(35), 38), PacketOutcome.NOT_IP, 17),
        (p.llc_snap(bytes(40), 0x2000), PacketOutcome.NOT_IP, 22),
        (p.ethernet(V4, tags=[(0x8100, 1)] * 5), PacketOutcome.TOO_DEEP, 30),
        (p.ethernet(p.ipv4(bytes(8), 1)), PacketOutcome.NOT_TCP, 34),
        (p.ethernet(p.ipv4(p.udp(b"x"), 17)), PacketOutcome.NOT_TCP, 42),
        (p.ethernet(p.ipv4(p.vxlan(FRAME, flags=0), 17)), PacketOutcome.NOT_TCP, 50),
        (p.ethernet(p.ipv4(p.gre(V4, version=1), 47)), PacketOutcome.NOT_TCP, 38),
        (p.ethernet(p.ipv6(b"", 59)), PacketOutcome.NOT_TCP, 54),
        (
            p.ethernet(p.ipv6(SEGMENT, extensions=[p.hop_by_hop()] * 17)),
            PacketOutcome.TOO_DEEP,
            54 + 8 * MAX_IPV6_EXTENSIONS,
        ),
        (p.ethernet(V6, p.IPV4), PacketOutcome.MALFORMED, 14),
        (p.ethernet(V4, p.IPV6), PacketOutcome.MALFORMED, 14),
        (p.ethernet(b"\x44" + V4[1:]), PacketOutcome.MALFORMED, 14),
        (p.ethernet(p.ipv4(SEGMENT, total=19)), PacketOutcome.MALFORMED, 14),
        (p.ethernet(p.ipv4(SEGMENT, total=20)), PacketOutcome.MALFORMED, 34),
        (p.ethernet(p.ipv4(SEGMENT, total=39)), PacketOutcome.MALFORMED, 34),
        (p.ethernet(p.ipv4(SEGMENT, total=0, more=True)), PacketOutcome.MALFORMED, 34),
        (p.ethernet(p.ipv6(SEGMENT, extensions=[p.fragment(8)], length=0)), PacketOutcome.MALFORMED, 62),
        (p.ethernet(p.ipv6(SEGMENT, extensions=[(60, b"\xff" + bytes(6))])), PacketOutcome.MALFORMED, 56),
        (p.ethernet(p.ipv4(SEGMENT[:12] + b"\x40" + SEGMENT[13:])), PacketOutcome.MALFORMED, 34),
        (p.ethernet(p.ipv4(SEGMENT[:12] + b"\xf0" + SEGMENT[13:])), PacketOutcome.MALFORMED, 34),
        (p.ethernet(p.ipv4(p.vxlan(FRAME[:20]), 17)), PacketOutcome.MALFORMED, 64),
    ],
)
def test_sets_aside(packet: bytes, outcome: PacketOutcome, offset: int) -> None:
    found = dissect(packet, 1)
    assert isinstance(found, SetAside)
    assert (found.outcome, found.offset) == (outcome, offset), found.detail


def test_other_link_types() -> None:
    assert dissect(FRAME, 105) == SetAside(PacketOutcome.UNSUPPORTED_LINK, "link type 105", 0)
    assert dissect(p.null(V4, 7), 0) == SetAside(PacketOutcome.NOT_IP, "address family 7", 4)
    assert dissect(p.null(V4), 108) == SetAside(PacketOutcome.NOT_IP, f"address family {2 << 24}", 4)
    assert dissect(b"\x50" + V4[1:], 101) == SetAside(PacketOutcome.MALFORMED, "IP version 5", 0)
    assert dissect(V6, 228) == SetAside(PacketOutcome.MALFORMED, "IPv4 header says version 6, length 0", 0)
    assert dissect(b"", 101) == SetAside(PacketOutcome.HEADER_CUT, "IP header is cut", 0)


def test_llc_with_the_access_point_of_ip() -> None:
    found = dissect(p.ethernet(b"\x06\x06\x03" + V4, 3 + len(V4)), 1)
    assert isinstance(found, TcpHeader)
    assert found.payload_offset == 57


@pytest.mark.parametrize("packet", TOO_DEEP)
def test_more_tunnels_than_allowed(packet: bytes) -> None:
    found = dissect(packet, 1)
    assert isinstance(found, SetAside)
    assert found.outcome == PacketOutcome.TOO_DEEP


@pytest.mark.parametrize(
    ("protocol", "payload", "offset"),
    [(6, SEGMENT, 20), (17, p.vxlan(FRAME), 16 + 54), (47, p.gre(V4), 44), (41, V6, 60)],
)
def test_goes_on_behind_a_reassembled_datagram(protocol: int, payload: bytes, offset: int) -> None:
    found = dissect_transport(protocol, bytes(4), bytes(4), payload)
    assert isinstance(found, TcpHeader)
    assert (found.payload_offset, found.payload_len) == (offset, len(PAYLOAD))


def test_reassembled_ipv6_may_begin_with_extensions() -> None:
    found = dissect_transport(60, bytes(16), bytes(16), b"\x06" + p.destination()[1] + SEGMENT)
    assert isinstance(found, TcpHeader)
    assert found.payload_offset == 28
    short = dissect_transport(6, bytes(16), bytes(16), SEGMENT[:19])
    assert short == SetAside(PacketOutcome.MALFORMED, "TCP header does not fit in its datagram", 0)
