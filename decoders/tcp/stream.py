"""One direction of a connection: segments in time order become ordered bytes, gaps and conflicts (RFC 9293 3.4)."""

from __future__ import annotations

from typing import Final

from decoders.limits import MAX_AHEAD_BYTES, MAX_HELD_BYTES
from decoders.tcp.acks import PeerAcks
from decoders.tcp.assembly import UNSETTLED, Assembly
from decoders.tcp.model import FIN, RST, SYN, Data, Fate, GapReason, Segment, Side, StreamEvent
from decoders.tcp.sequence import MASK, add, distance, unwrap
from decoders.tcp.start import Start

_CONTROL: Final = SYN | FIN | RST
_DRIFT: Final = MAX_AHEAD_BYTES // 2


class Stream(Assembly):
    """Turns sequence numbers into positions, and the evidence of SYN, FIN, RST and the peer's ACKs into gaps."""

    __slots__ = ("_acks", "_fin", "_reset_at", "_start", "waiting")

    def __init__(self, sender: Side) -> None:
        super().__init__(sender)
        self.waiting = False
        """Whether any packet of the connection can change something here: `tick` wants to be called."""
        self._start = Start()
        self._acks = PeerAcks()
        self._fin: int | None = None
        self._reset_at: int | None = None

    @property
    def settled(self) -> bool:
        return self.next_seq != UNSETTLED

    @property
    def base_seq(self) -> int:
        """Sequence number of position 0."""
        return add(self.next_seq, -self.next)

    @property
    def pristine(self) -> bool:
        """Whether no data was seen."""
        return not (self.end or self._start.segments)

    def distance(self, seq: int) -> int:
        """How far `seq` is from where the stream stands; 0 while nobody knows."""
        reference = self.next_seq if self.settled else self._start.reference
        return 0 if reference is None else distance(seq, reference)

    def is_foreign(self, seq: int) -> bool:
        """Whether the number is neither among the bytes of the stream nor near them. False while nobody knows."""
        reference = self.next_seq if self.settled else self._start.place
        ahead = 0 if reference is None else distance(seq, reference)
        return not -self.next - MAX_HELD_BYTES <= ahead <= self.end - self.next + MAX_HELD_BYTES

    def after_reset(self, seq: int) -> bool:
        """Whether data at `seq` was sent after this side's RST: the number shows it, whatever the order of capture."""
        return self._reset_at is not None and unwrap(seq, self.next, self.next_seq) >= self._reset_at

    def feed(self, segment: Segment) -> list[StreamEvent]:
        """Take a segment of this side that has payload, SYN, FIN or RST."""
        payload = segment.payload
        size = len(payload)
        if (
            segment.seq == self.next_seq
            and size == segment.wire_len
            and not self.waiting
            and not segment.flags & _CONTROL
        ):
            position = self.next
            self.advance(payload, segment.capture)
            return [Data(self.sender, position, payload, segment.ts_ns, segment.capture, segment.frame)]
        events: list[StreamEvent] = []
        if segment.flags & RST:
            # RFC 9293 3.5.3 lets a RST carry text about its cause; it is no part of the stream.
            self.count(Fate.OUT_OF_WINDOW, segment, size)
            self._reset(segment.seq)
        else:
            self._take(segment, events)
        self._set_waiting()
        return events

    def advance(self, payload: bytes, capture: int) -> None:
        """The bytes next in order."""
        size = len(payload)
        self._past.deliver(self.next, payload)
        self.next += size
        self.next_seq = (self.next_seq + size) & MASK
        self._delivered[capture] += size

    def settle_at(self, seq: int) -> list[StreamEvent]:
        """SYN, or the peer's SYN-ACK, says that position 0 has the number `seq`. A stream that has data stays."""
        events: list[StreamEvent] = []
        if not self.settled or self.pristine:
            self._settle(seq, events)
        return events

    def settle_at_first(self) -> list[StreamEvent]:
        """The other side settled: what is late by more than the packets it took to is late here too."""
        events: list[StreamEvent] = []
        first = self._start.first_position() if self._start.segments and not self.settled else None
        if first is not None:
            self._settle(first, events)
        return events

    def acknowledge(self, ack: int, packet: int) -> None:
        """Note the peer's ACK number in the connection's packet number `packet`. Absurd ones prove nothing."""
        if not self.settled:
            self._start.acknowledge(ack, packet)
            return
        ahead = (ack - self.next_seq) & MASK
        if 0 < ahead <= MAX_AHEAD_BYTES:
            self._acks.note(packet, self.next + ahead, self.next)
            self.waiting |= ahead > _DRIFT
            if self._reset_at is not None and self.next + ahead > self._reset_at:
                self._reset_at = None  # the peer took data from after the RST: it was forged or refused

    def tick(self, packet: int, now: Segment) -> list[StreamEvent]:
        """Give up the holes that the peer acknowledged REORDER_GRACE_PACKETS packets ago."""
        events: list[StreamEvent] = []
        acks = self._acks
        acks.expire(packet)
        while (end := self.hole_end) is not None and end <= acks.proven:
            self.give_up(end, GapReason.NOT_CAPTURED, now, events)
        # A side whose packets are not captured would drift out of the reach of 32 bits. One ACK alone may be damaged,
        # so this asks that nothing of the stream came since.
        if acks.proven - self.next > _DRIFT and self.next == acks.next_then:
            self.give_up(acks.proven, GapReason.NOT_CAPTURED, now, events)
        self._set_waiting()
        return events

    def finish(self, now: Segment, last_ack: int | None) -> list[StreamEvent]:
        """No more segments come: settle, deliver what is held, and tell what is missing up to the known end."""
        events: list[StreamEvent] = []
        if not self.settled:
            first = self._start.first_position()
            if first is None:
                return events
            self._settle(first, events)
        while (hole_end := self.hole_end) is not None:
            self.give_up(hole_end, GapReason.NOT_CAPTURED, now, events)
        end = max(self.end, self._fin or 0)
        if last_ack is not None and self._fin is None:
            # The peer's last word, not its highest: a damaged ACK number is followed by sound ones.
            beyond = unwrap(last_ack, self.next, self.next_seq) - end
            # One number beyond the data is a FIN that was not captured, rather than a lone byte.
            if 1 < beyond <= MAX_AHEAD_BYTES:
                end += beyond
        if end > self.next:
            self.give_up(end, GapReason.NOT_CAPTURED, now, events)
        return events

    def _take(self, segment: Segment, events: list[StreamEvent]) -> None:
        start = segment.seq
        wire_len = max(segment.wire_len, len(segment.payload))
        if segment.flags & SYN:
            start = add(start, 1)
            if not self.settled:
                self._settle(start, events)
            if start != self.base_seq:
                self.count(Fate.OUT_OF_WINDOW, segment, len(segment.payload))
                return
            # An attempt that was refused may be tried again with the same number.
            self._reset_at = None
        if wire_len:
            if self.settled:
                self._locate(segment, events)
            elif self._start.hold(segment):
                self._settle(self._start.first_position() or 0, events)
        if segment.flags & FIN:
            self._end_at(add(start, wire_len))

    def _settle(self, base: int, events: list[StreamEvent]) -> None:
        start, self._start = self._start, Start()
        self.next_seq = base
        for segment in start.segments:
            self._locate(segment, events)
        if start.fin_seq is not None:
            self._end_at(start.fin_seq)
        if start.last_ack is not None:
            self.acknowledge(*start.last_ack)
        self._set_waiting()

    def _locate(self, segment: Segment, events: list[StreamEvent]) -> None:
        payload = segment.payload
        position = unwrap(segment.seq + (1 if segment.flags & SYN else 0), self.next, self.next_seq)
        wire_end = position + max(segment.wire_len, len(payload))
        if abs(position - self.next) > MAX_AHEAD_BYTES:
            self.count(Fate.OUT_OF_WINDOW, segment, len(payload))
            return
        if wire_end - position == 1 and self._is_keep_alive(position):
            self.count(Fate.DUPLICATE, segment, len(payload))
            self.duplicate_segments += 1
            return
        if self._reset_at is not None and wire_end > self._reset_at:
            wire_end = max(self._reset_at, position)
            kept = payload[: wire_end - position]
            self.count(Fate.OUT_OF_WINDOW, segment, len(payload) - len(kept))
            payload = kept
        if position < 0:
            early = payload[:-position]
            self.count(Fate.BEFORE_START, segment, len(early))
            payload = payload[len(early) :]
            position += len(early)
        self.place(position, payload, wire_end, segment, events)

    def _is_keep_alive(self, position: int) -> bool:
        """RFC 9293 3.8.4: the number before the next one to be sent, with at most one byte, which is garbage."""
        return position == self.next - 1 or (position == self.end - 1 and self.holds(position))

    def _end_at(self, seq: int) -> None:
        if not self.settled:
            self._start.fin_seq = seq
        elif self.end <= (end := unwrap(seq, self.next, self.next_seq)) <= self.next + MAX_AHEAD_BYTES:
            # Of two that disagree one is forged or stray; the nearer end claims the fewest missing bytes.
            self._fin = end if self._fin is None else min(self._fin, end)

    def _reset(self, seq: int) -> None:
        if self.settled and self._reset_at is None and abs(self.distance(seq)) <= MAX_AHEAD_BYTES:
            self._reset_at = max(unwrap(seq, self.next, self.next_seq), self.end)

    def _set_waiting(self) -> None:
        self.waiting = self.holding or self._reset_at is not None or self._acks.furthest - self.next > _DRIFT
