"""One request or response on a connection of which nothing is missing: its PDUs, in one segment or in several."""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.dcerpc.call_model import Part
from decoders.dcerpc.header import FIXED_BYTES, MINOR_VERSIONS, RPC_VERSION, PacketType, PduFlag
from decoders.dcerpc.security_trailer import PRIVACY, TRAILER_BYTES

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import FrameRef
    from decoders.dcerpc.security_trailer import Claims
    from decoders.tcp.model import Segment

REQUEST, RESPONSE = int(PacketType.REQUEST), int(PacketType.RESPONSE)
_FIRST, _LAST = int(PduFlag.FIRST_FRAG), int(PduFlag.LAST_FRAG)
_ONLY: Final = _FIRST | _LAST
_LITTLE_ENDIAN: Final = 0x10
"""The whole drep: ASCII, IEEE and two zeros."""
_FIXED: Final = FIXED_BYTES[PacketType.REQUEST]
_BEGINNING: Final = struct.Struct("<BBBBIHHIIHH")
"""Of a request; of a response cancel_count stands where the opnum does."""
_TRAILER: Final = struct.Struct("<BBBBI")


class Fragment(NamedTuple):
    """A PDU of a request or response."""

    offset: int
    """In its stream."""
    end: int
    minor: int
    flags: int
    claims: Claims | None
    ts_ns: int
    frames: tuple[FrameRef, ...]


class TurnMessage(NamedTuple):
    """One request or response, whole."""

    asked: tuple[int, int, int]
    """Call id, context and opnum."""
    claims: Claims | None
    fragments: list[Fragment]
    part: Part


def at_once(segment: Segment, kind: int, place: int) -> TurnMessage | None:
    """One PDU in one segment, as most are. None: it is something else."""
    data = segment.payload
    end = len(data)
    if end < _FIXED:
        return None
    beginning = _BEGINNING.unpack_from(data)
    if beginning[3] != _ONLY or beginning[5] != end:
        return None
    found = _fragment(data, 0, beginning, kind)
    if found is None:
        return None
    asked, claims, stop = found
    ts_ns, capture, frames = segment.ts_ns, segment.capture, ((segment.capture, segment.frame),)
    stub = data[_FIXED:stop]
    sealed = claims is not None and claims[1] == PRIVACY
    part = Part(stub, True, None, "<", ts_ns, ts_ns, capture, frames, 0, 1, len(stub), None, sealed)
    return TurnMessage(asked, claims, [Fragment(place, place + end, beginning[1], _ONLY, claims, ts_ns, frames)], part)


def _fragment(
    data: bytes | bytearray, at: int, beginning: tuple[int, ...], kind: int
) -> tuple[tuple[int, int, int], Claims | None, int] | None:
    """What is asked, the claims and where the stub ends, of a fragment that is all there. None: something is odd."""
    major, minor, told_kind, _, drep, frag_length, auth_length, call_id, _, ctx_id, opnum = beginning
    if major != RPC_VERSION or minor not in MINOR_VERSIONS or told_kind != kind or drep != _LITTLE_ENDIAN:
        return None
    if frag_length < _FIXED:
        return None
    stop, claims = at + frag_length, None
    if auth_length:
        stop -= auth_length + TRAILER_BYTES
        if stop < at + _FIXED:
            return None
        auth_type, level, padding, _, context = _TRAILER.unpack_from(data, stop)
        stop -= padding
        if stop < at + _FIXED:
            return None
        claims = auth_type, level, context
    return (call_id, ctx_id, opnum if kind == REQUEST else 0), claims, stop


class Turn:
    """What one side says in its turn: the fragments of one request or response, and nothing else."""

    __slots__ = ("_asked", "_at", "_claims", "_data", "_ends", "_fragments", "_kind", "_needed", "_place", "_segments",
                 "_stubs")  # fmt: skip

    def __init__(self, kind: int, place: int) -> None:
        self._kind, self._place = kind, place
        self._asked = -1, -1, -1
        self._claims: Claims | None = None
        self._fragments: list[Fragment] = []
        self._segments: list[Segment] = []
        self._ends: list[int] = []
        """Where each of the segments ends in the data."""
        self._data: bytes | bytearray = b""
        self._at, self._needed = 0, _FIXED
        self._stubs: list[bytes] = []

    def add(self, segment: Segment) -> bool | None:
        """Whether it is whole now. None: it is not as most are."""
        if not self._segments:
            self._data = segment.payload
        else:
            if len(self._segments) == 1:
                self._data = bytearray(self._data)
            self._data += segment.payload
        self._segments.append(segment)
        self._ends.append(len(self._data))
        while len(self._data) >= self._needed:
            at, beginning = self._at, _BEGINNING.unpack_from(self._data, self._at)
            end = at + beginning[5]
            if len(self._data) < end:
                self._needed = end
                return False
            if not self._take(beginning, end):
                return None
            if beginning[3] & _LAST:
                return True if end == len(self._data) else None
            self._at, self._needed = end, end + _FIXED
        return False

    def _take(self, beginning: tuple[int, ...], end: int) -> bool:
        """The next fragment. False: something is odd about it."""
        at, fragments, flags = self._at, self._fragments, beginning[3]
        found = _fragment(self._data, at, beginning, self._kind)
        if found is None or flags & ~_LAST != (0 if fragments else _FIRST):
            return False
        asked, claims, stop = found
        if not fragments:
            self._asked, self._claims = asked, claims
        elif (asked, claims) != (self._asked, self._claims):
            return False
        first, frames = self._origin(at, end)
        place = self._place
        fragments.append(Fragment(place + at, place + end, beginning[1], flags, claims, first.ts_ns, frames))
        self._stubs.append(bytes(self._data[at + _FIXED : stop]))
        return all(capture == first.capture for capture, _ in frames)

    def _origin(self, at: int, end: int) -> tuple[Segment, tuple[FrameRef, ...]]:
        """The first segment with bytes of [at, end), and the frames of all."""
        begin = bisect_right(self._ends, at)
        segments = self._segments[begin : bisect_left(self._ends, end) + 1]
        return segments[0], tuple([(one.capture, one.frame) for one in segments])

    def said(self) -> TurnMessage:
        first, last = self._segments[0], self._segments[-1]
        stub = self._stubs[0] if len(self._stubs) == 1 else b"".join(self._stubs)
        part = Part(
            stub,
            True,
            None,
            "<",
            first.ts_ns,
            last.ts_ns,
            first.capture,
            tuple([(one.capture, one.frame) for one in self._segments]),
            0,
            len(self._fragments),
            len(stub),
            None,
            self._claims is not None and self._claims[1] == PRIVACY,
        )
        return TurnMessage(self._asked, self._claims, self._fragments, part)
