"""All segments of one pair of endpoints, in time order, told apart into connections."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.limits import MAX_AHEAD_BYTES, MAX_DOUBTFUL_SYNS, MAX_HELD_BYTES, STRANGE_SEGMENTS_BEFORE_RESTART
from decoders.tcp.connection import Connection
from decoders.tcp.model import ACK, RST, SYN, Segment, StreamEvent
from decoders.tcp.sequence import MASK, distance

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Closed:
    """The connection is final: all its data and gaps came before."""


CLOSED: Final = Closed()

ConnectionEvent: TypeAlias = tuple[Connection, StreamEvent | Closed]


class Conversation:
    """Feeds one connection at a time; the 4-tuple's next connection ends the one before.

    Like tshark, a SYN whose number differs from its side's first one starts a connection. Unlike tshark, not at once
    while the connection is under way: there it may be an old duplicate, or forged to make us lose the connection, and
    RFC 5961 4 has the receiver go on. Such a SYN waits for the next packet, which either answers or follows it (a new
    connection) or does not (a stray of the old one).
    """

    __slots__ = ("_current", "_doubtful", "_strange")

    def __init__(self) -> None:
        self._current: Connection | None = None
        self._doubtful: list[Segment] = []
        """Copies of one SYN that does not fit the connection under way."""
        self._strange: list[Segment] = []
        """Data out of the window, or with numbers of no use here, kept until it proves another connection: there is
        enough of it in a row, or both sides speak so.
        """

    def feed(self, segment: Segment) -> list[ConnectionEvent]:
        connection = self._current
        if connection is None:
            return self._restart((segment,))
        if self._doubtful or segment.flags & SYN:
            return self._feed_around_syn(connection, segment)
        stream = connection.streams[segment.sender]
        if (
            (segment.wire_len or segment.payload)
            and (segment.seq != stream.next_seq or stream.waiting)
            and (routed := self._feed_unexpected(connection, segment)) is not None
        ):
            return routed
        if self._strange and segment.wire_len:
            return _of(connection, self._admit_strange(connection, segment) + connection.feed(segment))
        return _of(connection, connection.feed(segment))

    @property
    def steady(self) -> Connection | None:
        """The connection under way, where what comes next can be no other's and can fill no hole."""
        connection = self._current
        if connection is None or self._doubtful or self._strange or not connection.steady:
            return None
        return connection

    def finish(self) -> list[ConnectionEvent]:
        """No more segments come."""
        events = self._restart(self._doubtful) if self._doubtful else []
        return events + self._close()

    def _restart(self, segments: Iterable[Segment]) -> list[ConnectionEvent]:
        """End the connection and begin another with `segments`."""
        segments = tuple(segments)
        self._doubtful = []
        events = self._close()
        self._current = Connection(segments[0])
        for segment in segments:
            events += _of(self._current, self._current.feed(segment))
        return events

    def _close(self) -> list[ConnectionEvent]:
        connection = self._current
        if connection is None:
            return []
        strange = self._take_strange()
        foreign = [segment for segment in strange if connection.is_foreign(segment)]
        events = [event for segment in strange if segment not in foreign for event in connection.feed(segment)]
        self._current = None
        told = [*_of(connection, events + connection.finish()), (connection, CLOSED)]
        return told + (self._restart(foreign) + self._close() if foreign else [])

    def _feed_around_syn(self, connection: Connection, segment: Segment) -> list[ConnectionEvent]:
        """A SYN, or the packet after one that is in doubt."""
        doubtful = self._doubtful
        if doubtful:
            syn = doubtful[0]
            if _repeats(segment, syn) and len(doubtful) < MAX_DOUBTFUL_SYNS:
                doubtful.append(segment)
                return []
            if _confirms(segment, syn):
                return self._restart((*doubtful, segment))
            self._doubtful = []
            for stray in doubtful:
                connection.feed_stray(stray)
            return self.feed(segment)
        # A SYN repeated after the end is still the old one's: a second capture with a clock that lags brings those,
        # while the same number for a new connection is a chance of one in 2^32.
        if segment.flags & RST or connection.takes_syn(segment):
            return _of(connection, connection.feed(segment))
        if connection.is_under_way:
            self._doubtful = [segment]
            return []
        return self._restart((segment,))

    def _feed_unexpected(self, connection: Connection, segment: Segment) -> list[ConnectionEvent] | None:
        """Data that is not the next of its stream: None where it belongs to the connection all the same."""
        if segment.flags & RST:
            return None
        stream = connection.streams[segment.sender]
        away = abs(stream.distance(segment.seq))
        # After the end nothing is in flight that a window did not allow; before it, only what no window allows is odd.
        if connection.is_over and away > MAX_HELD_BYTES:
            return self._restart((*self._take_strange(), segment))
        foreign = away > MAX_HELD_BYTES and connection.is_foreign(segment)
        if away <= MAX_AHEAD_BYTES and not foreign and not stream.after_reset(segment.seq):
            return None
        self._strange.append(segment)
        is_answered = foreign and any(_fit(segment, other) for other in self._strange)
        in_a_row = sum(other.sender is segment.sender for other in self._strange)
        if not is_answered and in_a_row < STRANGE_SEGMENTS_BEFORE_RESTART:
            return []
        return self._restart(self._take_strange())

    def _take_strange(self) -> list[Segment]:
        strange, self._strange = self._strange, []
        return strange

    def _admit_strange(self, connection: Connection, segment: Segment) -> list[StreamEvent]:
        """The stream goes on where it was: what was strange of this side was nothing but strange."""
        strange = self._take_strange()
        self._strange = [other for other in strange if other.sender is not segment.sender]
        events: list[StreamEvent] = []
        for other in strange:
            if other.sender is segment.sender and connection.is_foreign(other):
                connection.feed_stray(other)
            elif other.sender is segment.sender:
                events += connection.feed(other)
        return events


def _of(connection: Connection, events: list[StreamEvent]) -> list[ConnectionEvent]:
    return [(connection, event) for event in events] if events else []


def _fit(one: Segment, other: Segment) -> bool:
    """Whether the two are what both sides of one connection say."""
    near = (distance(one.ack, other.seq), distance(one.seq, other.ack))
    return one.sender is not other.sender and all(abs(away) <= MAX_HELD_BYTES for away in near)


def _repeats(segment: Segment, syn: Segment) -> bool:
    return segment.sender is syn.sender and bool(segment.flags & SYN) and segment.seq == syn.seq


def _confirms(segment: Segment, syn: Segment) -> bool:
    """Whether a packet follows `syn` on its own side, or acknowledges it on the other."""
    if segment.sender is syn.sender:
        number = segment.seq
    elif segment.flags & ACK:
        number = segment.ack
    else:
        return False
    return (number - syn.seq - 1) & MASK <= syn.wire_len
