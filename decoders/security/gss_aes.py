"""Tokens that protect messages with AES: RFC 4121 4.2, with DCE's style ([MS-KILE] 3.4.5.4.1).

A sealed message is {header, sealed(confounder, body, filler, header), mac}. All behind the first header is rotated to
the right, so that the body keeps its place in the PDU and the rest is the token.
"""

from __future__ import annotations

import hmac
import struct
from typing import TYPE_CHECKING, Final

from decoders.security.kerberos_crypto import BLOCK, aes_usage

if TYPE_CHECKING:
    from decoders.security.kerberos_crypto import Key
    from decoders.security.sealed_pdu import SealedPdu

_HEADER: Final = 16
_WRAP, _MIC = b"\x05\x04", b"\x04\x04"
_SEALED: Final = 0x02
_COUNTS: Final = struct.Struct(">HH")
"""EC and RRC, at byte 4."""
_USAGES: Final = {True: (24, 25), False: (22, 23)}
"""To seal and to sign by who sends, the client or the server: RFC 4121 2."""


class AesTokens:
    def __init__(self, key: Key, *, from_client: bool) -> None:
        seal, sign = _USAGES[from_client]
        self._seal, self._sign = aes_usage(key, seal), aes_usage(key, sign)

    def opened(self, pdu: SealedPdu, start: int) -> bytes | None:
        """The plain body, if the token fits it."""
        return self._unsealed(pdu, start) if pdu.sealed else self._signed(pdu, start)

    def _signed(self, pdu: SealedPdu, start: int) -> bytes | None:
        header, given = pdu.token[:_HEADER], pdu.token[_HEADER:]
        if not header.startswith(_MIC):
            return None
        body = pdu.body(start)
        for text in (pdu.whole(start, body), body):
            if hmac.compare_digest(self._sign.checksum(text + header), given):
                return body
        return None

    def _unsealed(self, pdu: SealedPdu, start: int) -> bytes | None:
        header, rotated = pdu.token[:_HEADER], pdu.token[_HEADER:] + pdu.body(start)
        if len(header) < _HEADER or not header.startswith(_WRAP) or not header[2] & _SEALED:
            return None
        extra, rotation = _COUNTS.unpack_from(header, 4)
        size = pdu.end - start
        if len(rotated) != BLOCK + size + extra + _HEADER + self._seal.mac_bytes:
            return None
        # Windows rotates by both, and whoever talks to it in DCE's style does.
        for count in {(rotation + extra) % len(rotated): None, rotation % len(rotated): None}:
            body = self._proven(pdu, start, header, rotated[count:] + rotated[:count])
            if body is not None:
                return body
        return None

    def _proven(self, pdu: SealedPdu, start: int, header: bytes, message: bytes) -> bytes | None:
        keys, at = self._seal, BLOCK + pdu.end - start
        cipher, given = message[: -keys.mac_bytes], message[-keys.mac_bytes :]
        plain = keys.plain(cipher)
        # 4.2.4: the header is sealed as it was before it was rotated.
        if plain[-_HEADER:] != header[:6] + bytes(2) + header[8:]:
            return None
        text = cipher if keys.of_cipher else plain
        before, body, after = text[:BLOCK], text[BLOCK:at], text[at:]
        for signed in (pdu.whole(start, body), body):
            if hmac.compare_digest(keys.mac(before + signed + after), given):
                return plain[BLOCK:at]
        return None
