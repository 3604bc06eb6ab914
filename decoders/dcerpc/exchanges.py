"""Requests and their answers in turn, on a connection of which nothing is missing: read many at once.

Most traffic is this. What is in any way unusual ends the stretch in front of the exchange it is part of: from there the
state machines go on (Conversation, Framer, CallTracker), which then stand as if they had seen every packet.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from decoders.dcerpc.call_model import Call, CallOutcome
from decoders.dcerpc.turns import REQUEST, RESPONSE, Turn, at_once
from decoders.dcerpc.verification import SIGNATURE
from decoders.limits import MAX_VERIFICATION_BYTES, SILENCE_NS
from decoders.tcp.model import ACK, PSH
from decoders.tcp.sequence import HALF, MASK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.dcerpc.call_model import Binding
    from decoders.dcerpc.negotiation import Negotiation
    from decoders.dcerpc.security_trailer import Claims
    from decoders.dcerpc.turns import Fragment, TurnMessage
    from decoders.tcp.connection import Connection
    from decoders.tcp.model import Segment, Side

_REQUEST_BYTE: Final = bytes((REQUEST,))
_KIND_AT: Final = 2
_PLAIN: Final = PSH | ACK
_MAX_TRAILER: Final = MAX_VERIFICATION_BYTES + 4
"""Looked through for a verification trailer, which need not begin where its last fragment's stub does."""
_Security: TypeAlias = tuple[int | None, int | None, int | None, bool | None, str | None, str | None, str | None]
"""What a call says of it, in the order of its fields."""
_NO_SECURITY: Final[_Security] = (None,) * 7


class Exchange(NamedTuple):
    call: Call
    request: list[Fragment]
    response: list[Fragment]


class Stretch(NamedTuple):
    exchanges: list[Exchange]
    segments: Sequence[Segment]
    """That carried them, with the acknowledgements between and behind them."""
    heard: tuple[list[tuple[int, int]], ...]
    """By sender: the offset of data, and how much of the other's stream had been received when it was sent."""


def may_begin(segment: Segment) -> bool:
    """Whether a stretch can begin with it: a request does, or an ACK in front of it. Cheap, for it is often asked."""
    payload = segment.payload
    return not segment.flags & ~_PLAIN and (not payload or payload[_KIND_AT : _KIND_AT + 1] == _REQUEST_BYTE)


class ExchangeReader:
    """Of one connection, as it stands. Nothing of it changes by reading."""

    def __init__(self, connection: Connection, negotiation: Negotiation, client: Side) -> None:
        self._connection, self._negotiation, self._client = connection, negotiation, client
        self._assoc_group_id = negotiation.contexts.assoc_group_id
        self._bindings: dict[int, Binding | None] = {}
        self._securities: dict[Claims | None, _Security | None] = {}

    def read(self, segments: Sequence[Segment], at: int, last_ts_ns: int) -> Stretch:
        """What begins with segment number `at` and goes on in turn."""
        streams, noted = self._connection.streams, self._connection.plain_noted
        numbers, places = [one.next_seq for one in streams], [one.next for one in streams]
        client, server = self._client, self._client.peer
        found: list[Exchange] = []
        heard: tuple[list[tuple[int, int]], ...] = [], []
        done, heard_done = at, (0, 0)
        request: TurnMessage | None = None
        turn: Turn | None = None
        for number in range(at, len(segments)):
            segment = segments[number]
            sender, ts_ns, _, _, seq, ack, flags, window, payload, wire_len = segment
            size, peer = len(payload), server if sender is client else client
            if flags & ~PSH != ACK or not window or size != wire_len or not 0 <= ts_ns - last_ts_ns <= SILENCE_NS:
                break
            received = ((ack - numbers[peer] + HALF) & MASK) - HALF  # `distance`, which would be a call for each
            if received > 0 or not noted[sender][size > 0]:
                break
            last_ts_ns = ts_ns
            if not size:
                if request is None and turn is None:
                    done = number + 1
                continue
            if sender is not (client if request is None else server) or seq != numbers[sender]:
                break
            place, kind = places[sender], REQUEST if request is None else RESPONSE
            heard[sender].append((place, places[peer] + received))
            numbers[sender] = (seq + size) & MASK
            places[sender] = place + size
            said = at_once(segment, kind, place) if turn is None else None
            if said is None:
                turn = turn or Turn(kind, place)
                whole = turn.add(segment)
                if whole is None:
                    break
                if not whole:
                    continue
                said, turn = turn.said(), None
            if request is None:
                request = said
                continue
            call = self._call(request, said)
            if call is None:
                break
            found.append(Exchange(call, request.fragments, said.fragments))
            request = None
            done, heard_done = number + 1, (len(heard[0]), len(heard[1]))
        noted_of = tuple(one[:until] for one, until in zip(heard, heard_done, strict=True))
        return Stretch(found, segments[at:done], noted_of)

    def _call(self, request: TurnMessage, response: TurnMessage) -> Call | None:
        """None where the answer is not that to the request, or what it rests on was not seen."""
        call_id, ctx_id, opnum = request.asked
        claims, asked = request.claims, request.part
        if (call_id, ctx_id) != response.asked[:2] or claims != response.claims:
            return None
        if ctx_id not in self._bindings:
            self._bindings[ctx_id] = self._negotiation.contexts.settled(ctx_id)
        binding = self._bindings[ctx_id]
        if claims not in self._securities:
            self._securities[claims] = self._security(claims)
        security = self._securities[claims]
        if binding is None or security is None:
            return None
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
            response.part,
            None,
            False,
            False,
            *security,
            asked.sealed,
            False,
            None,
            self._assoc_group_id,
            CallOutcome.ANSWERED,
        )

    def _security(self, claims: Claims | None) -> _Security | None:
        """None: what the claims rest on was not seen."""
        auth = self._negotiation.auth
        if claims is not None and not auth.has_seen(claims):
            return None
        found = auth.of(claims)
        if found is None:
            return _NO_SECURITY
        of_context = found.auth_type, found.auth_level, found.auth_context_id, found.authenticated
        client = found.client
        return *of_context, *((client.username, client.domain, client.workstation) if client else (None, None, None))
