"""PDUs unsealed and their signatures checked, where the secret of the client's account, or the service's key, is known.

One Unsealer a connection, fed with every PDU: what each direction sent, and what is missing of it, decides where in the
cipher's stream the next PDU stands. Nothing is believed that a signature does not prove.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.dcerpc.framing_model import BrokenPdu
from decoders.dcerpc.header import FIXED_BYTES, PacketType, PduFlag
from decoders.dcerpc.pdus import Request, Response, parse_pdu
from decoders.dcerpc.security_trailer import TRAILER_BYTES, SecurityTrailer
from decoders.dcerpc.troubles import TroubleCode
from decoders.limits import MAX_AUTH_CONTEXTS
from decoders.security.accounts import SecretFit
from decoders.security.handshake_result import HandshakeResult
from decoders.security.kerberos import ApRep, ApReq
from decoders.security.ntlm import AuthenticateMessage, ChallengeMessage
from decoders.security.sealed_pdu import SealedPdu

if TYPE_CHECKING:
    from decoders.dcerpc.auth_contexts import AuthContext, AuthContexts
    from decoders.dcerpc.framing_model import AnyPdu
    from decoders.dcerpc.pdus import Pdu
    from decoders.security.keyring import Keyring
    from decoders.security.sealed_pdu import Lane
    from decoders.security.tokens import Message

_PROTECTED: Final = (
    PacketType.REQUEST,
    PacketType.RESPONSE,
    PacketType.FAULT,
    PacketType.CO_CANCEL,
    PacketType.ORPHANED,
    PacketType.SHUTDOWN,
)
_PACKET, _PRIVACY = 4, 6
"""Authentication levels."""
_OBJECT_UUID: Final = int(PduFlag.OBJECT_UUID)
_FAULT_BODIES: Final = (24, 32)
"""Where the body of a fault begins: at its status, or behind it and the reserved field. Senders differ."""


_NOTHING: Final = HandshakeResult(None)
_TOLD: Final = {SecretFit.WRONG: TroubleCode.WRONG_SECRET, SecretFit.UNUSABLE: TroubleCode.UNUSABLE_SECRET}


@dataclass(slots=True)
class _Session:
    """A security context as far as its keys matter."""

    proofs: tuple[Message | None, Message | None] = (None, None)
    """The messages for which keys were looked for."""
    found: HandshakeResult = _NOTHING
    early: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    """Bytes of PDUs that came out, or are missing, before the keys were known."""
    heard: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    """How many of the connection's missing bytes it knows of."""
    told: set[bool] = field(default_factory=set)
    """Directions of which a PDU could not be placed."""


class Opened(NamedTuple):
    parsed: Pdu | None
    """As it was, where nothing could be done."""
    trouble: tuple[TroubleCode, str] | None = None


