"""Requests and their answers in turn, on a connection of which nothing is missing: read many at once.

Most traffic is this. What is in any way unusual ends the stretch in front of the exchange it is part of: from there the
state machines go on (Conversation, Framer, CallTracker), which then stand as if they had seen every packet.
"""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.dcerpc.call_model import Call, CallOutcome, Part
from decoders.dcerpc.header import FIXED_BYTES, MINOR_VERSIONS, RPC_VERSION, PacketType, PduFlag
from decoders.dcerpc.security_trailer import PRIVACY, TRAILER_BYTES
from decoders.dcerpc.verification import SIGNATURE
from decoders.limits import MAX_VERIFICATION_BYTES, SILENCE_NS
from decoders.tcp.model import ACK, PSH
from decoders.tcp.sequence import MASK, distance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.dcerpc.auth_contexts import CallSecurity
    from decoders.dcerpc.call_model import Binding
    from decoders.dcerpc.framing_model import FrameRef
    from decoders.dcerpc.negotiation import Negotiation
    from decoders.dcerpc.security_trailer import Claims
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import Segment, Side

_REQUEST, _RESPONSE = int(PacketType.REQUEST), int(PacketType.RESPONSE)
_FIRST, _LAST = int(PduFlag.FIRST_FRAG), int(PduFlag.LAST_FRAG)
_LITTLE_ENDIAN: Final = 0x10
"""The whole drep: ASCII, IEEE and two zeros."""
_FIXED: Final = FIXED_BYTES[PacketType.REQUEST]
_BEGINNING: Final = struct.Struct("<BBBBIHHIIHH")
"""Of a request; of a response cancel_count stands where the opnum does."""
_TRAILER: Final = struct.Struct("<BBBBI")
_MAX_TRAILER: Final = MAX_VERIFICATION_BYTES + 4
"""Looked through for a verification trailer, which need not begin where its last fragment's stub does."""


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


class Exchange(NamedTuple):
    call: Call
    request: list[Fragment]
    response: list[Fragment]


class Stretch(NamedTuple):
    exchanges: list[Exchange]
    segments: Sequence[Segment]
    """That carried them, with the acknowledgements between and behind them."""
    heard: list[tuple[Side, int, int]]
    """Sender and offset of their data, and how much of the other's stream its sender had received by then."""


class ExchangeReader:
    """Of one connection, as it stands. Nothing of it changes by reading."""

    def __init__(self, connection: Connection, negotiation: Negotiation, client: Side) -> None:
        self._connection, self._negotiation, self._client = connection, negotiation, client
        self._bindings: dict[int, Binding | None] = {}
        self._securities: dict[Claims | None, CallSecurity | None] = {}

    def read(self, segments: Sequence[Segment], at: int, last_ts_ns: int) -> Stretch:
        """What begins with segment number `at` and goes on in turn."""
        streams, noted = self._connection.streams, self._connection.plain_noted
        numbers, places = [one.next_seq for one in streams], [one.next for one in streams]
        client = self._client
        found: list[Exchange] = []
        heard: list[tuple[Side, int, int]] = []
        done, heard_done = at, 0
        request: _Turn | None = None
        turn = _Turn(client, _REQUEST, places[client])
        for number in range(at, len(segments)):
            segment = segments[number]
            sender, ts_ns, _, _, seq, ack, flags, window, payload, wire_len = segment
            size, peer = len(payload), sender.peer
            if flags & ~PSH != ACK or not window or size != wire_len or not 0 <= ts_ns - last_ts_ns <= SILENCE_NS:
                break
            received = distance(ack, numbers[peer])
            if received > 0 or not noted[sender][size > 0]:
                break
            last_ts_ns = ts_ns
            if not size:
                if request is None and not turn.segments:
                    done = number + 1
                continue
            if sender is not turn.sender or seq != numbers[sender]:
                break
            heard.append((sender, places[sender], places[peer] + received))
            numbers[sender] = (seq + size) & MASK
            places[sender] += size
            whole = turn.add(segment)
            if whole is None:
                break
            if not whole:
                continue
            if request is None:
                request, turn = turn, _Turn(client.peer, _RESPONSE, places[client.peer])
                continue
            call = self._call(request, turn)
            if call is None:
                break
            found.append(Exchange(call, request.fragments, turn.fragments))
            request, turn = None, _Turn(client, _REQUEST, places[client])
            done, heard_done = number + 1, len(heard)
        return Stretch(found, segments[at:done], heard[:heard_done])

    def _call(self, request: _Turn, response: _Turn) -> Call | None:
        """None where the answer is not that to the request, or what it rests on was not seen."""
        call_id, ctx_id, opnum = request.asked
        claims = request.claims
        if (call_id, ctx_id) != response.asked[:2] or claims != response.claims:
            return None
        if ctx_id not in self._bindings:
            self._bindings[ctx_id] = self._negotiation.contexts.settled(ctx_id)
        binding, auth = self._bindings[ctx_id], self._negotiation.auth
        if binding is None or not (claims is None or auth.has_seen(claims)):
            return None
        if claims not in self._securities:
            self._securities[claims] = auth.of(claims)
        security = self._securities[claims]
        client = None if security is None else security.client
        asked = request.part()
        if not asked.sealed and SIGNATURE in asked.stub[-_MAX_TRAILER:]:
            return None
        return Call(
            (self._client, request.fragments[0].offset),
            call_id,
            ctx_id,
            opnum,
            None,
            binding,
            False,
            asked,
            response.part(),
            None,
            False,
            False,
            None if security is None else security.auth_type,
            None if security is None else security.auth_level,
            None if security is None else security.auth_context_id,
            None if security is None else security.authenticated,
            None if client is None else client.username,
            None if client is None else client.domain,
            None if client is None else client.workstation,
            asked.sealed,
            False,
            None,
            self._negotiation.contexts.assoc_group_id,
            CallOutcome.ANSWERED,
        )


