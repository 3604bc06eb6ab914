"""Ordered bytes of one direction to PDUs: the one place that decides where a PDU begins and ends.

[C706] 12.6.3.1, frag_length: every byte fed comes out once, in order: in a whole PDU, in a cut one, or as skipped.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING

from decoders.dcerpc.framing_model import BrokenPdu, FramedPdu, SkipReason
from decoders.dcerpc.header import HEADER_BYTES, PduHeader, parse_header
from decoders.dcerpc.search import HeaderSearch, SearchState, may_begin_header
from decoders.dcerpc.skipped_run import SkippedRun
from decoders.dcerpc.sources import Sources, Tally
from decoders.limits import MAX_RESYNC_BYTES
from decoders.tcp.model import Data, Gap

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import Framed
    from decoders.tcp.model import Side


class _State(enum.Enum):
    NEW = enum.auto()
    IN_STEP = enum.auto()
    """The next byte begins a PDU."""
    SEARCHING = enum.auto()
    NOT_RPC = enum.auto()


@dataclass(slots=True)
class _Open:
    """A PDU with a hole in it, up to its end."""

    offset: int
    header: PduHeader
    data: bytes
    left: int
    tally: Tally
    missing: int = 0


class Framer:
    """One direction of a connection. Memory: one PDU, or what the search looks at (two)."""

    __slots__ = (
        "_at",
        "_header",
        "_held",
        "_needed",
        "_open",
        "_search",
        "_search_limit",
        "_skipped",
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
        self._header: PduHeader | None = None
        """Of the PDU that begins with the first byte held, once read; the rest of it is awaited."""
        self._sources = Sources()
        self._skipped = SkippedRun(sender, self._sources)
        self._open: _Open | None = None
        self._search = HeaderSearch(0)
        self._search_limit = 0

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

    @property
    def in_step(self) -> bool:
        """Whether PDUs came, the next byte begins one, and nothing is held back."""
        between = self._open is None and not self._held and not self._skipped
        return self.speaks and between and self._state is _State.IN_STEP

    def advance_to(self, offset: int) -> None:
        """Whole PDUs up to there, the next in step, were framed elsewhere."""
        self._at = offset
        self._needed = self._at + HEADER_BYTES

    def finish(self) -> list[Framed]:
        """No more bytes."""
        out: list[Framed] = []
        self._settle(out)
        self._close_open(out)
        self._skipped.end(out)
        return out

    def note_peer_speaks(self) -> None:
        """The peer sent a PDU: what this side sends next may be one, whatever it began with."""
        self.peer_speaks = True
        if self._state is _State.NOT_RPC:
            self._begin_search()

    def _take(self, event: Data, out: list[Framed]) -> None:
        payload = event.payload
        self._sources.add(event)
        if self._state is _State.NOT_RPC:
            self._skip(len(payload), SkipReason.NOT_RPC, out)
            return
        if self._open is not None:
            payload = self._fill_open(self._open, payload, out)
        if not self._held and self._state is _State.IN_STEP:
            header = parse_header(payload)
            if header is not None and header.frag_length == len(payload):
                # A segment that is one PDU, as most small ones are, is not copied.
                self._give(header, payload, out)
                return
            self._header = header
        self._held += payload
        if self._at + len(self._held) >= self._needed:
            self._advance(out, final=False)

    def _fill_open(self, one: _Open, payload: bytes, out: list[Framed]) -> bytes:
        """Bytes behind the hole of a PDU, up to its end. What follows that."""
        inside = min(one.left, len(payload))
        self._sources.charge(inside, one.tally)
        self._at += inside
        one.left -= inside
        if not one.left:
            self._close_open(out)
        return payload[inside:]

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
        self._skipped.end(out)
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
        self._skipped.end(out)
        self.speaks, self._header = True, None
        tally = Tally(self._sources.next[0])
        self._sources.charge(len(held), tally)
        self._open = _Open(self._at, header, bytes(held), header.frag_length - len(held), tally)
        self._at += len(held)
        held.clear()

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
            elif (header := self._header or parse_header(held)) is None:
                if self.speaks or self.peer_speaks:
                    self._begin_search()
                else:
                    self._state = _State.NOT_RPC
            elif len(held) < header.frag_length:
                self._header, self._needed = header, self._at + header.frag_length
                return
            else:
                data = bytes(memoryview(held)[: header.frag_length])
                del held[: header.frag_length]
                self._give(header, data, out)
        self._needed = self._at + HEADER_BYTES if self._state is _State.IN_STEP else 0

    def _give(self, header: PduHeader, data: bytes, out: list[Framed]) -> None:
        self._skipped.end(out)
        self.speaks, self._header = True, None
        out.append(FramedPdu(self.sender, self._at, header, data, self._sources.origin(len(data))))
        self._at += len(data)

    def _begin_search(self) -> None:
        self._state, self._needed, self._header = _State.SEARCHING, 0, None
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
        if verdict is SearchState.FOUND:
            self._state = _State.IN_STEP
        return verdict is SearchState.FOUND

    def _skip(self, size: int, reason: SkipReason, out: list[Framed]) -> None:
        if size <= 0:
            return
        del self._held[:size]
        self._skipped.add(self._at, size, reason, out)
        self._at += size

    def _close_open(self, out: list[Framed]) -> None:
        one, self._open = self._open, None
        if one is not None:
            missing = one.missing + one.left
            out.append(BrokenPdu(self.sender, one.offset, one.header, one.data, missing, one.tally.origin()))
