"""Ordered bytes to PDUs: the one place that decides where a PDU begins and ends ([C706] 12.6.3.1, frag_length).

Every byte fed comes out once, in order: in a whole PDU, in one with a hole, or as skipped.
"""

from __future__ import annotations

import enum
from collections import deque
from dataclasses import dataclass, field
from typing import TypeAlias

from decoders.dcerpc.header import HEADER_BYTES, PduHeader, parse_header
from decoders.dcerpc.search import HeaderSearch, Verdict, may_begin_header
from decoders.limits import MAX_RESYNC_BYTES
from decoders.tcp.model import Data, Gap, Side

FrameRef: TypeAlias = tuple[int, int]
"""Ordinal of the capture, number of the frame in it."""


class SkipReason(enum.StrEnum):
    SEARCHING = "searching"
    """Passed while looking for a PDU: after a hole, after bytes that are none, or from a start in the middle."""
    HEADER_CUT = "header_cut"
    """The beginning of a header; the rest is missing."""
    NOT_RPC = "not_rpc"
    """The direction does not speak DCE/RPC, as far as could be seen by then."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the captured bytes of something came from."""

    first_ts_ns: int
    last_ts_ns: int
    frames: tuple[FrameRef, ...]
    """Each frame once, in stream order."""
    bytes_by_capture: dict[int, int]


@dataclass(frozen=True, slots=True)
class FramedPdu:
    sender: Side
    offset: int
    header: PduHeader
    data: bytes
    """frag_length of them."""
    origin: Origin

    @property
    def end(self) -> int:
        return self.offset + self.header.frag_length


@dataclass(frozen=True, slots=True)
class BrokenPdu:
    """A PDU whose header was captured and of which later bytes are missing."""

    sender: Side
    offset: int
    header: PduHeader
    data: bytes
    """What there is before the first hole. Bytes behind it are counted in `origin`, not kept."""
    missing: int
    origin: Origin

    @property
    def end(self) -> int:
        return self.offset + self.header.frag_length


@dataclass(frozen=True, slots=True)
class Skipped:
    """Bytes next to each other that belong to no PDU."""

    sender: Side
    offset: int
    size: int
    reason: SkipReason
    ts_ns: int
    capture: int
    frame: int
    """The frame of the first byte."""
    bytes_by_capture: dict[int, int]


AnyPdu: TypeAlias = FramedPdu | BrokenPdu
Framed: TypeAlias = FramedPdu | BrokenPdu | Skipped


class _State(enum.Enum):
    NEW = enum.auto()
    IN_STEP = enum.auto()
    """The next byte begins a PDU."""
    SEARCHING = enum.auto()
    NOT_RPC = enum.auto()


@dataclass(slots=True)
class _Tally:
    """Origins added up."""

    first_ts_ns: int
    last_ts_ns: int
    frames: dict[FrameRef, None] = field(default_factory=dict)
    by_capture: dict[int, int] = field(default_factory=dict)

    def origin(self) -> Origin:
        return Origin(self.first_ts_ns, self.last_ts_ns, tuple(self.frames), self.by_capture)


@dataclass(slots=True)
class _Open:
    """A PDU with a hole in it, up to its end."""

    offset: int
    header: PduHeader
    data: bytes
    left: int
    tally: _Tally
    missing: int = 0


