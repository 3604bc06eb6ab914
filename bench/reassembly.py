"""TCP reassembly of one long transfer: full segments one way, an ACK for every second one."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

from bench.measure import Work
from decoders.tcp.conversation import Conversation
from decoders.tcp.model import ACK, SYN, Data, Segment, Side

if TYPE_CHECKING:
    from collections.abc import Callable

    from bench.measure import Inputs

SEGMENT_BYTES: Final = 1460
_MASK: Final = 0xFFFF_FFFF
_FIRST: Final = 0xFFF0_0000
"""The numbers wrap on the way, as those of a long transfer do."""


def in_order(inputs: Inputs) -> Callable[[], Work]:
    return _feeder(transfer(inputs.packets, 0.0))


def reordered(inputs: Inputs) -> Callable[[], Work]:
    """One segment in a hundred comes after the one that follows it."""
    return _feeder(transfer(inputs.packets, 0.01))


def transfer(packets: int, late_share: float) -> list[Segment]:
    rng = random.Random(1)
    segments = [_segment(Side.LOW, 0, _FIRST - 1, 0, SYN), _segment(Side.HIGH, 1, 0, _FIRST, SYN | ACK)]
    payloads = [rng.randbytes(SEGMENT_BYTES) for _ in range(64)]
    sent = 0
    while len(segments) < packets:
        pair: list[Segment] = []
        for _ in range(2):
            number = len(segments) + len(pair)
            pair.append(_segment(Side.LOW, number, _FIRST + sent, 1, ACK, payloads[number % 64]))
            sent += SEGMENT_BYTES
        # A swapped pair has one late segment of its two.
        if rng.random() < 2 * late_share:
            pair.reverse()
        segments += [*pair, _segment(Side.HIGH, len(segments) + 2, 1, _FIRST + sent, ACK)]
    return segments


def _segment(sender: Side, number: int, seq: int, ack: int, flags: int, payload: bytes = b"") -> Segment:
    return Segment(
        sender=sender,
        ts_ns=number * 1_000,
        capture=0,
        frame=number + 1,
        seq=seq & _MASK,
        ack=ack & _MASK,
        flags=flags,
        window=501,
        payload=payload,
        wire_len=len(payload),
    )


def delivered(segments: list[Segment]) -> int:
    conversation, octets = Conversation(), 0
    for segment in segments:
        for _connection, event in conversation.feed(segment):
            if isinstance(event, Data):
                octets += len(event.payload)
    for _connection, event in conversation.finish():
        if isinstance(event, Data):
            octets += len(event.payload)
    return octets


def _feeder(segments: list[Segment]) -> Callable[[], Work]:
    return lambda: Work(len(segments), delivered(segments))
