"""IP reassembly, RFC 791 3.2 and RFC 8200 4.5, over the fragments that share source, destination, protocol and id.

Each fragment that goes in comes out in the `frames` of exactly one result. Taps see packets twice and identifications
are used again, so a finished datagram is remembered: fragments that only repeat it start nothing new.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from decoders.limits import FRAGMENT_TIMEOUT_NS, MAX_DATAGRAM_BYTES, MAX_FRAGMENTS_PER_DATAGRAM
from decoders.net.datagram_bytes import DatagramBytes
from decoders.net.datagrams import Datagram, Fragment, FragmentFate, FragmentNote, FrameRef

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from decoders.net.datagrams import Reassembled

__all__ = ["Datagram", "Fragment", "FragmentFate", "FragmentNote", "FrameRef", "reassemble"]


def reassemble(fragments: Iterable[Fragment]) -> Iterator[Reassembled]:
    """`fragments` are those of one key, in time order."""
    current, finished = _Pending(), _Finished()
    for fragment in fragments:
        if _expired(current, finished, fragment.ts_ns):
            yield from _close(current, finished)
            current, finished = _Pending(), _Finished()
        refusal = _refusal(fragment)
        if refusal:
            yield refusal
        elif finished.repeated_by(fragment):
            yield from finished.echo(fragment)
        else:
            yield from current.add(fragment)
        if current.pile.complete:
            yield current.datagram()
            yield from map(_duplicate, finished.echoes)
            current, finished = _Pending(), _Finished(current.pile, fragment.ts_ns)
    yield from _close(current, finished)


def _expired(current: _Pending, finished: _Finished, now: int) -> bool:
    # What is under way began after the finished one, so its age decides for both.
    since = current.fragments[0].ts_ns if current.fragments else finished.ts_ns
    return now - since > FRAGMENT_TIMEOUT_NS


def _close(current: _Pending, finished: _Finished) -> Iterator[Reassembled]:
    """No more fragments for these. What repeats the finished datagram may fill the holes of one that reused its id."""
    if not current.fragments:
        yield from map(_duplicate, finished.echoes)
        return
    incomplete = current.incomplete()
    filling = {echo.ref for echo in finished.echoes if current.fills(echo)}
    if current.pile.complete:
        yield current.datagram()
        yield from (_duplicate(echo) for echo in finished.echoes if echo.ref not in filling)
    else:
        yield incomplete
        yield from map(_duplicate, finished.echoes)


def _refusal(fragment: Fragment) -> FragmentNote | None:
    ip = fragment.ip
    if not ip.payload_wire_len:
        return _note(FragmentFate.EMPTY, f"no bytes at offset {ip.fragment_offset}", fragment)
    if ip.more and ip.payload_wire_len % 8:
        return _note(FragmentFate.ODD_LENGTH, f"{ip.payload_wire_len} bytes with more to come", fragment)
    if fragment.end > MAX_DATAGRAM_BYTES:
        return _note(FragmentFate.TOO_LARGE, f"reaches to {fragment.end} bytes", fragment)
    return None


def _duplicate(fragment: Fragment) -> FragmentNote:
    return _note(FragmentFate.DUPLICATE, f"bytes {fragment.start}-{fragment.end - 1} again", fragment)


def _note(
    fate: FragmentFate, detail: str, decided: Fragment, frames: tuple[FrameRef, ...] | None = None
) -> FragmentNote:
    frames = (decided.ref,) if frames is None else frames
    return FragmentNote(fate, detail, decided.ts_ns, decided.capture, decided.frame, frames)


@dataclass(slots=True)
class _Pending:
    """A datagram under way."""

    pile: DatagramBytes = field(default_factory=DatagramBytes)
    fragments: list[Fragment] = field(default_factory=list)
    disputed: bool = False

    def add(self, fragment: Fragment) -> Iterator[FragmentNote]:
        pile, start, end = self.pile, fragment.start, fragment.end
        if pile.end_differs(end, last=fragment.last):
            known = pile.reach if pile.total is None else pile.total
            detail = f"bytes {start}-{end - 1}{' as the last' * fragment.last}, the datagram has {known}"
            yield _note(FragmentFate.END_DIFFERS, detail, fragment)
            return
        agrees = pile.agrees(start, fragment.payload)
        says_end = fragment.last and pile.total is None
        if agrees and not says_end and pile.covers(start, end):
            yield _duplicate(fragment)
            return
        if not agrees:
            self.disputed = True
            yield _note(FragmentFate.OVERLAP, f"bytes {start}-{end - 1} differ from earlier ones", fragment, ())
        self._put(fragment)
        if len(self.fragments) > MAX_FRAGMENTS_PER_DATAGRAM:
            detail = f"more than {MAX_FRAGMENTS_PER_DATAGRAM} fragments"
            yield _note(FragmentFate.TOO_MANY, detail, fragment, self._refs())
            self.pile, self.fragments, self.disputed = DatagramBytes(), [], False

    def fills(self, fragment: Fragment) -> bool:
        """Add `fragment` if it fits in a hole without contradicting anything."""
        pile, start, end = self.pile, fragment.start, fragment.end
        fits = not pile.end_differs(end, last=fragment.last) and pile.agrees(start, fragment.payload)
        if not fits or pile.covers(start, end):
            return False
        self._put(fragment)
        return True

    def _put(self, fragment: Fragment) -> None:
        self.fragments.append(fragment)
        self.pile.add(fragment.start, fragment.payload)
        if fragment.last:
            self.pile.total = fragment.end

    def _refs(self) -> tuple[FrameRef, ...]:
        return tuple(fragment.ref for fragment in self.fragments)

    def incomplete(self) -> FragmentNote:
        cut = sum(len(fragment.payload) < fragment.end - fragment.start for fragment in self.fragments)
        detail = f"{len(self.fragments)} fragments, {cut} of them cut, without bytes {self.pile.missing()}"
        return _note(FragmentFate.INCOMPLETE, detail, self.fragments[-1], self._refs())

    def datagram(self) -> Datagram:
        # The latest: not the one put last where _close() filled a hole; of equal times the last in order.
        completing = max(reversed(self.fragments), key=lambda fragment: fragment.ts_ns)
        # RFC 8200 4.5: the next header of the fragment with offset 0 counts. The pile is complete, so there is one.
        first = next(fragment for fragment in self.fragments if fragment.start == 0)
        return Datagram(
            ts_ns=completing.ts_ns,
            capture=completing.capture,
            frame=completing.frame,
            src=first.ip.src,
            dst=first.ip.dst,
            protocol=first.ip.protocol,
            payload=bytes(self.pile.data),
            frames=self._refs(),
            disputed=self.disputed,
        )


@dataclass(slots=True)
class _Finished:
    """The last datagram made, and the fragments since that repeat it."""

    pile: DatagramBytes = field(default_factory=DatagramBytes)
    ts_ns: int = 0
    echoes: list[Fragment] = field(default_factory=list)

    def repeated_by(self, fragment: Fragment) -> bool:
        return (
            self.pile.covers(fragment.start, fragment.end)
            and not self.pile.end_differs(fragment.end, last=fragment.last)
            and self.pile.agrees(fragment.start, fragment.payload)
        )

    def echo(self, fragment: Fragment) -> Iterator[FragmentNote]:
        if len(self.echoes) < MAX_FRAGMENTS_PER_DATAGRAM:
            self.echoes.append(fragment)
        else:
            yield _duplicate(fragment)
