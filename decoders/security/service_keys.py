"""Keys of services, and the sessions whose tickets they open: RFC 4120 3.2, RFC 4121 2."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain, islice
from typing import TYPE_CHECKING

from decoders.errors import DecodeError
from decoders.limits import MAX_TICKET_KEYS
from decoders.security.accounts import SecretFit
from decoders.security.handshake_result import Client, HandshakeResult
from decoders.security.kerberos_crypto import AP_REP_PART, AP_REQ_AUTHENTICATOR, TICKET, Key, decrypted
from decoders.security.kerberos_lane import KerberosLane
from decoders.security.kerberos_names import ETYPES
from decoders.security.kerberos_sealed import parse_ap_rep, parse_authenticator, parse_ticket

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoders.security.accounts import ServiceKey
    from decoders.security.kerberos import ApRep, ApReq, EncryptedData
    from decoders.security.kerberos_sealed import Assertion, TicketPart


class ServiceKeys:
    """Asked once for each handshake."""

    def __init__(self, keys: Iterable[ServiceKey]) -> None:
        self._by_etype: defaultdict[int, list[ServiceKey]] = defaultdict(list)
        self._by_service: defaultdict[str, list[ServiceKey]] = defaultdict(list)
        for key in keys:
            self._by_etype[key.etype].append(key)
            self._by_service[_whose(key.principal, key.realm).casefold()].append(key)

    def find(self, asked: ApReq, answered: ApRep | None) -> HandshakeResult:
        """A key is tried on every ticket of its type: an account has many names, and the checksum decides."""
        whose, etype = _whose(asked.sname, asked.realm), asked.ticket.etype
        meant = [key for key in self._by_service.get(whose.casefold(), ()) if _is_for(key, asked.ticket)]
        if "use-session-key" in asked.ap_options:
            why = "the ticket is sealed with the session key of another one"
            return HandshakeResult(SecretFit.UNUSABLE, whose=whose, why=why) if meant else HandshakeResult(None)
        try:
            ticket = _opened(asked.ticket, chain(meant, self._by_etype.get(etype, ())))
        except DecodeError as error:
            return HandshakeResult(SecretFit.UNUSABLE, whose=whose, why=f"what is in the ticket: {error.detail}")
        if ticket is not None:
            return _session(ticket, asked, answered)._replace(whose=whose)
        if not meant:
            return HandshakeResult(None)
        if not any(Key(etype, key.key).usable for key in meant):
            why = f"keys of encryption type {etype} ({ETYPES.get(etype)}) are not read, or have another length"
            return HandshakeResult(SecretFit.UNUSABLE, whose=whose, why=why)
        return HandshakeResult(SecretFit.WRONG, whose=whose, why="the ticket is sealed with another key")


def _whose(service: str, realm: str) -> str:
    return f"{service}@{realm}"


def _is_for(key: ServiceKey, ticket: EncryptedData) -> bool:
    """Old keytabs have only 8 bits of a version."""
    kvno = ticket.kvno
    return key.etype == ticket.etype and (kvno is None or key.kvno in (kvno, kvno & 0xFF))


def _opened(ticket: EncryptedData, keys: Iterable[ServiceKey]) -> TicketPart | None:
    for key in islice(keys, MAX_TICKET_KEYS):
        plain = decrypted(Key(key.etype, key.key), TICKET, ticket.cipher)
        if plain is not None:
            return parse_ticket(plain)
    return None


def _session(ticket: TicketPart, asked: ApReq, answered: ApRep | None) -> HandshakeResult:
    if not ticket.key.usable:
        return _unread(ticket.key)
    initiator = _asserted(ticket.key, AP_REQ_AUTHENTICATOR, asked.authenticator)
    if initiator is None:
        # Whoever sent it did not show that the ticket is his.
        return HandshakeResult(SecretFit.UNUSABLE, why="the ticket opens, but the authenticator does not")
    acceptor = None if answered is None else _asserted(ticket.key, AP_REP_PART, answered.enc_part)
    if acceptor is not None and acceptor.moment != initiator.moment:
        acceptor = None
    subkeys = (one.subkey for one in (acceptor, initiator) if one is not None)
    keys = [key for key in (*subkeys, ticket.key) if key is not None]
    client = Client(ticket.cname, ticket.crealm, logged_on=ticket.authtime, until=ticket.endtime)
    if not keys[0].usable:
        return _unread(keys[0])._replace(client=client)
    usable = [key for key in keys if key.usable]
    ways = {way: KerberosLane(usable, from_client=way, all_known=acceptor is not None) for way in (True, False)}
    return HandshakeResult(SecretFit.RIGHT, ways, client=client)


def _unread(key: Key) -> HandshakeResult:
    why = f"the session's key is of encryption type {key.etype} ({ETYPES.get(key.etype)}), which is not read"
    return HandshakeResult(SecretFit.UNUSABLE, why=why)


def _asserted(key: Key, usage: int, sealed: EncryptedData) -> Assertion | None:
    plain = decrypted(key, usage, sealed.cipher)
    if plain is None:
        return None
    try:
        return parse_ap_rep(plain) if usage == AP_REP_PART else parse_authenticator(plain)
    except DecodeError:
        return None
