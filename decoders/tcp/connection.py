"""One TCP connection: two streams, and the facts about it that a flow record needs."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from decoders.limits import MAX_AHEAD_BYTES, MAX_HELD_BYTES
from decoders.tcp.endings import Ending, ended_by, endings
from decoders.tcp.half import Half
from decoders.tcp.history import History, packet_letter
from decoders.tcp.model import ACK, FIN, RST, SYN, Data, Fate, Segment, Side, StreamEvent
from decoders.tcp.sequence import MASK, add, distance
from decoders.tcp.stream import Stream
from decoders.tcp.zeek_state import Endpoints

if TYPE_CHECKING:
    from collections.abc import Sequence

_CONTROL: Final = SYN | FIN | RST
_CAPTURE, _PAYLOAD = attrgetter("capture"), attrgetter("payload")


class Connection:
    """Fed by a Conversation. Facts about its bytes are final after `finish`."""

    def __init__(self, first: Segment) -> None:
        self.streams = low, high = (Stream(Side.LOW), Stream(Side.HIGH))
        self._halves = (Half(low, high), Half(high, low))
        self._history = History()
        self._endpoints = (Endpoints(Side.LOW), Endpoints(Side.HIGH))
        self._packet = 0
        self._last = first
        self.first_ts_ns = self.last_ts_ns = first.ts_ns
        self.first_capture = first.capture
        self.first_frame = first.frame
        self.first_sender = first.sender
        self.first_seq = first.seq
        self.first_ack = first.ack if first.flags & ACK else 0
        self.syn_originator: Side | None = None
        """Sender of the SYN, or the peer of the SYN-ACK's; in a simultaneous open the first SYN decides."""
        self.packets_by_capture: Counter[int] = Counter()
        self.payload_bytes_in: defaultdict[int, int] = defaultdict(int)

    @property
    def starts_midstream(self) -> bool:
        return self.syn_originator is None

    @property
    def packets(self) -> dict[Side, int]:
        return {half.side: half.packets for half in self._halves}

    @property
    def fates(self) -> dict[int, dict[Fate, int]]:
        """Bytes by capture ordinal and fate, both directions."""
        totals: dict[int, dict[Fate, int]] = {}
        for half in self._halves:
            for fate, sizes in half.stream.fates.items():
                for capture, size in sizes.items():
                    counts = totals.setdefault(capture, dict.fromkeys(Fate, 0))
                    counts[fate] += size
        return totals

    @property
    def conflicts(self) -> int:
        return sum(half.stream.conflicts for half in self._halves)

    @property
    def is_over(self) -> bool:
        """Both sides sent FIN, or one sent RST; stragglers may follow."""
        low, high = self._halves
        return (low.sent_fin and high.sent_fin) or low.sent_rst or high.sent_rst

    @property
    def is_under_way(self) -> bool:
        """Both sides spoke or data flowed, and no side said goodbye."""
        low, high = self._halves
        spoke = (low.packets and high.packets) or not (low.stream.pristine and high.stream.pristine)
        return bool(spoke) and not (low.sent_fin or high.sent_fin or self.is_over)

    @property
    def resets_fit(self) -> bool:
        """Each RST stands where the bytes seen end: otherwise some before it may be missing without a trace."""
        return all(self._reset_fits(half) for half in self._halves)

    def _reset_fits(self, half: Half) -> bool:
        other = self._halves[half.side.peer]
        mine, theirs = half.stream.next_seq, other.stream.next_seq
        reset = half.reset
        if reset is None:
            return True
        if reset.seq not in (mine, add(mine, 1) if half.sent_fin else mine):
            return False
        if reset.ack is None:
            # Nothing says what it had received; a FIN of the other side does.
            return other.sent_fin
        return reset.ack in (theirs, add(theirs, 1) if other.sent_fin else theirs)

    @property
    def endings(self) -> list[Ending]:
        """The first FIN and RST of each side, those that fit, in the order of capture."""
        return endings(*self._halves)

    @property
    def ended_by(self) -> Side | None:
        """Who ended it first, where nothing is missing around its end and the two did not cross."""
        return ended_by(*self._halves)

    def isn(self, side: Side) -> int | None:
        return self._halves[side].isn

    def stream_bytes(self, side: Side) -> int:
        """Length of the stream as far as known: delivered bytes and gaps."""
        return self.streams[side].next

    def missed_bytes(self, side: Side) -> int:
        return self.streams[side].missed

    def unseen_bytes(self, side: Side) -> int:
        """How many bytes it sent that are not in the capture: those missed, and those in front of a RST.

        RFC 9293 3.5.2: a RST has the next number of its side and of the other, or 0 where that is not known.
        """
        stream = self.streams[side]
        mine, theirs = self._halves[side].reset, self._halves[side.peer].reset
        told = [mine.seq if mine else 0, theirs.ack or 0 if theirs else 0]
        ahead = [distance(number, stream.next_seq) for number in told if number and stream.settled]
        return stream.missed + max([0, *(one for one in ahead if one <= MAX_AHEAD_BYTES)])

    def sent_nothing(self, side: Side) -> bool:
        """Its SYN was seen and its end, and no number between them: by its FIN, its RST or the other's RST."""
        half, stream = self._halves[side], self.streams[side]
        if half.isn is None or stream.next or self.unseen_bytes(side):
            return False
        theirs = self._halves[side.peer].reset
        ends = (half.reset.seq if half.reset else None, theirs.ack if theirs else None)
        return half.sent_fin or stream.next_seq in ends

    def heard_bytes(self, side: Side) -> int:
        """How much of the other's stream this side has received, as its last packet says."""
        half = self._halves[side]
        ack, stream = half.last_ack, half.peer_stream
        if ack is None or ack == stream.next_seq or not stream.settled:
            return stream.next
        ahead = distance(ack, stream.next_seq)
        return stream.next + ahead if ahead <= MAX_AHEAD_BYTES else stream.next

    def captured_late_ns(self, data: Data) -> int:
        """How long before these bytes were captured the other side acknowledged bytes behind their beginning."""
        return self._halves[data.sender.peer].acknowledged_before_ns(data)

    def delivered_bytes(self, side: Side) -> int:
        return self.streams[side].delivered

    def history(self, originator: Side) -> str:
        return self._history.oriented(originator, self.first_sender)

    def conn_state(self, originator: Side) -> str:
        stream_bytes = sum(half.stream.next for half in self._halves)
        return self._endpoints[originator].conn_state(self.history(originator), stream_bytes)

    def takes_syn(self, syn: Segment) -> bool:
        """Whether a SYN or SYN-ACK belongs to this connection: it repeats the one seen, or was overtaken by others."""
        mine, other = self._halves[syn.sender], self._halves[syn.sender.peer]
        if self._answers(syn, other):
            return True
        if mine.isn is not None:
            return syn.seq == mine.isn
        start = add(syn.seq, 1)
        if mine.stream.settled:
            return mine.stream.base_seq == start
        known = mine.first_seq if mine.first_seq is not None else other.first_ack
        if known is None and self.is_over:
            # Nothing but resets so far: of an older connection, unless they refuse or abort this very SYN.
            return start in (mine.reset and mine.reset.seq, other.reset and other.reset.ack)
        return known is None or 0 <= distance(known, start) <= MAX_HELD_BYTES

    def is_foreign(self, segment: Segment) -> bool:
        """Whether neither of its numbers has to do with this connection: it is of another one with the same ends."""
        mine, other = self.streams[segment.sender], self.streams[segment.sender.peer]
        return bool(segment.flags & ACK) and mine.is_foreign(segment.seq) and other.is_foreign(segment.ack)

    def feed(self, segment: Segment) -> list[StreamEvent]:
        half = self._halves[segment.sender]
        flags = segment.flags
        wire_len = segment.wire_len
        self._packet = packet = self._packet + 1
        half.packets += 1
        self.packets_by_capture[segment.capture] += 1
        self._last = segment
        if segment.ts_ns > self.last_ts_ns:
            self.last_ts_ns = segment.ts_ns
        events: list[StreamEvent] = []
        if flags & _CONTROL or not half.plain_noted[wire_len > 0]:
            events = self._note_packet(half, segment)
        if not segment.window and not flags & RST:
            self._note_zero_window(half)
        stream, peer_stream = half.stream, half.peer_stream
        if flags & ACK and not flags & RST:
            half.last_ack = ack = segment.ack
            if 0 < (ack - peer_stream.next_seq) & MASK <= MAX_AHEAD_BYTES or peer_stream.next_seq < 0:
                peer_stream.acknowledge(ack, packet)
                if peer_stream.settled:
                    half.note_ahead(ack, segment.ts_ns)
                else:
                    half.note_early(ack, segment.ts_ns)
        if wire_len or flags & _CONTROL or segment.payload:
            self.payload_bytes_in[segment.capture] += len(segment.payload)
            was_settled = stream.settled
            events = events + stream.feed(segment) if events else stream.feed(segment)
            if not was_settled and stream.settled and not flags & SYN:
                # Both at once: answers are not to come out while what they answer is still held.
                events = peer_stream.settle_at_first() + events
            if stream.gaps != half.gaps_noted or stream.duplicate_segments != half.duplicates_noted:
                self._note_oddities(half)
            for each in self._halves:
                if each.early:
                    each.place_early()
        if stream.waiting or peer_stream.waiting:
            for each in self._halves:
                events = events + each.stream.tick(packet, segment)
                self._note_oddities(each)
        return events

    @property
    def steady(self) -> bool:
        """Whether bytes next in order change nothing but where the streams stand."""
        return all(half.stream.settled and not half.stream.waiting and half.is_level for half in self._halves)

    @property
    def plain_noted(self) -> tuple[list[bool], ...]:
        """By sender: whether a packet without payload, and one with it, is in the history already."""
        return tuple(half.plain_noted for half in self._halves)

    def advance(self, segments: Sequence[Segment]) -> None:
        """`feed` without events, for a steady connection: bytes next in order and ACKs of what was captured."""
        self.packets_by_capture.update(map(_CAPTURE, segments))
        for half in self._halves:
            sent = [one for one in segments if one.sender is half.side]
            if sent:
                half.packets += len(sent)
                half.last_ack = sent[-1].ack
            for capture, some in groupby(sent, _CAPTURE):
                payload = b"".join(map(_PAYLOAD, some))
                if payload:
                    self.payload_bytes_in[capture] += len(payload)
                    half.stream.advance(payload, capture)
        self._packet += len(segments)
        self._last = segments[-1]
        self.last_ts_ns = max(self.last_ts_ns, self._last.ts_ns)

    def feed_stray(self, segment: Segment) -> None:
        """Count a packet that reached this connection and is no part of it: stale or forged."""
        half = self._halves[segment.sender]
        half.packets += 1
        self._packet += 1
        self.packets_by_capture[segment.capture] += 1
        self.last_ts_ns = max(self.last_ts_ns, segment.ts_ns)
        self.payload_bytes_in[segment.capture] += len(segment.payload)
        half.stream.count(Fate.OUT_OF_WINDOW, segment, len(segment.payload))
        self._history.note(half.side, packet_letter(segment.flags, segment.wire_len))

    def finish(self) -> list[StreamEvent]:
        """No more packets: the last data and gaps of both sides."""
        events: list[StreamEvent] = []
        for half in self._halves:
            other = self._halves[half.side.peer]
            # The answer to a SYN that is no SYN-ACK belongs to an older connection (RFC 9293 3.5.1): its ACK tells
            # nothing about this one.
            trusted = not (half.sent_syn and other.isn is None and half.stream.pristine)
            events += half.stream.finish(self._last, other.last_ack if trusted else None)
            self._note_oddities(half)
        return events

    def _note_packet(self, half: Half, segment: Segment) -> list[StreamEvent]:
        flags = segment.flags
        events = self._note_syn(half, segment) if flags & SYN and not flags & RST else []
        # RFC 9293 3.5.2: the numbers of a RST may be zero or another connection's.
        if half.first_seq is None and not flags & RST:
            half.first_seq = segment.seq
        if half.first_ack is None and flags & (ACK | RST) == ACK:
            half.first_ack = segment.ack
        if flags & (FIN | RST):
            half.note_end(segment, self._halves[half.side.peer])
        for endpoints in self._endpoints:
            endpoints.update(half.side, flags, segment.wire_len)
        if letter := packet_letter(flags, segment.wire_len):
            self._history.note(half.side, letter)
        if not flags & _CONTROL:
            half.plain_noted[segment.wire_len > 0] = True
        return events

    def _note_syn(self, half: Half, syn: Segment) -> list[StreamEvent]:
        is_answer = bool(syn.flags & ACK)
        if self.syn_originator is None:
            self.syn_originator = half.side.peer if is_answer else half.side
        half.sent_syn = True
        other = self._halves[half.side.peer]
        if half.isn is None:
            half.isn = syn.seq
        elif half.isn != syn.seq and half.stream.pristine and self._answers(syn, other):
            # The server forgot its first answer, as after a refused attempt, and chose another number.
            half.isn = syn.seq
            half.stream.settle_at(add(syn.seq, 1))
        if is_answer and other.isn is None and not other.stream.settled:
            other.isn = add(syn.ack, -1)
            return other.stream.settle_at(syn.ack)
        return []

    @staticmethod
    def _answers(syn: Segment, other: Half) -> bool:
        return bool(syn.flags & ACK) and other.isn is not None and syn.ack == add(other.isn, 1)

    def _note_zero_window(self, half: Half) -> None:
        """As Zeek: no news after this side's reset, nor after the peer's FIN, when no window matters any more."""
        if not half.sent_rst and not self._halves[half.side.peer].sent_fin:
            self._history.note_scaled(half.side, "w")

    def _note_oddities(self, half: Half) -> None:
        stream = half.stream
        if gaps := stream.gaps - half.gaps_noted:
            self._history.note_scaled(half.side, "g", gaps)
        if duplicates := stream.duplicate_segments - half.duplicates_noted:
            self._history.note_scaled(half.side, "t", duplicates)
        half.gaps_noted, half.duplicates_noted = stream.gaps, stream.duplicate_segments
