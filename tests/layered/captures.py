"""A capture as a tree: records of frames, their headers, and what each side of each connection said, as PDUs."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.layered import grammar as g
from tests.layered.pdus import stream_of
from tests.layered.tree import Leaf, Node, Slice, Stream, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.layered.tree import Part

IP4, IP6, VLANS = 0x0800, 0x86DD, (0x8100, 0x88A8)
TCP_PROTOCOL: Final = 6
SYN, FIN, RST = 2, 1, 4
_WRAP: Final = 1 << 32


class Recorded(NamedTuple):
    """A frame of a seed."""

    ts_ns: int
    data: bytes
    wire: int


@dataclass(slots=True)
class Said:
    """One side of one connection."""

    first: int
    """Sequence number of its first byte."""
    heard: dict[int, bytes] = field(default_factory=dict)
    stream: Stream = field(default_factory=lambda: Stream([], 0))

    def take(self, seq: int, payload: bytes) -> int:
        """Its place in the stream; what comes again is not taken again."""
        at = (seq - self.first + (1 << 31)) % _WRAP - (1 << 31)
        if payload and at >= 0 and len(self.heard.get(at, b"")) < len(payload):
            self.heard[at] = payload
        return at

    def settle(self) -> None:
        data = b""
        for at in sorted(self.heard):
            if at > len(data):
                break
            data += self.heard[at][len(data) - at :]
        self.stream = stream_of(data)


@dataclass(slots=True)
class Segment:
    """A TCP header with the places that its numbers mean."""

    node: Node
    said: Said
    peer: Said | None
    start: int
    heard: int
    """What it acknowledges."""

    @property
    def end_of_payload(self) -> int:
        """0: it carries nothing."""
        body = self.node.parts[-1]
        return body.end if isinstance(body, Slice) and body.end > body.start else 0


@dataclass(slots=True)
class Capture:
    records: list[Node]
    """`record`s, each with one frame."""
    segments: list[Segment]
    sides: list[Said]

    def settle(self) -> None:
        """Streams as they are now, and numbers that fit them."""
        for said in self.sides:
            said.stream.settle()
        for one in self.segments:
            one.node.values["seq"] = one.said.first + one.said.stream.place(one.start)
            if one.peer is not None and one.node.values["ack"]:
                one.node.values["ack"] = one.peer.first + one.peer.stream.place(one.heard)


def capture_of(frames: Sequence[Recorded]) -> Capture:
    open_sides: dict[tuple[bytes, ...], Said] = {}
    whole = Capture([], [], [])
    for one in frames:
        seconds, rest = divmod(one.ts_ns, 1_000_000_000)
        values: dict[str, int | bytes] = {
            "seconds": seconds, "fraction": rest // 1_000, "cut": one.wire - len(one.data), "captured": 0, "wire": 0,
        }  # fmt: skip
        record = Node("record", g.RECORD, values, [])
        try:
            record.parts = [_ethernet(one.data, whole, open_sides)]
        except struct.error:
            record.parts = [Leaf("frame", one.data)]
        whole.records.append(record)
    for said in whole.sides:
        said.settle()
    for segment in whole.segments:
        body = segment.node.parts[-1]
        assert isinstance(body, Slice)
        if body.end <= segment.said.stream.size and body.start >= 0:
            body.stream = segment.said.stream
        else:
            # Behind a hole: nobody takes it apart.
            behind = segment.said.heard.get(body.start, b"")
            segment.node.parts[-1] = Leaf("raw", behind[: body.end - body.start])
    return whole


def _ethernet(data: bytes, whole: Capture, sides: dict[tuple[bytes, ...], Said]) -> Node:
    node, at = read("ethernet", g.ETHERNET, data, 0, ">")
    inner, kind = node, node.values["type"]
    while kind in VLANS:
        tag, at = read("tag", g.TAG, data, at, ">")
        inner.parts = [tag]
        inner, kind = tag, tag.values["type"]
    inner.parts = [_ip(kind, data, at, whole, sides)]
    return node


def _ip(kind: int | bytes, data: bytes, at: int, whole: Capture, sides: dict[tuple[bytes, ...], Said]) -> Part:
    if kind == IP4 and data[at] >> 4 == 4:
        node, body = read("ipv4", g.IPV4, data, at, ">")
        end, options = at + (data[at] & 0xF) * 4, data[body : at + (data[at] & 0xF) * 4]
        length, fragment, protocol = map(node.number, ("length", "fragment", "protocol"))
        stop = min(at + length, len(data))
        node.parts = [Leaf("options", options)]
        if protocol != TCP_PROTOCOL or fragment & 0x3FFF:
            node.parts.append(Leaf("frame", data[end:stop]))
            return node
        node.parts.append(_tcp(data, end, stop, _addresses(node), whole, sides))
        return node
    if kind == IP6:
        node, body = read("ipv6", g.IPV6, data, at, ">")
        stop = min(body + node.number("length"), len(data))
        if node.values["next"] != TCP_PROTOCOL:
            node.parts = [Leaf("frame", data[body:stop])]
            return node
        node.parts = [_tcp(data, body, stop, _addresses(node), whole, sides)]
        return node
    return Leaf("frame", data[at:])


def _addresses(node: Node) -> tuple[bytes, bytes]:
    return node.octets("from"), node.octets("to")


def _tcp(
    data: bytes, at: int, stop: int, hosts: tuple[bytes, bytes], whole: Capture, sides: dict[tuple[bytes, ...], Said]
) -> Node:
    node, body = read("tcp", g.TCP, data, at, ">")
    seq, ack, offset, flags = map(node.number, ("seq", "ack", "offset", "flags"))
    start = at + (offset >> 4) * 4
    ends = data[at : at + 2], data[at + 2 : at + 4]
    key, back = (hosts[0], ends[0], hosts[1], ends[1]), (hosts[1], ends[1], hosts[0], ends[0])
    said = sides.get(key)
    if said is None or (flags & SYN and said.heard):
        said = sides[key] = Said((seq + bool(flags & SYN)) % _WRAP)
        whole.sides.append(said)
    peer = sides.get(back)
    payload = data[start:stop]
    place = said.take(seq + bool(flags & SYN), payload)
    heard = 0 if peer is None else (ack - peer.first + (1 << 31)) % _WRAP - (1 << 31)
    node.parts = [Leaf("options", data[body:start]), Slice(said.stream, place, place + len(payload))]
    whole.segments.append(Segment(node, said, peer, place - bool(flags & SYN), heard))
    return node
