"""Generated traffic that has some of everything, with what each packet is."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st

from tests.builders import packets as p

V4 = ("10.0.0.1", "10.0.0.2", "192.168.1.200", "255.0.0.1")
V6 = ("2001:db8::1", "2001:db8::2", "fe80::1", "ffff::1")
PORTS = (80, 135, 2103, 2114, 49_152, 65_535)
PAYLOADS = (b"", b"\x05", bytes.fromhex("05000b0310000000480000000100000000"), b"GET / HTTP/1.1", b"\x05\x01\x00")


class Sent(NamedTuple):
    """A TCP segment and the Ethernet frame that carries it."""

    src: str
    sport: int
    dst: str
    dport: int
    seq: int
    flags: int
    payload: bytes
    frame: bytes


def sent(src: str, sport: int, dst: str, dport: int, seq: int = 1, flags: int = 0x18, payload: bytes = b"") -> Sent:
    segment = p.tcp(payload, sport=sport, dport=dport, seq=seq, flags=flags, ack=seq ^ 0xFFFF)
    datagram = p.ipv6(segment, src=src, dst=dst) if ":" in src else p.ipv4(segment, src=src, dst=dst)
    return Sent(src, sport, dst, dport, seq, flags, payload, p.ethernet(datagram))


@st.composite
def segments(draw: st.DrawFn) -> Sent:
    hosts = st.sampled_from(draw(st.sampled_from((V4, V6))))
    ports = st.sampled_from(PORTS)
    src, dst, sport, dport = draw(hosts), draw(hosts), draw(ports), draw(ports)
    seq, flags = draw(st.integers(0, 2**32 - 1)), draw(st.sampled_from((0x02, 0x12, 0x10, 0x18, 0x11)))
    return sent(src, sport, dst, dport, seq, flags, draw(st.sampled_from(PAYLOADS)))


OTHERS = {
    "not_ip": p.ethernet(bytes(28), p.ARP),
    "not_tcp": p.ethernet(p.ipv4(p.udp(b"query"), 17)),
    "header_cut": p.ethernet(p.ipv4(p.tcp()))[:40],
    "malformed": p.ethernet(b"\x41" + p.ipv4(p.tcp())[1:]),
    "too_deep": p.ethernet(p.ipv4(p.tcp()), tags=[(0x8100, 1)] * 5),
    "ip_fragment": p.ethernet(p.ipv4_fragments(p.tcp(bytes(40)), size=24)[0]),
}
TRAFFIC = st.lists(segments() | st.sampled_from(sorted(OTHERS)), max_size=40)


def frame_of(item: Sent | str) -> bytes:
    return item.frame if isinstance(item, Sent) else OTHERS[item]


def outcome_of(item: Sent | str) -> str:
    return item if isinstance(item, str) else "tcp"
