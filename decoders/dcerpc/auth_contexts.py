"""Security contexts of a connection and who is behind them: [MS-RPCE] 3.3.1.5.2, 3.3.1.5.4."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.dcerpc.handshake import Handshake
from decoders.dcerpc.security_trailer import PRIVACY
from decoders.dcerpc.troubles import TroubleCode
from decoders.limits import MAX_AUTH_CONTEXTS, MAX_HANDSHAKE_FRAMES
from decoders.security.ntlm import NegotiateMessage
from decoders.security.tokens import read_token
from decoders.status import fault_name

if TYPE_CHECKING:
    from decoders.dcerpc.framing_model import AnyPdu, FrameRef
    from decoders.dcerpc.proposals import Proposal
    from decoders.dcerpc.security_trailer import Claims, SecurityTrailer
    from decoders.security.handshake_result import Client
    from decoders.tcp.model import Side

_CONNECT: Final = (0, 2)
"""RPC_C_AUTHN_LEVEL_DEFAULT means CONNECT."""
REFUSALS: Final = frozenset(
    (
        *(0x0000_0005, 0x0000_052E, 0x0000_06CD, 0x0000_06D3, 0x0000_06D4, 0x0000_071D, 0x0000_0721),
        *(0x1C00_001D, 0x1C00_001F, 0xC000_0022, 0xC000_006D, 0x8009_0308, 0x8009_030C, 0x8009_030F),
    )
)
"""Faults by which a server that does not believe its client answers the first call: access denied, logon failure,
authentication service, level or package, checksum, and SSPI's own.
"""


class AuthOutcome(enum.StrEnum):
    ACCEPTED = "accepted"
    REFUSED = "refused"
    UNKNOWN = "unknown"


@dataclass(slots=True)
class AuthContext:
    auth_context_id: int
    auth_type: int
    auth_level: int
    sender: Side
    offset: int
    """Of the first PDU that names it, as what follows."""
    first_ts_ns: int
    handshake: Handshake = field(default_factory=Handshake)
    frames: dict[FrameRef, None] = field(default_factory=dict)
    """Of its legs; of the first PDU that names it where none was captured."""
    authenticated_ns: int | None = None
    """When the client sent an AUTHENTICATE_MESSAGE."""
    bound: bool = False
    """The server accepted the last leg."""
    served: bool = False
    """The server answered a call."""
    refusal: str | None = None

    @property
    def outcome(self) -> AuthOutcome:
        """What was served proves most; a bind is also accepted of clients whose first call is refused."""
        if self.served:
            return AuthOutcome.ACCEPTED
        if self.refusal is not None:
            return AuthOutcome.REFUSED
        return AuthOutcome.ACCEPTED if self.bound else AuthOutcome.UNKNOWN

    def begin_again(self) -> None:
        self.handshake, self.authenticated_ns, self.refusal = Handshake(), None, None
        self.bound = self.served = False

    def add_frames(self, frames: tuple[FrameRef, ...]) -> None:
        room = MAX_HANDSHAKE_FRAMES - len(self.frames)
        self.frames.update(dict.fromkeys(frames[: max(0, room)]))


class CallSecurity(NamedTuple):
    """How a call is protected, and who makes it."""

    auth_context_id: int
    auth_type: int
    auth_level: int
    handshake: Handshake | None

    @property
    def client(self) -> Client | None:
        return None if self.handshake is None else self.handshake.client

    @property
    def authenticated(self) -> bool | None:
        return None if self.handshake is None else self.handshake.authenticated


class AuthContexts:
    __slots__ = ("_levels", "contexts")

    def __init__(self) -> None:
        self.contexts: dict[int, AuthContext] = {}
        self._levels: set[int] = set()
        """Seen in any trailer."""

    @property
    def may_seal(self) -> bool:
        """Whether a PDU whose trailer is missing may be sealed. It may where nothing is known: no guess at a stub."""
        return not self._levels or PRIVACY in self._levels

    def note(self, security: SecurityTrailer, framed: AnyPdu) -> AuthContext | None:
        """The context that a trailer names. None: there are more than a client may build."""
        self._levels.add(security.auth_level)
        known = self.contexts.get(security.auth_context_id)
        if known is None and len(self.contexts) < MAX_AUTH_CONTEXTS:
            number, began = security.auth_context_id, (framed.sender, framed.offset, framed.origin.first_ts_ns)
            known = self.contexts[number] = AuthContext(number, security.auth_type, security.auth_level, *began)
            known.add_frames(framed.origin.frames)
        return known

    def leg(self, security: SecurityTrailer, framed: AnyPdu, *, from_client: bool) -> tuple[TroubleCode, str] | None:
        """A token of bind, alter_context, their answers or auth3. What is wrong with it, if anything."""
        known = self.note(security, framed)
        if known is None:
            return TroubleCode.AUTH_TRAILER_BAD, "more security contexts than a client may build"
        known.add_frames(framed.origin.frames)
        token = read_token(security.token, from_client=from_client)
        problem = token.problem or getattr(token.message, "problem", None)
        if from_client:
            known.auth_type, known.auth_level = security.auth_type, security.auth_level
            if known.handshake.begins_again(token):
                known.begin_again()
                problem = problem or f"security context {security.auth_context_id} is negotiated again"
            elif isinstance(token.message, NegotiateMessage):
                # What another mechanism was refused for no longer counts.
                known.refusal = None
        known.handshake.note(token, from_client=from_client)
        if from_client and known.handshake.authenticate is not None:
            known.authenticated_ns = framed.origin.last_ts_ns
        return None if problem is None else (TroubleCode.AUTH_LEG_BAD, problem)

    def bind_answered(self, proposal: Proposal, framed: AnyPdu) -> None:
        """By bind_ack or alter_context_resp, whose token was noted."""
        context = self._built_by(proposal)
        if context is None:
            return
        handshake, sent_ns = context.handshake, context.authenticated_ns
        # A side's bytes may come out late: the answer to an earlier leg is none to the last one.
        said_all = sent_ns is not None and sent_ns <= framed.origin.first_ts_ns and not handshake.spnego
        if handshake.refusal is not None:
            context.refusal = context.refusal or handshake.refusal
        elif handshake.accepted or said_all:
            context.bound = True

    def bind_refused(self, proposal: Proposal, reason: str) -> None:
        context = self._built_by(proposal)
        if context is not None:
            context.refusal = context.refusal or reason

    def _built_by(self, proposal: Proposal) -> AuthContext | None:
        return None if proposal.auth_context_id is None else self.contexts.get(proposal.auth_context_id)

    def call_answered(self, security: CallSecurity | None, fault: int | None) -> None:
        """By a response, or with a fault."""
        context = None if security is None else self.contexts.get(security.auth_context_id)
        if context is None:
            return
        if fault is not None and fault in REFUSALS:
            context.refusal = context.refusal or fault_name(fault) or f"0x{fault:08X}"
        else:
            context.served = True

    def has_seen(self, claims: Claims) -> bool:
        """Whether nothing is new about a trailer."""
        _, level, number = claims
        return number in self.contexts and level in self._levels

    def of(self, claims: Claims | None) -> CallSecurity | None:
        """The context of a request. Without a trailer it is the only one there is, where that has level CONNECT."""
        if claims is not None:
            auth_type, level, number = claims
            known = self.contexts.get(number)
            return CallSecurity(number, auth_type, level, None if known is None else known.handshake)
        if len(self.contexts) == 1:
            only = next(iter(self.contexts.values()))
            if only.auth_level in _CONNECT:
                return CallSecurity(only.auth_context_id, only.auth_type, only.auth_level, only.handshake)
        return None
