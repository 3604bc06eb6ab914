"""What framing gives: PDUs whole and cut, and the bytes that belong to none, each traced to its frames.

Named tuples, since one of each is made for every PDU and a frozen dataclass costs three times as much to make.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from decoders.dcerpc.header import PduHeader
    from decoders.tcp.model import Side

FrameRef: TypeAlias = tuple[int, int]
"""Ordinal of the capture, number of the frame in it."""


class SkipReason(enum.StrEnum):
    SEARCHING = "searching"
    """Passed while looking for a PDU: after a hole, after bytes that are none, or from a start in the middle."""
    HEADER_CUT = "header_cut"
    """The beginning of a header; the rest is missing."""
    NOT_RPC = "not_rpc"
    """The direction does not speak DCE/RPC, as far as could be seen by then."""


class Origin(NamedTuple):
    """Where the captured bytes of something came from."""

    first_ts_ns: int
    last_ts_ns: int
    frames: tuple[FrameRef, ...]
    """Each frame once, in stream order."""
    bytes_by_capture: dict[int, int]

    @property
    def began(self) -> tuple[int, FrameRef]:
        """Sorts as the packets of a run are sorted: by time, capture and frame."""
        return self.first_ts_ns, self.frames[0]


class FramedPdu(NamedTuple):
    sender: Side
    offset: int
    header: PduHeader
    data: bytes
    """frag_length of them."""
    origin: Origin

    @property
    def end(self) -> int:
        return self.offset + self.header.frag_length


class BrokenPdu(NamedTuple):
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


class Skipped(NamedTuple):
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
