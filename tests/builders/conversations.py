"""TCP conversations as packets, what a network or a tap does to them, and the capture file they end up in.

talk = Talk(Ends(port=50000))
talk.open().say(b"question").answer(b"reply").close()
write_pcap(path, (frame(talk.ends, packet) for packet in shuffled(talk.packets, random.Random(1))))
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.builders import packets as p
from tests.builders.renewed import renewed

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable, Sequence
    from pathlib import Path

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
_WRAP = 1 << 32


@dataclass(frozen=True, slots=True)
class Ends:
    """`port` is the client's: give each conversation of a capture its own."""

    port: int
    server_port: int = 2103
    client: str = p.CLIENT
    server: str = p.SERVER
    vlans: tuple[int, ...] = ()
    fragment: int = 0
    """IP payload bytes a fragment of what the client sends, a multiple of 8; 0: whole datagrams. For IPv4."""


@dataclass(frozen=True, slots=True)
class Packet:
    from_client: bool
    seq: int
    ack: int
    flags: int
    payload: bytes = b""
    cut: int = 0
    """Bytes of the payload's end that the snap length cut off."""


@dataclass(frozen=True, slots=True)
class Frame:
    captured: bytes
    wire_len: int


class Talk:
    """Writes packets down as two well-behaved ends would send them; each step returns self."""

    def __init__(self, ends: Ends, isn: int = 1_000, peer_isn: int = 5_000_000) -> None:
        self.ends = ends
        self.packets: list[Packet] = []
        self.restart(isn, peer_isn)

    def restart(self, isn: int, peer_isn: int) -> Talk:
        """The next connection of the same two ends, whatever became of the one before."""
        self.next = {True: isn, False: peer_isn}
        return self

    def send(self, payload: bytes = b"", flags: int = ACK, *, from_client: bool = True) -> Talk:
        ack = self.next[not from_client] if flags & ACK else 0
        self.packets.append(Packet(from_client, self.next[from_client], ack, flags, payload))
        self.next[from_client] += len(payload) + bool(flags & SYN) + bool(flags & FIN)
        return self

    def open(self) -> Talk:
        return self.send(flags=SYN).send(flags=SYN | ACK, from_client=False).send()

    def join(self) -> Talk:
        """As if the handshake had not been captured."""
        self.next = {side: number + 1 for side, number in self.next.items()}
        return self

    def say(self, payload: bytes) -> Talk:
        return self.send(payload, PSH | ACK)

    def answer(self, payload: bytes) -> Talk:
        return self.send(payload, PSH | ACK, from_client=False)

    def acknowledge(self, *, from_client: bool = False) -> Talk:
        return self.send(from_client=from_client)

    def keep_alive(self) -> Talk:
        """The last byte's number and one byte of garbage, then the answer."""
        self.packets.append(Packet(True, self.next[True] - 1, self.next[False], ACK, b"\0"))
        return self.acknowledge()

    def close(self) -> Talk:
        return self.send(flags=FIN | ACK).send(flags=FIN | ACK, from_client=False).send()

    def reset(self, *, from_client: bool = True) -> Talk:
        return self.send(flags=RST, from_client=from_client)


def shuffled(packets: Sequence[Packet], rng: random.Random, reach: int = 3) -> list[Packet]:
    """Data packets out of order, none by more than `reach` places; the others keep theirs."""
    places = [place for place, packet in enumerate(packets) if packet.payload]
    moved = sorted(places, key=lambda place: place + rng.uniform(0, reach))
    result = list(packets)
    for place, source in zip(places, moved, strict=True):
        result[place] = packets[source]
    return result


def duplicated(packets: Sequence[Packet], rng: random.Random, share: float = 0.5) -> list[Packet]:
    return [copy for packet in packets for copy in (packet,) * (1 + (rng.random() < share))]


def resplit(packets: Sequence[Packet], size: int) -> list[Packet]:
    """The same bytes in segments of at most `size`."""
    result = []
    for packet in packets:
        starts = range(0, len(packet.payload), size) or range(1)
        result += [
            replace(packet, seq=packet.seq + start, payload=packet.payload[start : start + size]) for start in starts
        ]
    return result


def overlapped(packets: Sequence[Packet], before: int) -> list[Packet]:
    """Each data packet begins with up to `before` bytes that its side had sent already."""
    sent: dict[bool, bytes] = {True: b"", False: b""}
    result = []
    for packet in packets:
        tail = sent[packet.from_client][-before:] if packet.payload else b""
        sent[packet.from_client] += packet.payload
        result.append(replace(packet, seq=packet.seq - len(tail), payload=tail + packet.payload))
    return result


def without(packets: Sequence[Packet], *places: int) -> list[Packet]:
    gone = {place % len(packets) for place in places}
    return [packet for place, packet in enumerate(packets) if place not in gone]


def snapped(packets: Iterable[Packet], payload_bytes: int) -> list[Packet]:
    return [replace(packet, cut=max(0, len(packet.payload) - payload_bytes)) for packet in packets]


def frames(ends: Ends, packet: Packet) -> list[Frame]:
    here, there = (ends.client, ends.port), (ends.server, ends.server_port)
    (src, sport), (dst, dport) = (here, there) if packet.from_client else (there, here)
    segment = p.tcp(
        packet.payload, sport=sport, dport=dport, seq=packet.seq % _WRAP, ack=packet.ack % _WRAP, flags=packet.flags
    )
    if ends.fragment and packet.from_client:
        datagrams = p.ipv4_fragments(segment, size=ends.fragment, identification=packet.seq & 0xFFFF)
    else:
        datagrams = [p.ipv6(segment, src=src, dst=dst) if ":" in src else p.ipv4(segment, src=src, dst=dst)]
    wholes = [p.ethernet(datagram, tags=[(0x8100, vlan) for vlan in ends.vlans]) for datagram in datagrams]
    return [Frame(whole[: len(whole) - packet.cut], len(whole)) for whole in wholes]


def write_pcap(path: Path, all_frames: Iterable[Frame], after_ms: int = 0) -> None:
    """Classic pcap, microseconds, Ethernet, one millisecond from frame to frame; `after_ms`: of the first."""
    records = [
        struct.pack("<IIII", 1_700_000_000 + at // 1000, at % 1000 * 1000, len(one.captured), one.wire_len)
        + one.captured
        for at, one in enumerate(all_frames, after_ms)
    ]
    renewed(path, struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, 1) + b"".join(records))