class Framer:
    """One direction of a connection. Memory: one PDU, or what the search looks at (two)."""

    __slots__ = (
        "_at",
        "_held",
        "_needed",
        "_open",
        "_run",
        "_search",
        "_search_limit",
        "_sources",
        "_state",
        "peer_speaks",
        "sender",
        "speaks",
    )

    def __init__(self, sender: Side) -> None:
        self.sender = sender
        self.speaks = False
        """Whether this direction had a PDU."""
        self.peer_speaks = False
        self._state = _State.NEW
        self._held = bytearray()
        self._at = 0
        """Stream offset of the first byte held."""
        self._needed = 0
        """Offset up to which bytes must be there before there is anything to decide."""
        self._sources: deque[tuple[int, int, int, int]] = deque()
        """(end offset, ts_ns, capture, frame) of each event not yet used up."""
        self._open: _Open | None = None
        self._search = HeaderSearch(0)
        self._search_limit = 0
        self._run: Skipped | None = None

    def feed(self, event: Data | Gap, *, from_start: bool = False) -> list[Framed]:
        """The next event of this direction. `from_start`: the capture has the direction's very first byte."""
        out: list[Framed] = []
        if self._state is _State.NEW:
            self._at = event.offset
            if from_start and isinstance(event, Data):
                self._state = _State.IN_STEP
            else:
                self._begin_search()
        if isinstance(event, Gap):
            self._pass_hole(event, out)
        elif event.payload:
            self._take(event, out)
        return out

    def finish(self) -> list[Framed]:
        """No more bytes."""
        out: list[Framed] = []
        self._settle(out)
        self._close_open(out)
        self._end_run(out)
        return out

    def note_peer_speaks(self) -> None:
        """The peer sent a PDU: what this side sends next may be one, whatever it began with."""
        self.peer_speaks = True
        if self._state is _State.NOT_RPC:
            self._begin_search()

    def _take(self, event: Data, out: list[Framed]) -> None:
        payload = event.payload
        end = event.offset + len(payload)
        self._sources.append((end, event.ts_ns, event.capture, event.frame))
        if self._state is _State.NOT_RPC:
            self._skip(len(payload), SkipReason.NOT_RPC, out)
            return
        if self._open is not None:
            inside = min(self._open.left, len(payload))
            self._use(inside, self._open.tally)
            self._open.left -= inside
            if self._open.left:
                return
            self._close_open(out)
            payload = payload[inside:]
        self._held += payload
        if end >= self._needed:
            self._advance(out, final=False)

    def _pass_hole(self, gap: Gap, out: list[Framed]) -> None:
        if gap.size <= 0:
            return
        self._settle(out)
        beyond = gap.size
        if self._open is not None:
            inside = min(self._open.left, gap.size)
            self._open.missing += inside
            self._open.left -= inside
            beyond -= inside
            if not self._open.left:
                self._close_open(out)
        self._at = gap.offset + gap.size
        self._end_run(out)
        if beyond and self._state is not _State.NOT_RPC:
            self._begin_search()

    def _settle(self, out: list[Framed]) -> None:
        """What follows the bytes held is missing, or there is nothing: decide with what there is."""
        self._advance(out, final=True)
        held = self._held
        if not held:
            return
        header = parse_header(held)
        if header is None:
            self._skip(len(held), SkipReason.HEADER_CUT if may_begin_header(held) else SkipReason.NOT_RPC, out)
            return
        self._end_run(out)
        self.speaks = True
        offset, data = self._at, bytes(held)
        held.clear()
        tally = self._use(len(data), None)
        self._open = _Open(offset, header, data, header.frag_length - len(data), tally)

    def _advance(self, out: list[Framed], *, final: bool) -> None:
        held = self._held
        while held:
            if self._state is _State.SEARCHING:
                if not self._searched(out, final=final):
                    return
            elif self._state is _State.NOT_RPC:
                self._skip(len(held), SkipReason.NOT_RPC, out)
            elif len(held) < HEADER_BYTES:
                self._needed = self._at + HEADER_BYTES
                return
            elif (header := parse_header(held)) is None:
                if self.speaks or self.peer_speaks:
                    self._begin_search()
                else:
                    self._state = _State.NOT_RPC
            elif len(held) < header.frag_length:
                self._needed = self._at + header.frag_length
                return
            else:
                self._end_run(out)
                self.speaks = True
                offset, data = self._at, bytes(held[: header.frag_length])
                del held[: header.frag_length]
                out.append(FramedPdu(self.sender, offset, header, data, self._use(len(data), None).origin()))
        self._needed = self._at + HEADER_BYTES if self._state is _State.IN_STEP else 0

    def _begin_search(self) -> None:
        self._state, self._needed = _State.SEARCHING, 0
        self._search = HeaderSearch(self._at)
        self._search_limit = self._at + MAX_RESYNC_BYTES

    def _searched(self, out: list[Framed], *, final: bool) -> bool:
        """Whether the state is another one now."""
        verdict = self._search.look(self._held, self._at, final=final)
        passed = self._search.passed
        if passed > self._search_limit and not (self.speaks or self.peer_speaks):
            self._skip(self._search_limit - self._at, SkipReason.SEARCHING, out)
            self._state = _State.NOT_RPC
            return True
        self._skip(passed - self._at, SkipReason.SEARCHING, out)
        self._needed = self._search.needed
        if verdict is Verdict.FOUND:
            self._state = _State.IN_STEP
        return verdict is Verdict.FOUND

    def _skip(self, size: int, reason: SkipReason, out: list[Framed]) -> None:
        if size <= 0:
            return
        del self._held[:size]
        if self._run is not None and self._run.reason is not reason:
            self._end_run(out)
        _, ts_ns, capture, frame = self._sources[0]
        start = self._at
        by_capture = {} if self._run is None else self._run.bytes_by_capture
        self._use(size, _Tally(0, 0, {}, by_capture))
        if self._run is None:
            self._run = Skipped(self.sender, start, size, reason, ts_ns, capture, frame, by_capture)
        else:
            run = self._run
            self._run = Skipped(
                self.sender, run.offset, run.size + size, reason, run.ts_ns, run.capture, run.frame, by_capture
            )

    def _end_run(self, out: list[Framed]) -> None:
        if self._run is not None:
            out.append(self._run)
            self._run = None

    def _close_open(self, out: list[Framed]) -> None:
        one, self._open = self._open, None
        if one is not None:
            missing = one.missing + one.left
            out.append(BrokenPdu(self.sender, one.offset, one.header, one.data, missing, one.tally.origin()))

    def _use(self, size: int, tally: _Tally | None) -> _Tally:
        """Charge the next `size` bytes to the frames they came from."""
        sources, at = self._sources, self._at
        stop = at + size
        if tally is None:
            tally = _Tally(sources[0][1], sources[0][1])
        while at < stop:
            end, ts_ns, capture, frame = sources[0]
            upto = min(end, stop)
            tally.by_capture[capture] = tally.by_capture.get(capture, 0) + upto - at
            tally.frames[capture, frame] = None
            tally.last_ts_ns = ts_ns
            if end == upto:
                sources.popleft()
            at = upto
        self._at = stop
        return tally


class ConnectionFramer:
    """Both directions. A side that began with something else is looked at again once its peer speaks DCE/RPC."""

    __slots__ = ("framers",)

    def __init__(self) -> None:
        self.framers = {side: Framer(side) for side in Side}

    def feed(self, event: Data | Gap, *, from_start: bool = False) -> list[Framed]:
        framer = self.framers[event.sender]
        spoke = framer.speaks
        out = framer.feed(event, from_start=from_start)
        if framer.speaks and not spoke:
            self.framers[event.sender.peer].note_peer_speaks()
        return out

    def finish(self) -> list[Framed]:
        return [framed for framer in self.framers.values() for framed in framer.finish()]
