"""One direction of a Kerberos session. Each PDU stands for itself: what is missing in between takes nothing along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.security.gss_aes import AesTokens
from decoders.security.gss_rc4 import Rc4Tokens
from decoders.security.kerberos_names import RC4_HMAC

if TYPE_CHECKING:
    from collections.abc import Iterable

    from decoders.security.kerberos_crypto import Key
    from decoders.security.sealed_pdu import SealedPdu


class KerberosLane:
    lost_because: Final = "its key may have been agreed on in bytes that are missing"

    def __init__(self, keys: Iterable[Key], *, from_client: bool, all_known: bool) -> None:
        """`all_known`: no other key was agreed on, as far as was captured. The likely keys first."""
        self._tokens = [
            (Rc4Tokens if key.etype == RC4_HMAC else AesTokens)(key, from_client=from_client) for key in keys
        ]
        self._all_known = all_known
        self._missed = False

    @property
    def in_step(self) -> bool:
        """Behind missing bytes another handshake may have changed the keys."""
        return self._all_known and not self._missed

    def miss(self, size: int) -> None:
        self._missed = self._missed or size > 0

    def open(self, pdu: SealedPdu) -> bytes | None:
        for tokens in self._tokens:
            for start in pdu.starts:
                body = tokens.opened(pdu, start)
                if body is not None:
                    self._missed = False
                    self._tokens.sort(key=lambda one: one is not tokens)
                    return pdu.head(start) + body + pdu.data[pdu.end :]
        self._missed = True
        return None

    def peek(self, body: bytes) -> bytes | None:  # noqa: ARG002
        """The confounder, or the number that the cipher's key is made of, is in the token at the end."""
        return None