class _Turn:
    """What one side says in its turn: the fragments of one request or response, and nothing else."""

    __slots__ = (
        "_at", "_data", "_ends", "_kind", "_needed", "_place", "_stubs", "asked", "claims", "fragments", "segments",
        "sender",
    )  # fmt: skip

    def __init__(self, sender: Side, kind: int, place: int) -> None:
        self.sender, self._kind, self._place = sender, kind, place
        self.asked = -1, -1, -1
        """Call id, context and opnum."""
        self.claims: Claims | None = None
        self.fragments: list[Fragment] = []
        self.segments: list[Segment] = []
        self._ends: list[int] = []
        """Where each of the segments ends in the data."""
        self._data: bytes | bytearray = b""
        self._at, self._needed = 0, _FIXED
        self._stubs: list[bytes] = []

    def add(self, segment: Segment) -> bool | None:
        """Whether it is whole now. None: it is not as most are."""
        if not self.segments:
            self._data = segment.payload
        else:
            if len(self.segments) == 1:
                self._data = bytearray(self._data)
            self._data += segment.payload
        self.segments.append(segment)
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
        major, minor, kind, flags, drep, frag_length, auth_length, call_id, _, ctx_id, opnum = beginning
        at, fragments = self._at, self.fragments
        if major != RPC_VERSION or minor not in MINOR_VERSIONS or kind != self._kind or drep != _LITTLE_ENDIAN:
            return False
        if flags & ~_LAST != (0 if fragments else _FIRST) or frag_length < _FIXED:
            return False
        stop, claims = end, None
        if auth_length:
            stop -= auth_length + TRAILER_BYTES
            if stop < at + _FIXED:
                return False
            auth_type, level, padding, _, context = _TRAILER.unpack_from(self._data, stop)
            stop -= padding
            if stop < at + _FIXED:
                return False
            claims = auth_type, level, context
        asked = call_id, ctx_id, opnum if kind == _REQUEST else 0
        if not fragments:
            self.asked, self.claims = asked, claims
        elif (asked, claims) != (self.asked, self.claims):
            return False
        first, frames = self._origin(at, end)
        fragments.append(Fragment(self._place + at, self._place + end, minor, flags, claims, first.ts_ns, frames))
        self._stubs.append(bytes(self._data[at + _FIXED : stop]))
        return all(capture == first.capture for capture, _ in frames)

    def _origin(self, at: int, end: int) -> tuple[Segment, tuple[FrameRef, ...]]:
        """The first segment with bytes of [at, end), and the frames of all."""
        segments = self.segments
        if len(segments) > 1:
            begin = bisect_right(self._ends, at)
            segments = segments[begin : bisect_left(self._ends, end) + 1]
        return segments[0], tuple([(one.capture, one.frame) for one in segments])

    def part(self) -> Part:
        first, last = self.segments[0], self.segments[-1]
        stub = self._stubs[0] if len(self._stubs) == 1 else b"".join(self._stubs)
        return Part(
            stub,
            True,
            None,
            "<",
            first.ts_ns,
            last.ts_ns,
            first.capture,
            tuple([(one.capture, one.frame) for one in self.segments]),
            0,
            len(self.fragments),
            len(stub),
            None,
            self.claims is not None and self.claims[1] == PRIVACY,
        )
