"""PDUs of a connection that NTLM protects, with real keys."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from decoders.dcerpc.calls import CallTracker
from decoders.dcerpc.unsealing import Unsealer
from decoders.security.accounts import Account
from decoders.security.keyring import Keyring
from tests.decoders.dcerpc import pdus as d
from tests.decoders.dcerpc.feeding import Talk
from tests.scripts.ntlm import PASSWORD, Login, Session

ALICE = Account("alice", "CORP", PASSWORD)
INTEGRITY, PRIVACY = 5, 6
_SIGNATURE, _TRAILER = 16, 8


class Sealing:
    """Both sides of one security context."""

    def __init__(self, login: Login | None = None, level: int = PRIVACY, context_id: int = 0) -> None:
        self.session = Session(login or Login(), f"context {context_id}")
        self.auth = d.Auth(bytes(_SIGNATURE), level=level, context_id=context_id)

    @property
    def bind(self) -> bytes:
        return d.bind((d.QM2QM, (d.NDR,)), auth=self._token(self.session.negotiate()))

    @property
    def ack(self) -> bytes:
        return d.ack((0, 0, d.NDR), auth=self._token(self.session.challenge()))

    @property
    def auth3(self) -> bytes:
        return d.pdu(d.AUTH3, bytes(4), auth=self._token(self.session.authenticate()))

    def request(self, stub: bytes = b"asked...", **more: Any) -> bytes:  # noqa: ANN401
        start = 40 if "object_uuid" in more else 24
        return self.protected(d.request(stub, auth=self._padded(stub), **more), start, from_client=True)

    def response(self, stub: bytes = b"answered", **more: Any) -> bytes:  # noqa: ANN401
        return self.protected(d.response(stub, auth=self._padded(stub), **more), 24, from_client=False)

    def fault(self, status: int, start: int, **more: Any) -> bytes:  # noqa: ANN401
        return self.protected(d.fault(status, auth=self.auth, **more), start, from_client=False)

    def cancel(self) -> bytes:
        return self.protected(d.pdu(d.CO_CANCEL, auth=self.auth), 16, from_client=True)

    def protected(self, pdu: bytes, start: int, *, from_client: bool) -> bytes:
        end = len(pdu) - _SIGNATURE - _TRAILER
        head, body, trailer = pdu[:start], pdu[start:end], pdu[end:-_SIGNATURE]
        seal = self.auth.level == PRIVACY
        sent, signature = self.session.protect(head, body, trailer, from_client=from_client, seal=seal)
        return head + sent + trailer + signature

    def _token(self, token: bytes) -> d.Auth:
        return replace(self.auth, token=token)

    def _padded(self, stub: bytes) -> d.Auth:
        return replace(self.auth, pad=-len(stub) % 4)


def listening(*accounts: Account) -> Talk:
    return Talk(tracker=CallTracker(Unsealer(Keyring(accounts or (ALICE,)))))


def opened(sealing: Sealing, *accounts: Account) -> Talk:
    return listening(*accounts).client(sealing.bind).server(sealing.ack).client(sealing.auth3)
