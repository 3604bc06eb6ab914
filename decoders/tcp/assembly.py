"""Bytes at known positions, put in order: what is next is delivered, what is ahead is held, holes become gaps."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Final

from decoders.limits import MAX_CUT_RANGES, MAX_HELD_BYTES, MAX_HELD_SEGMENTS
from decoders.tcp.model import Conflict, Data, Fate, Gap, GapReason, Segment, Side, StreamEvent
from decoders.tcp.out_of_order import OutOfOrderBytes
from decoders.tcp.overlap import Overlap
from decoders.tcp.past import Past
from decoders.tcp.ranges import Ranges
from decoders.tcp.sequence import MASK

if TYPE_CHECKING:
    from collections.abc import Mapping

UNSETTLED: Final = -1


class Assembly:
    """Positions count from 0; `next` is the first one neither delivered nor given up, `next_seq` its number."""

    __slots__ = (
        "_cuts",
        "_delivered",
        "_far",
        "_held",
        "_past",
        "conflicts",
        "duplicate_segments",
        "fates",
        "gap_end",
        "gaps",
        "missed",
        "next",
        "next_seq",
        "sender",
    )

    def __init__(self, sender: Side) -> None:
        self.sender = sender
        self.next = 0
        self.next_seq = UNSETTLED
        self.missed = self.gaps = self.conflicts = self.duplicate_segments = 0
        self.gap_end: int | None = None
        """Where the bytes end that no packet seen holds: the latest of them."""
        self.fates: Mapping[Fate, defaultdict[int, int]] = {fate: defaultdict(int) for fate in Fate}
        """Bytes by capture ordinal. OutOfOrderBytes bytes count as delivered: nothing else can become of them."""
        self._delivered = self.fates[Fate.DELIVERED]
        self._held = OutOfOrderBytes()
        self._past = Past()
        self._cuts = Ranges()
        self._far = 0

    @property
    def delivered(self) -> int:
        return self.next - self.missed

    @property
    def end(self) -> int:
        """End of the furthest byte seen, captured or cut."""
        return max(self.next, self._far)

    @property
    def holding(self) -> bool:
        return bool(self._held.starts or self._cuts)

    @property
    def hole_end(self) -> int | None:
        """Where the first hole that something lies behind ends."""
        if self._held.starts:
            return self._held.starts[0]
        return self._cuts.last_end if self._cuts else None

    def holds(self, position: int) -> bool:
        return self._held.covers(position)

    def count(self, fate: Fate, segment: Segment, size: int) -> None:
        if size:
            self.fates[fate][segment.capture] += size

    def place(self, position: int, payload: bytes, wire_end: int, segment: Segment, events: list[StreamEvent]) -> None:
        """Take the bytes of `segment` from `position` on, and note as cut what is missing of it up to `wire_end`."""
        overlap = Overlap()
        if payload and position < self.next:
            known = payload[: self.next - position]
            self._past.compare(position, known, self.next, overlap)
            payload = payload[len(known) :]
            position += len(known)
        if payload:
            self.count(Fate.DELIVERED, segment, self._held.insert(position, payload, segment, overlap))
        self._cuts.add(max(position + len(payload), self.next), wire_end)
        self._far = max(self._far, wire_end)
        self._note_overlap(overlap, segment, events)
        self._deliver_held(events)
        self._enforce_limits(segment, events)

    def give_up(self, end: int, reason: GapReason, now: Segment, events: list[StreamEvent]) -> None:
        """Tell the bytes up to `end` as missing, and deliver what waited behind them."""
        self._past.lose(self.next, end)
        for cut_start, cut_end in [*self._cuts.within(self.next, end), (end, end)]:
            for limit, why in ((cut_start, reason), (cut_end, GapReason.SNAP_LENGTH)):
                size = limit - self.next
                if size:
                    events.append(Gap(self.sender, self.next, size, why, now.ts_ns, now.capture, now.frame))
                    self.gaps += 1
                    self.missed += size
                    self._move_to(limit)
                    if why is not GapReason.SNAP_LENGTH:
                        self.gap_end = limit
        self._cuts.forget_before(self.next)
        self._deliver_held(events)

    def _note_overlap(self, overlap: Overlap, segment: Segment, events: list[StreamEvent]) -> None:
        self.count(Fate.LATE, segment, overlap.late)
        if not overlap.duplicate:
            return
        self.count(Fate.DUPLICATE, segment, overlap.duplicate)
        self.duplicate_segments += 1
        if overlap.differing:
            self.conflicts += 1
            where = overlap.first_difference
            events.append(
                Conflict(self.sender, where, overlap.differing, segment.ts_ns, segment.capture, segment.frame)
            )

    def _deliver_held(self, events: list[StreamEvent]) -> None:
        if self._held.starts and self._held.starts[0] == self.next:
            for payload, ts_ns, capture, frame in self._held.take_run(self.next):
                events.append(Data(self.sender, self.next, payload, ts_ns, capture, frame))
                self._past.deliver(self.next, payload)
                self._move_to(self.next + len(payload))
            self._cuts.forget_before(self.next)

    def _enforce_limits(self, now: Segment, events: list[StreamEvent]) -> None:
        held, cuts = self._held, self._cuts
        while held.size > MAX_HELD_BYTES or len(held.starts) > MAX_HELD_SEGMENTS:
            self.give_up(held.starts[0], GapReason.LIMIT, now, events)
        while len(cuts) > MAX_CUT_RANGES:
            self.give_up(min([cuts.first_end, *held.starts[:1]]), GapReason.LIMIT, now, events)

    def _move_to(self, position: int) -> None:
        self.next_seq = (self.next_seq + position - self.next) & MASK
        self.next = position
