"""Which frames the bytes of a stream came from."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from decoders.dcerpc.framing_model import Origin

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import FrameRef
    from decoders.tcp.model import Data


@dataclass(slots=True)
class Tally:
    """Origins added up."""

    first_ts_ns: int = 0
    last_ts_ns: int = 0
    frames: dict[FrameRef, None] = field(default_factory=dict)
    by_capture: dict[int, int] = field(default_factory=dict)

    def origin(self) -> Origin:
        return Origin(self.first_ts_ns, self.last_ts_ns, tuple(self.frames), self.by_capture)


class Sources:
    """Events not yet used up; bytes are charged to them in stream order."""

    __slots__ = ("_at", "_left")

    def __init__(self) -> None:
        self._at = 0
        self._left: deque[tuple[int, int, int, int]] = deque()
        """(end offset, ts_ns, capture, frame)"""

    def add(self, event: Data) -> None:
        if not self._left:
            self._at = event.offset
        self._left.append((event.offset + len(event.payload), event.ts_ns, event.capture, event.frame))

    @property
    def next(self) -> tuple[int, int, int]:
        """Time, capture and frame of the next byte."""
        return self._left[0][1:]

    def origin(self, size: int) -> Origin:
        """Of the next `size` bytes."""
        stop = self._at + size
        end, ts_ns, capture, frame = self._left[0]
        if end < stop:
            tally = Tally(ts_ns)
            self.charge(size, tally)
            return tally.origin()
        self._at = stop
        if end == stop:
            self._left.popleft()
        return Origin(ts_ns, ts_ns, ((capture, frame),), {capture: size})

    def charge(self, size: int, tally: Tally) -> None:
        """The next `size` bytes, added to others."""
        at, stop = self._at, self._at + size
        while at < stop:
            end, ts_ns, capture, frame = self._left[0]
            upto = min(end, stop)
            tally.by_capture[capture] = tally.by_capture.get(capture, 0) + upto - at
            tally.frames[capture, frame] = None
            tally.last_ts_ns = ts_ns
            if end == upto:
                self._left.popleft()
            at = upto
        self._at = stop
