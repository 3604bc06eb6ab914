"""Segments in few words, and what came out of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.tcp.model import ACK, SYN, Conflict, Data, Fate, Gap, GapReason, Segment, Side
from decoders.tcp.stream import Stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoders.tcp.model import StreamEvent

LOW, HIGH = Side.LOW, Side.HIGH
ISN = 1000
START = ISN + 1


def seg(
    payload: bytes = b"",
    seq: int = START,
    *,
    sender: Side = LOW,
    flags: int = ACK,
    ack: int = 0,
    at: int = 0,
    capture: int = 0,
    window: int = 1024,
    cut: int = 0,
) -> Segment:
    """`at` is both the frame number and the time; `cut` bytes of the payload were not captured."""
    return Segment(
        sender, at, capture, at, seq % 2**32, ack % 2**32, flags, window, payload, len(payload) + cut
    )  # fmt: skip


def syn(seq: int = ISN, *, sender: Side = LOW, at: int = 0, payload: bytes = b"") -> Segment:
    return seg(payload, seq, sender=sender, flags=SYN, at=at)


def syn_ack(seq: int, ack: int, *, sender: Side = HIGH, at: int = 0) -> Segment:
    return seg(b"", seq, sender=sender, flags=SYN | ACK, ack=ack, at=at)


def opened(isn: int = ISN) -> Stream:
    stream = Stream(LOW)
    stream.feed(syn(isn))
    return stream


def data(events: Iterable[object], side: Side = LOW) -> bytes:
    return b"".join(event.payload for event in events if isinstance(event, Data) and event.sender is side)


def gaps(events: Iterable[object], side: Side = LOW) -> list[tuple[int, int, GapReason]]:
    return [(gap.offset, gap.size, gap.reason) for gap in events if isinstance(gap, Gap) and gap.sender is side]


def conflicts(events: Iterable[object]) -> list[tuple[int, int]]:
    return [(conflict.offset, conflict.size) for conflict in events if isinstance(conflict, Conflict)]


def fates(stream: Stream) -> dict[Fate, int]:
    return {fate: sum(sizes.values()) for fate, sizes in stream.fates.items() if sizes}


def run(stream: Stream, *segments: Segment) -> list[StreamEvent]:
    return [event for segment in segments for event in stream.feed(segment)]


def end(stream: Stream, last_ack: int | None = None) -> list[StreamEvent]:
    return stream.finish(seg(at=999), last_ack)
