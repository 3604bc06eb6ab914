"""One packet of any shape, from its link layer to TCP: the reference that bulk.py is held equal to.

Of dpkt only the header tables are used. Its parsers run ahead into the payload, swallow what goes wrong there, and
slice silently where bytes are missing; here every header is measured before it is read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import dpkt

from decoders.errors import Malformed
from decoders.limits import MAX_IPV6_EXTENSIONS, MAX_TUNNEL_DEPTH, MAX_VLAN_TAGS
from decoders.net import numbers
from decoders.net.model import PacketOutcome, SetAside, TcpHeader
from decoders.net.numbers import EtherType, LinkType, Protocol
from decoders.net.walk import Walk, run

if TYPE_CHECKING:
    from typing import Literal

    from decoders.net.model import Dissected
    from decoders.net.walk import Layer


def dissect(packet: bytes, link_type: int, wire_len: int | None = None) -> Dissected:
    """Never raises. `wire_len` matters only where segmentation offload left the IP length 0."""
    layer = _LINKS.get(link_type)
    if layer is None:
        return SetAside(PacketOutcome.UNSUPPORTED_LINK, f"link type {link_type}", 0)
    captured = len(packet)
    return run(layer, Walk(packet, end=captured, wire_end=max(captured, wire_len or 0), bounded=False))


def dissect_transport(protocol: int, src: bytes, dst: bytes, payload: bytes) -> Dissected:
    """Go on after reassembly: `payload` is that of a whole datagram, and offsets count from its first byte."""
    whole = Walk(payload, end=len(payload), wire_end=len(payload), bounded=True, src=src, dst=dst)
    return run(lambda walk: _by_protocol(walk, protocol), whole)


def _header(walk: Walk, kind: type[dpkt.Packet], what: str) -> dpkt.Packet:
    # Packet.unpack reads the declared fields and no more; a constructor would parse the payload too.
    fields = object.__new__(kind)
    dpkt.Packet.unpack(fields, walk.take(kind.__hdr_len__, what))
    return fields


def _ethernet(walk: Walk) -> Dissected:
    return _by_type(walk, _header(walk, dpkt.ethernet.Ethernet, "Ethernet header").type)


def _cooked(kind: type[dpkt.Packet]) -> Layer:
    def layer(walk: Walk) -> Dissected:
        protocol = _header(walk, kind, "SLL header").ethtype
        if protocol <= numbers.MAX_LENGTH_TYPE and protocol != numbers.SLL_LLC:
            return walk.aside(PacketOutcome.NOT_IP, f"SLL protocol {protocol}")
        return _by_type(walk, protocol)

    return layer


def _loopback(*orders: Literal["little", "big"]) -> Layer:
    def layer(walk: Walk) -> Dissected:
        raw = walk.take(4, "loopback header")
        # In the writer's own byte order: a family is a small number, so the smaller reading is the right one.
        family = min(int.from_bytes(raw, order) for order in orders)
        inner = _FAMILIES.get(family)
        return inner(walk) if inner else walk.aside(PacketOutcome.NOT_IP, f"address family {family}")

    return layer


def _raw(walk: Walk) -> Dissected:
    walk.require(1, "IP header")
    version = walk.packet[walk.at] >> 4
    layer = _VERSIONS.get(version)
    if layer is None:
        raise Malformed(f"IP version {version}", walk.at)
    return layer(walk)


def _by_type(walk: Walk, kind: int) -> Dissected:
    tags = 0
    while kind in numbers.VLAN_TYPES:
        tags += 1
        if tags > MAX_VLAN_TAGS:
            return walk.aside(PacketOutcome.TOO_DEEP, f"more than {MAX_VLAN_TAGS} VLAN tags")
        kind = _header(walk, dpkt.ethernet.VLANtag8021Q, "VLAN tag").type
    if kind <= numbers.MAX_LENGTH_TYPE:
        return _llc(walk)
    layer = _TYPES.get(kind)
    return layer(walk) if layer else walk.aside(PacketOutcome.NOT_IP, f"ethertype {kind:#06x}")


def _llc(walk: Walk) -> Dissected:
    access = walk.take(3, "LLC header")
    layer: Layer | None = None
    if access == numbers.LLC_IP:
        layer = _ipv4
    elif access == numbers.LLC_SNAP:
        # Organisation 0 and an ethertype: five bytes that equal the ethertype as one number.
        layer = _TYPES.get(int.from_bytes(walk.take(5, "SNAP header"), "big"))
    return layer(walk) if layer else walk.aside(PacketOutcome.NOT_IP, "LLC without IP")


def _ipv4(walk: Walk) -> Dissected:
    start = walk.at
    ip = _header(walk, dpkt.ip.IP, "IPv4 header")
    size = ip.hl * 4
    if ip.v != 4 or ip.hl < 5:
        raise Malformed(f"IPv4 header says version {ip.v}, length {size}", start)
    if 0 < ip.len < size:
        raise Malformed(f"IPv4 total length {ip.len} is less than the header's {size}", start)
    walk.bound(start, ip.len)
    walk.take(size - 20, "IPv4 options")
    walk.src, walk.dst = ip.src, ip.dst
    if ip.mf or ip.offset:
        return walk.fragment(ip.p, ip.id, ip.offset * 8, ip.mf)
    return _by_protocol(walk, ip.p)


def _ipv6(walk: Walk) -> Dissected:
    start = walk.at
    ip = _header(walk, dpkt.ip6.IP6, "IPv6 header")
    if ip.v != 6:
        raise Malformed(f"IPv6 header says version {ip.v}", start)
    walk.bound(walk.at, ip.plen)
    walk.src, walk.dst = ip.src, ip.dst
    return _by_protocol(walk, ip.nxt)


def _by_protocol(walk: Walk, protocol: int) -> Dissected:
    chained = numbers.EXTENSIONS[4 if len(walk.src) == 4 else 6]
    extensions = 0
    while protocol in chained:
        extensions += 1
        if extensions > MAX_IPV6_EXTENSIONS:
            return walk.aside(PacketOutcome.TOO_DEEP, f"more than {MAX_IPV6_EXTENSIONS} extension headers")
        if protocol == Protocol.FRAGMENT:
            part = _header(walk, dpkt.ip6.IP6FragmentHeader, "fragment header")
            if part.frag_off or part.m_flag:
                return walk.fragment(part.nxt, part.id, part.frag_off * 8, part.m_flag)
            protocol = part.nxt
        else:
            protocol = _skip_extension(walk, protocol)
    layer = _PROTOCOLS.get(protocol)
    return layer(walk) if layer else walk.aside(PacketOutcome.NOT_TCP, f"protocol {protocol}")


def _skip_extension(walk: Walk, protocol: int) -> int:
    next_header, length = walk.take(2, "extension header")
    # RFC 4302 2.2 counts in 4 bytes, RFC 8200 4.3 in 8.
    size = (length + 2) * 4 if protocol == Protocol.AUTHENTICATION else (length + 1) * 8
    walk.take(size - 2, "extension header")
    return next_header


def _tcp(walk: Walk) -> Dissected:
    start = walk.at
    tcp = _header(walk, dpkt.tcp.TCP, "TCP header")
    payload = start + tcp.off * 4
    if tcp.off < 5 or (walk.bounded and payload > walk.wire_end):
        raise Malformed(f"TCP data offset {tcp.off * 4} in {walk.wire_end - start} bytes", start)
    captured = min(payload, walk.end)
    return TcpHeader(
        src=walk.src,
        dst=walk.dst,
        sport=tcp.sport,
        dport=tcp.dport,
        seq=tcp.seq,
        ack=tcp.ack,
        flags=tcp.flags & 0xFF,
        window=tcp.win,
        payload_offset=captured,
        payload_len=walk.end - captured,
        payload_wire_len=max(0, walk.wire_end - payload),
    )


def _udp(walk: Walk) -> Dissected:
    port = _header(walk, dpkt.udp.UDP, "UDP header").dport
    if port != numbers.VXLAN_PORT:
        return walk.aside(PacketOutcome.NOT_TCP, f"UDP port {port}")
    if not walk.take(8, "VXLAN header")[0] & numbers.VXLAN_VALID:
        return walk.aside(PacketOutcome.NOT_TCP, "UDP to the VXLAN port without the I flag")
    return _unwrap(walk, _ethernet)


def _gre(walk: Walk) -> Dissected:
    gre = _header(walk, dpkt.gre.GRE, "GRE header")
    layer = _GRE_PROTOCOLS.get(gre.p)
    # RFC 2784 2.3: routing is RFC 1701's, to be discarded; version 1 is PPTP's (RFC 2637).
    if layer is None or gre.flags & (numbers.GRE_VERSION | numbers.GRE_ROUTING):
        return walk.aside(PacketOutcome.NOT_TCP, f"GRE protocol {gre.p:#06x}, flags {gre.flags:#06x}")
    for flag in numbers.GRE_OPTIONAL:
        if gre.flags & flag:
            walk.take(4, "GRE header")
    if gre.p == EtherType.ERSPAN_I_II and gre.flags & numbers.GRE_SEQUENCE:
        walk.take(numbers.ERSPAN_II_BYTES, "ERSPAN header")
    return _unwrap(walk, layer)


def _erspan3(walk: Walk) -> Dissected:
    last = int.from_bytes(walk.take(numbers.ERSPAN_III_BYTES, "ERSPAN header")[-2:], "big")
    if last & numbers.ERSPAN_III_SUBHEADER:
        walk.take(numbers.ERSPAN_III_SUBHEADER_BYTES, "ERSPAN subheader")
    kind = last >> numbers.ERSPAN_III_FRAME_TYPE_SHIFT & numbers.ERSPAN_III_FRAME_TYPE_MASK
    layer = _ERSPAN_FRAMES.get(kind)
    return layer(walk) if layer else walk.aside(PacketOutcome.NOT_TCP, f"ERSPAN frame type {kind}")


def _unwrap(walk: Walk, inner: Layer) -> Dissected:
    walk.depth += 1
    if walk.depth > MAX_TUNNEL_DEPTH:
        return walk.aside(PacketOutcome.TOO_DEEP, f"more than {MAX_TUNNEL_DEPTH} encapsulations")
    return inner(walk)


_VERSIONS: Final[dict[int, Layer]] = {4: _ipv4, 6: _ipv6}
_TYPES: Final[dict[int, Layer]] = {EtherType.IPV4: _ipv4, EtherType.IPV6: _ipv6}
_FAMILIES: Final[dict[int, Layer]] = {numbers.AF_INET: _ipv4, **dict.fromkeys(numbers.AF_INET6, _ipv6)}
_ERSPAN_FRAMES: Final[dict[int, Layer]] = {numbers.ERSPAN_III_ETHERNET: _ethernet, numbers.ERSPAN_III_IP: _raw}
_GRE_PROTOCOLS: Final[dict[int, Layer]] = {
    **_TYPES,
    EtherType.TRANSPARENT_ETHERNET: _ethernet,
    EtherType.ERSPAN_I_II: _ethernet,
    EtherType.ERSPAN_III: _erspan3,
}
_PROTOCOLS: Final[dict[int, Layer]] = {
    Protocol.TCP: _tcp,
    Protocol.UDP: _udp,
    Protocol.GRE: _gre,
    Protocol.IPV4: lambda walk: _unwrap(walk, _ipv4),
    Protocol.IPV6: lambda walk: _unwrap(walk, _ipv6),
}
_LINKS: Final[dict[int, Layer]] = {
    LinkType.ETHERNET: _ethernet,
    LinkType.LINUX_SLL: _cooked(dpkt.sll.SLL),
    LinkType.LINUX_SLL2: _cooked(dpkt.sll2.SLL2),
    LinkType.NULL: _loopback("little", "big"),
    LinkType.LOOP: _loopback("big"),
    **dict.fromkeys((LinkType.RAW, LinkType.RAW_BSD, LinkType.RAW_OPENBSD), _raw),
    LinkType.IPV4: _ipv4,
    LinkType.IPV6: _ipv6,
}
