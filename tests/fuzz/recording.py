"""Scenes to packets with their times, and those to the bytes of a capture file."""

from __future__ import annotations

import gzip
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from tests.builders import containers
from tests.builders.conversations import Ends, Packet, Talk, frames, resplit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.fuzz.scenes import Scene, Turn

START_MS = 1_700_000_000_000
NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Shot:
    """A packet at the moment it was recorded: a time no other packet has, so a PDU is known again by it."""

    at_ms: int
    ends: Ends
    packet: Packet


def record(scenes: Sequence[Scene], segment: int | None, *, coalesced: bool = False) -> list[Shot]:
    """`segment`: most payload of a packet. `coalesced`: PDUs of one side in a row share a segment."""
    talks = []
    for number, scene in enumerate(scenes):
        ends = replace(scene.ends, port=scene.ends.port + number)
        talk = Talk(ends, isn=2**32 - 300 if number else 1_000)
        talk.join() if scene.joined else talk.open()
        for turn in _joined(scene.turns) if coalesced else scene.turns:
            talk.send(turn.data, 0x18, from_client=turn.from_client)
        talks.append([(ends, packet) for packet in talk.close().packets])
    turns = [(place / len(talk), number, *shot) for number, talk in enumerate(talks) for place, shot in enumerate(talk)]
    in_order = [(ends, packet) for _, _, ends, packet in sorted(turns, key=lambda turn: turn[:2])]
    if segment:
        in_order = [(ends, piece) for ends, packet in in_order for piece in resplit([packet], segment)]
    return [Shot(START_MS + at, ends, packet) for at, (ends, packet) in enumerate(in_order)]


def _joined(turns: Sequence[Turn]) -> list[Turn]:
    result: list[Turn] = []
    for turn in turns:
        if result and result[-1].from_client == turn.from_client:
            result[-1] = replace(turn, data=result[-1].data + turn.data)
        else:
            result.append(turn)
    return result


def captured_payload(shots: Sequence[Shot]) -> int:
    return sum(len(shot.packet.payload) - shot.packet.cut for shot in shots)


def _pcap(shots: Sequence[Shot], order: containers.ByteOrder, *, nanoseconds: bool) -> bytes:
    ticks = NS_PER_MS if nanoseconds else 1_000
    packets = [
        containers.Packet(frame.captured, shot.at_ms * ticks, frame.wire_len)
        for shot in shots
        for frame in frames(shot.ends, shot.packet)
    ]
    return containers.pcap(packets, order, nanoseconds=nanoseconds)


def _pcapng(shots: Sequence[Shot], order: containers.ByteOrder) -> bytes:
    blocks = [
        containers.epb(frame.captured, shot.at_ms * 1_000, wire_len=frame.wire_len)
        for shot in shots
        for frame in frames(shot.ends, shot.packet)
    ]
    return containers.pcapng(containers.section(), containers.interface(), *blocks, byte_order=order)


def _gzip(shots: Sequence[Shot]) -> bytes:
    return gzip.compress(_pcap(shots, "<", nanoseconds=False), mtime=0)


CONTAINERS: Mapping[str, Callable[[Sequence[Shot]], bytes]] = {
    "pcap": partial(_pcap, order="<", nanoseconds=False),
    "pcapng": partial(_pcapng, order="<"),
    "gzip": _gzip,
    "pcap, big endian, ns": partial(_pcap, order=">", nanoseconds=True),
    "pcapng, big endian": partial(_pcapng, order=">"),
}
