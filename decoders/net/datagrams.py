"""What goes into IP reassembly and what comes out of it."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
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

    @property
    def start(self) -> int:
        return self.ip.fragment_offset

    @property
    def end(self) -> int:
        """On the wire; the payload may have been cut by the snap length."""
        return self.ip.fragment_offset + self.ip.payload_wire_len

    @property
    def last(self) -> bool:
        return not self.ip.more


@dataclass(frozen=True, slots=True)
class Datagram:
    """For dissect_transport(protocol, src, dst, payload). Time and frame are those of the completing fragment."""

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
