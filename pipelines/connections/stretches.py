"""Stretches of a connection that are read at once: what its state machines are told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from decoders.dcerpc.evidence import Began
    from decoders.dcerpc.exchanges import Stretch
    from decoders.tcp.model import Segment
    from pipelines.calls.connection import ConnectionCalls, Exchanged
    from pipelines.connections.rows import Tracked

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

    def found(self) -> None:
        """What ended it comes next."""
        self._left, self._length = 1, _FIRST_PAUSE

    def missed(self) -> None:
        self._left, self._length = self._length, min(2 * self._length, _LONGEST_PAUSE)


def began(segment: Segment) -> Began:
    return segment.ts_ns, (segment.capture, segment.frame)


def exchanged(tracked: Tracked, calls: ConnectionCalls, stretch: Stretch) -> Exchanged:
    """Move everything that follows the connection to the end of the stretch."""
    exchanges, counts = stretch.exchanges, tracked.counts
    last = exchanges[-1]
    client, _ = last.call.key
    tracked.connection.advance(stretch.segments)
    for sender, offset, heard in stretch.heard:
        tracked.heard[sender].note(offset, heard)
    tracked.heard[client].at(last.request[-1].offset)
    for side, fragments, part in (
        (client, last.request, last.call.request),
        (client.peer, last.response, last.call.response),
    ):
        tracked.framer.framers[side].advance_to(fragments[-1].end)
        if part is not None:
            tracked.witness.note_in_order(side, part.last_ts_ns, *part.frames[-1])
    pdus = 0
    for _, request, response in exchanges:
        for fragments in (request, response):
            pdus += len(fragments)
            for one in fragments:
                capture = one.frames[0][0]
                counts[capture, "stream_bytes", "pdus"] += one.end - one.offset
                counts[capture, "pdus", "in"] += 1
        counts[request[0].frames[0][0], "calls", "in"] += 1
    tracked.recogniser.note_exchanges(client, pdus)
    return calls.exchanged(exchanges, tracked.heard[client.peer].at(last.response[-1].offset))
