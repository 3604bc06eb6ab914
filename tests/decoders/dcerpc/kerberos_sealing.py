"""PDUs of a connection that Kerberos protects, with real keys."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from decoders.dcerpc.calls import CallTracker
from decoders.dcerpc.unsealing import Unsealer
from decoders.security.keyring import Keyring
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk
from tests.decoders.security import asn1
from tests.scripts.kerberos import Ticket, Tokens, ap_rep, ap_req

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.security.accounts import Secret

INTEGRITY, PRIVACY = 5, 6
SPNEGO, RAW = 9, 16
_TRAILER = 8


class Protecting(Protocol):
    """Per-message tokens of both sides."""

    def size(self, body: int, *, seal: bool) -> int: ...

    def protect(
        self, head: bytes, body: bytes, trailer: bytes, *, from_client: bool, seal: bool
    ) -> tuple[bytes, bytes]: ...


class KerberosSealing:
    """Both sides of one security context."""

    def __init__(
        self,
        ticket: Ticket | None = None,
        level: int = PRIVACY,
        auth_type: int = RAW,
        context_id: int = 0,
        tokens: Protecting | None = None,
        legs: Sequence[bytes] = (),
    ) -> None:
        """`legs`: three tokens by others."""
        self.ticket = ticket or Ticket()
        self.auth = d.Auth(b"", type=auth_type, level=level, context_id=context_id)
        self.tokens = tokens or Tokens(self.ticket.key)
        self._legs = legs or self._made()

    def _made(self) -> Sequence[bytes]:
        legs = ap_req(self.ticket), ap_rep(self.ticket), ap_rep(self.ticket, from_client=True)
        if self.auth.type == RAW:
            return legs
        first = asn1.gss(asn1.KERBEROS, b"\1\0", legs[0])
        return (
            asn1.neg_token_init(first, asn1.KERBEROS_MS, asn1.NTLM),
            asn1.neg_token_resp(1, legs[1], asn1.KERBEROS_MS),
            asn1.neg_token_resp(None, legs[2]),
        )

    @property
    def bind(self) -> bytes:
        return d.bind((d.QM2QM, (d.NDR,)), auth=self._leg(0))

    @property
    def ack(self) -> bytes:
        return d.ack((0, 0, d.NDR), auth=self._leg(1))

    @property
    def third(self) -> bytes:
        if self.auth.type == SPNEGO:
            return d.bind((d.QM2QM, (d.NDR,)), kind=d.ALTER, auth=self._leg(2))
        return d.pdu(d.AUTH3, bytes(4), auth=self._leg(2))

    def _leg(self, number: int) -> d.Auth:
        return replace(self.auth, token=self._legs[number])

    def request(self, stub: bytes = b"asked...", **more: Any) -> bytes:  # noqa: ANN401
        start = 40 if "object_uuid" in more else 24
        return self.protected(d.request(stub, auth=self._room(stub), **more), start, from_client=True)

    def response(self, stub: bytes = b"answered", **more: Any) -> bytes:  # noqa: ANN401
        return self.protected(d.response(stub, auth=self._room(stub), **more), 24, from_client=False)

    def fault(self, status: int, start: int, **more: Any) -> bytes:  # noqa: ANN401
        auth = replace(self.auth, token=bytes(self._size(32 - start)))
        return self.protected(d.fault(status, auth=auth, **more), start, from_client=False)

    def protected(self, pdu: bytes, start: int, *, from_client: bool) -> bytes:
        size = int.from_bytes(pdu[10:12], "little")
        end = len(pdu) - size - _TRAILER
        head, body, trailer = pdu[:start], pdu[start:end], pdu[end : end + _TRAILER]
        seal = self.auth.level == PRIVACY
        sent, token = self.tokens.protect(head, body, trailer, from_client=from_client, seal=seal)
        assert len(token) == size
        return head + sent + trailer + token

    def _size(self, body: int) -> int:
        return self.tokens.size(body, seal=self.auth.level == PRIVACY)

    def _room(self, stub: bytes) -> d.Auth:
        pad = -len(stub) % 4
        return replace(self.auth, pad=pad, token=bytes(self._size(len(stub) + pad)))


def listening(*secrets: Secret) -> Talk:
    return Talk(tracker=CallTracker(Unsealer(Keyring(secrets))))


def opened(sealing: KerberosSealing, *secrets: Secret) -> Talk:
    talk = listening(*(secrets or (sealing.ticket.keytab,)))
    return talk.client(sealing.bind).server(sealing.ack).client(sealing.third)