class Unsealer:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring
        self._sessions: dict[int, _Session] = {}
        self._ends: dict[bool, int] = {}
        self._missing = {True: 0, False: 0}
        """Bytes of each direction of which nobody knows whose they are."""

    def pdu(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None, contexts: AuthContexts) -> Opened:
        """The next PDU of a direction."""
        self._missing[from_client] += max(0, framed.offset - self._ends.get(from_client, 0))
        self._ends[from_client] = framed.end
        security = None if parsed is None else parsed.security
        if framed.header.packet_type not in _PROTECTED or not framed.header.auth_length:
            if security is not None and len(self._sessions) < MAX_AUTH_CONTEXTS:
                # From its first leg on, bytes that are missing may be PDUs of the context.
                self._sessions.setdefault(security.auth_context_id, _Session(heard=dict(self._missing)))
            return Opened(parsed)
        if parsed is None or security is None:
            return Opened(self._cut(from_client, framed, parsed, contexts))
        context = contexts.contexts.get(security.auth_context_id)
        if context is None or security.auth_level < _PACKET:
            return Opened(parsed)
        session = self._session(context)
        lane = session.found.lanes.get(from_client)
        if lane is None:
            session.early[from_client] += len(framed.data)
            return Opened(parsed)
        return self._open(lane, session, from_client, framed, parsed, security)

    def verdict(self, context: AuthContext) -> tuple[str | None, tuple[TroubleCode, str] | None]:
        """Whether the secret given for its account is the client's, if one was; and what is to be told of it."""
        found = self._session(context).found
        if found.verdict is None:
            return None, None
        told = _TOLD.get(found.verdict)
        detail = f"security context {context.auth_context_id}, {found.whose}: {found.why}"
        return str(found.verdict), None if told is None else (told, detail)

    def learn(self, parsed: Pdu | None, contexts: AuthContexts) -> None:
        """Behind each leg: the client's name may be known from then on."""
        security = None if parsed is None else parsed.security
        context = None if security is None else contexts.contexts.get(security.auth_context_id)
        if context is not None:
            self._session(context)

    def _session(self, context: AuthContext) -> _Session:
        session = self._sessions.get(context.auth_context_id)
        if session is None:
            session = self._sessions[context.auth_context_id] = _Session(heard=dict(self._missing))
        self._hear(session)
        proofs = context.handshake.proofs
        if session.proofs != proofs:
            session.proofs, session.found = proofs, self._found(*proofs)
            for from_client, lane in session.found.lanes.items():
                lane.miss(session.early[from_client])
        if session.found.client is not None:
            context.handshake.client = session.found.client
        return session

    def _found(self, client: Message | None, server: Message | None) -> HandshakeResult:
        if isinstance(client, ApReq):
            return self._keyring.of_kerberos(client, server if isinstance(server, ApRep) else None)
        if isinstance(client, AuthenticateMessage):
            return self._keyring.of_ntlm(server if isinstance(server, ChallengeMessage) else None, client)
        return _NOTHING

    def _hear(self, session: _Session) -> None:
        """What is missing may be the context's own."""
        for from_client, missing in self._missing.items():
            new = missing - session.heard[from_client]
            if new:
                session.heard[from_client] = missing
                session.early[from_client] += new
                if from_client in session.found.lanes:
                    session.found.lanes[from_client].miss(new)

    def _cut(self, from_client: bool, framed: AnyPdu, parsed: Pdu | None, contexts: AuthContexts) -> Pdu | None:
        """Without its trailer, a PDU's context is certain only where there is no other."""
        plain = parsed
        if isinstance(parsed, Request | Response) and isinstance(framed, BrokenPdu) and len(contexts.contexts) == 1:
            (context,) = contexts.contexts.values()
            lane = self._session(context).found.lanes.get(from_client)
            certain = lane is not None and lane.in_step and context.auth_level == _PRIVACY
            begun = lane.peek(parsed.stub) if lane is not None and certain else None
            if begun is not None:
                security = SecurityTrailer(
                    context.auth_type, context.auth_level, 0, 0, context.auth_context_id, b"", opened=True
                )
                plain = parsed._replace(stub=begun, security=security)
        self._missing[from_client] += framed.header.frag_length
        return plain

    def _open(
        self, lane: Lane, session: _Session, from_client: bool, framed: AnyPdu, parsed: Pdu, security: SecurityTrailer
    ) -> Opened:
        end = len(framed.data) - framed.header.auth_length - TRAILER_BYTES
        was_in_step = lane.in_step
        starts = tuple(start for start in _bodies(framed) if start <= end)
        pdu = SealedPdu(framed.data, starts, end, security.token, security.seals)
        plain = lane.open(pdu)
        if plain is not None:
            again = parse_pdu(plain, framed.header) if security.seals else parsed
            return Opened(_marked(again, replace(security, opened=security.seals, verified=True)))
        where = f"security context {security.auth_context_id}"
        if was_in_step:
            marked = _marked(parsed, replace(security, verified=False))
            return Opened(marked, (TroubleCode.SIGNATURE_BAD, f"{where}: the signature does not fit the PDU"))
        if from_client in session.told:
            return Opened(parsed)
        session.told.add(from_client)
        side = "client" if from_client else "server"
        detail = f"{where}, sent by the {side}: {lane.lost_because}; it stays sealed or unchecked, as others may"
        return Opened(parsed, (TroubleCode.UNSEALING_LOST, detail))


def _bodies(framed: AnyPdu) -> tuple[int, ...]:
    """Where the body may begin."""
    header = framed.header
    if header.packet_type is PacketType.FAULT:
        return _FAULT_BODIES
    start = FIXED_BYTES[header.packet_type]
    return (start + 16 if header.packet_type is PacketType.REQUEST and header.flags & _OBJECT_UUID else start,)


def _marked(parsed: Pdu, security: SecurityTrailer) -> Pdu:
    if isinstance(parsed, Request | Response):
        return parsed._replace(security=security)
    return replace(parsed, security=security)
