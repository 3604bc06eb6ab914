"""The server's side of NTLM for a live client: it knows the password, and reads and protects what it is sent."""

from __future__ import annotations

import hmac
import struct
from typing import Final

from Cryptodome.Cipher import ARC4
from impacket.ntlm import NTLMAuthChallengeResponse

from tests.scripts.ntlm import Login, Session

PRIVACY: Final = 6
_PROOF, _CHECKSUM, _TRAILER, _SIGNATURE = 16, 8, 8, 16


class _Accepting(Session):
    def _information(self) -> bytes:
        """Impacket's client asks for the host's name, MsvAvDnsComputerName."""
        name = "server".encode("utf-16-le")
        return struct.pack("<HH", 3, len(name)) + name + super()._information()


class Guard:
    """One security context."""

    def __init__(self, login: Login, seed: str, level: int) -> None:
        self._login, self._level = login, level
        self._session = _Accepting(login, seed)

    def challenge(self) -> bytes:
        return self._session.challenge()

    def accept(self, token: bytes) -> None:
        """[MS-NLMP] 3.3.2, 3.4.5.1: the key that the client chose. ValueError: it does not know the password."""
        told = NTLMAuthChallengeResponse()
        told.fromString(token)
        upper = (self._login.user.upper() + self._login.domain).encode("utf-16-le")
        key = hmac.digest(self._login.nt_hash, upper, "md5")
        proof, rest = told["ntlm"][:_PROOF], told["ntlm"][_PROOF:]
        if not hmac.compare_digest(proof, hmac.digest(key, self._session.server_challenge + rest, "md5")):
            raise ValueError("the client does not know the password")
        exchange = hmac.digest(key, proof, "md5")
        self._session.use(ARC4.new(exchange).decrypt(told["session_key"]))

    def read(self, pdu: bytes, start: int) -> bytes:
        """The stub of a request, with its padding taken off."""
        end = len(pdu) - _SIGNATURE - _TRAILER
        body = pdu[start:end]
        if self._level == PRIVACY:
            body = self._session.cipher(from_client=True).decrypt(body)
        self._session.cipher(from_client=True).encrypt(bytes(_CHECKSUM))
        return body[: len(body) - pdu[end + 2]]

    def protected(self, pdu: bytes, start: int) -> bytes:
        """A response with room for its signature."""
        end = len(pdu) - _SIGNATURE - _TRAILER
        head, body, trailer = pdu[:start], pdu[start:end], pdu[end:-_SIGNATURE]
        seal = self._level == PRIVACY
        sent, signature = self._session.protect(head, body, trailer, from_client=False, seal=seal)
        return head + sent + trailer + signature
