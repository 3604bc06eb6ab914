"""Tokens that protect messages with RC4: RFC 4757 7 with its errata, and DCE's style, which does not pad."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from decoders.security.kerberos_crypto import rc4

if TYPE_CHECKING:
    from decoders.security.kerberos_crypto import Key
    from decoders.security.sealed_pdu import SealedPdu

_TAG: Final = b"\x60"
_OF_KERBEROS: Final = bytes.fromhex("06092a864886f712010202")
_WITHIN: Final = 6 + len(_OF_KERBEROS)
"""A tag and a length are in front of it."""
_WRAP, _MIC = bytes.fromhex("020111001000ffff"), bytes.fromhex("01011100ffffffff")
"""HMAC, RC4 and filler: the first eight bytes."""
_NUMBER, _CHECKSUM, _CONFOUNDER = slice(8, 16), slice(16, 24), slice(24, 32)
_USAGES: Final = {_WRAP: 13, _MIC: 15}
_SENDERS: Final = {True: bytes(4), False: b"\xff" * 4}
_PADDED_TO: Final = 8


class Rc4Tokens:
    def __init__(self, key: Key, *, from_client: bool) -> None:
        self._sender = _SENDERS[from_client]
        self._signing = hmac.digest(key.contents, b"signaturekey\0", "md5")
        self._numbering = hmac.digest(key.contents, bytes(4), "md5")
        self._sealing = hmac.digest(bytes(byte ^ 0xF0 for byte in key.contents), bytes(4), "md5")

    def opened(self, pdu: SealedPdu, start: int) -> bytes | None:
        """The plain body, if the token fits it."""
        at = pdu.token.find(_OF_KERBEROS, 0, _WITHIN)
        token = pdu.token[at + len(_OF_KERBEROS) :]
        kind = _WRAP if pdu.sealed else _MIC
        if at < 0 or not pdu.token.startswith(_TAG) or not token.startswith(kind):
            return None
        if len(token) < (_CONFOUNDER if pdu.sealed else _CHECKSUM).stop:
            return None
        given = token[_CHECKSUM]
        (number,) = rc4(hmac.digest(self._numbering, given, "md5"), token[_NUMBER])
        if number[4:] != self._sender:
            return None
        confounder, body = b"", pdu.body(start)
        if pdu.sealed:
            confounder, body = rc4(hmac.digest(self._sealing, number[:4], "md5"), token[_CONFOUNDER], body)
        for text in (pdu.whole(start, body), body):
            for padding in (b"", _padding(text)):
                if hmac.compare_digest(self._checksum(kind, confounder + text + padding), given):
                    return body
        return None

    def _checksum(self, kind: bytes, text: bytes) -> bytes:
        inner = hashlib.md5(_USAGES[kind].to_bytes(4, "little") + kind + text, usedforsecurity=False).digest()
        return hmac.digest(self._signing, inner, "md5")[:8]


def _padding(text: bytes) -> bytes:
    """RFC 1964 1.2.2.3: some sign it although they do not send it."""
    count = -len(text) % _PADDED_TO
    return bytes([count]) * count
