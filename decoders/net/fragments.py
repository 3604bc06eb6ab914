"""IP reassembly, RFC 791 3.2 and RFC 8200 4.5, over the fragments that share source, destination, protocol and id.

Each fragment that goes in comes out in the `frames` of exactly one result. Taps see packets twice and identifications
are used again, so a finished datagram is remembered: fragments that only repeat it start nothing new.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from decoders.limits import FRAGMENT_TIMEOUT_NS, MAX_DATAGRAM_BYTES, MAX_FRAGMENTS_PER_DATAGRAM
from decoders.net.pile import Pile

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from decoders.net.model import IpFragment


class FrameRef(NamedTuple):
    capture: int
    frame: int


@dataclass(frozen=True, slots=True)
class Fragment:
    ts_ns: int
    capture: int
    frame: int
    ip: IpFragment
    payload: bytes

    @property
    def ref(self) -> FrameRef:
        return FrameRef(self.capture, self.frame)


@dataclass(frozen=True, slots=True)
class Datagram:
    """Goes on to dissect_transport(protocol, src, dst, payload). Time and frame are those of the completing fragment."""

    ts_ns: int
    capture: int
    frame: int
    src: bytes
    dst: bytes
    protocol: int
    payload: bytes
    frames: tuple[FrameRef, ...]
    disputed: bool
    """Fragments overlapped with different bytes; the first ones stand."""


class FragmentFate(enum.StrEnum):
    DUPLICATE = "fragment-duplicate"
    """Nothing new and nothing different: a second tap, or a copy on the way. Not a problem."""
    OVERLAP = "fragment-overlap-differs"
    """A remark that accounts for no frame: the fragment itself is in the datagram or in what is incomplete."""
    END_DIFFERS = "fragment-end-differs"
    INCOMPLETE = "fragment-incomplete"
    TOO_MANY = "fragment-too-many"
    TOO_LARGE = "fragment-too-large"
    EMPTY = "fragment-empty"
    ODD_LENGTH = "fragment-odd-length"


@dataclass(frozen=True, slots=True)
class FragmentNote:
    """What became of fragments that made no datagram. Time and frame are those of the fragment that decided it."""

    fate: FragmentFate
    detail: str
    ts_ns: int
    capture: int
    frame: int
    frames: tuple[FrameRef, ...]


Reassembled: TypeAlias = Datagram | FragmentNote


def reassemble(fragments: Iterable[Fragment]) -> Iterator[Reassembled]:
    """`fragments` of one key in time order."""
    current, finished = _Pending(), _Finished()
    for fragment in fragments:
        if current.fragments and fragment.ts_ns - current.fragments[0].ts_ns > FRAGMENT_TIMEOUT_NS:
            yield from _close(current, finished)
            current, finished = _Pending(), _Finished()
        if finished.pile and fragment.ts_ns - finished.ts_ns > FRAGMENT_TIMEOUT_NS:
            yield from finished.duplicates()
            finished = _Finished()
        refused = _refusal(fragment)
        if refused:
            yield _note(*refused, fragment, (fragment.ref,))
        elif finished.repeats(fragment):
            finished.echoes.append(fragment)
        else:
            yield from current.add(fragment)
        if current.pile.complete:
            yield current.datagram()
            yield from finished.duplicates()
            current, finished = _Pending(), _Finished(current.pile, fragment.ts_ns)
    yield from _close(current, finished)


def _refusal(fragment: Fragment) -> tuple[FragmentFate, str] | None:
    ip = fragment.ip
    if not ip.payload_wire_len:
        return FragmentFate.EMPTY, f"no bytes at offset {ip.fragment_offset}"
    if ip.more and ip.payload_wire_len % 8:
        return FragmentFate.ODD_LENGTH, f"{ip.payload_wire_len} bytes, not a multiple of 8, and more to come"
    if ip.fragment_offset + ip.payload_wire_len > MAX_DATAGRAM_BYTES:
        return FragmentFate.TOO_LARGE, f"reaches {ip.fragment_offset + ip.payload_wire_len} bytes"
    return None


def _note(fate: FragmentFate, detail: str, at: Fragment, frames: tuple[FrameRef, ...]) -> FragmentNote:
    return FragmentNote(fate, detail, at.ts_ns, at.capture, at.frame, frames)


@dataclass(slots=True)
class _Pending:
    """A datagram under way."""

    pile: Pile = field(default_factory=Pile)
    fragments: list[Fragment] = field(default_factory=list)
    disputed: bool = False

    def add(self, fragment: Fragment) -> Iterator[FragmentNote]:
        ip, pile = fragment.ip, self.pile
        start, end = ip.fragment_offset, ip.fragment_offset + ip.payload_wire_len
        if pile.end_disagrees(end, last=not ip.more):
            known = f"known to have {pile.total}" if pile.total is not None else f"already {pile.reach} long"
            detail = f"bytes {start}-{end - 1}{'' if ip.more else ', the last'}, of a datagram {known}"
            yield _note(FragmentFate.END_DIFFERS, detail, fragment, (fragment.ref,))
            return
        agrees = pile.agrees(start, fragment.payload)
        ends_it = not ip.more and pile.total is None
        if agrees and not ends_it and pile.covers(start, start + len(fragment.payload)):
            yield _note(FragmentFate.DUPLICATE, f"bytes {start}-{end - 1} again", fragment, (fragment.ref,))
            return
        if not agrees:
            self.disputed = True
            yield _note(FragmentFate.OVERLAP, f"bytes {start}-{end - 1} differ from earlier ones", fragment, ())
        self.fragments.append(fragment)
        pile.add(start, fragment.payload)
        if not ip.more:
            pile.total = end
        if len(self.fragments) > MAX_FRAGMENTS_PER_DATAGRAM:
            detail = f"more than {MAX_FRAGMENTS_PER_DATAGRAM} fragments"
            yield _note(FragmentFate.TOO_MANY, detail, fragment, self.refs())
            self.pile, self.fragments, self.disputed = Pile(), [], False

    def refs(self) -> tuple[FrameRef, ...]:
        return tuple(fragment.ref for fragment in self.fragments)

    def datagram(self) -> Datagram:
        last = self.fragments[-1]
        # RFC 8200 4.5: the next header of the fragment with offset 0 counts. The pile is complete, so there is one.
        first = next(fragment for fragment in self.fragments if fragment.ip.fragment_offset == 0)
        return Datagram(
            ts_ns=last.ts_ns,
            capture=last.capture,
            frame=last.frame,
            src=first.ip.src,
            dst=first.ip.dst,
            protocol=first.ip.protocol,
            payload=bytes(self.pile.data),
            frames=self.refs(),
            disputed=self.disputed,
        )


@dataclass(slots=True)
class _Finished:
    """The last datagram made, and the fragments since that repeat it."""

    pile: Pile | None = None
    ts_ns: int = 0
    echoes: list[Fragment] = field(default_factory=list)
