"""Stretches of a connection that are read at once: what its state machines are told of them."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.exchanges import Exchange, Stretch
    from decoders.dcerpc.turns import Fragment
    from decoders.tcp.model import Segment
    from pipelines.calls.connection import ConnectionCalls, ExchangedCalls
    from pipelines.connections.rows import Counts, TrackedConnection

_FIRST_PAUSE: Final = 2
_LONGEST_PAUSE: Final = 64


class Pace:
    """When to look for a stretch. On traffic without any, to look at every segment would cost more than it saves."""

    __slots__ = ("_left", "_length", "_never")

    def __init__(self, *, never: bool) -> None:
        self._left, self._length, self._never = 0, _FIRST_PAUSE, never

    def is_time(self) -> bool:
        self._left -= 1
        return self._left < 0 and not self._never

    def met_one(self) -> None:
        """What ended it comes next."""
        self._left, self._length = 1, _FIRST_PAUSE

    def met_none(self) -> None:
        self._left, self._length = self._length, min(2 * self._length, _LONGEST_PAUSE)


def began(segment: Segment) -> Began:
    return segment.ts_ns, (segment.capture, segment.frame)


def exchanged(tracked: TrackedConnection, calls: ConnectionCalls, stretch: Stretch) -> ExchangedCalls:
    """Move everything that follows the connection to the end of the stretch."""
    exchanges = stretch.exchanges
    last = exchanges[-1]
    client, _ = last.call.key
    tracked.connection.advance(stretch.segments)
    for side, fragments, part in (
        (client, last.request, last.call.request),
        (client.peer, last.response, last.call.response),
    ):
        place = fragments[-1].offset
        heard = stretch.heard[side]
        # What was heard earlier, nobody asks for any more.
        for offset, octets in heard[max(bisect_right(heard, place, key=itemgetter(0)) - 1, 0) :]:
            tracked.heard[side].note(offset, octets)
        tracked.heard[side].at(place)
        tracked.framer.framers[side].advance_to(fragments[-1].end)
        if part is not None:
            tracked.witness.note_in_order(side, part.last_ts_ns, *part.frames[-1])
    tracked.recogniser.note_exchanges(client, _count(tracked.counts, exchanges))
    return calls.exchanged(exchanges, tracked.heard[client.peer].at(last.response[-1].offset))


def _count(counts: Counts, exchanges: Sequence[Exchange]) -> int:
    """How many PDUs they have."""
    pdus = [one for _, request, response in exchanges for one in (*request, *response)]
    for capture, some in groupby(pdus, _capture):
        of_capture = list(some)
        counts[capture, "stream_bytes", "pdus"] += sum([one.end - one.offset for one in of_capture])
        counts[capture, "pdus", "in"] += len(of_capture)
    for capture, number in Counter([_capture(request[0]) for _, request, _ in exchanges]).items():
        counts[capture, "calls", "in"] += number
    return len(pdus)


def _capture(pdu: Fragment) -> int:
    return pdu.frames[0][0]
