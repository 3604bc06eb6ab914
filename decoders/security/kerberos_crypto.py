"""Encryption types of Kerberos: RFC 3961 5.3 with RFC 3962, RFC 8009 and RFC 4757. impacket has the ciphers.

impacket opens a message as a whole. The tokens of GSS-API sign more than they seal, so the steps are apart here.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from impacket.krb5 import crypto

from decoders.security.kerberos_names import AES_SHA1, AES_SHA2, RC4_HMAC

if TYPE_CHECKING:
    from collections.abc import Callable

TICKET, AP_REQ_AUTHENTICATOR, AP_REP_PART = 2, 11, 12
"""Key usages, RFC 4120 7.5.1."""
BLOCK: Final = 16
_RC4_CHECKSUM, _RC4_CONFOUNDER = 16, 8
_KEY_BYTES: Final = {17: 16, 18: 32, 19: 16, 20: 32, RC4_HMAC: 16}
_HASHES: Final = {17: ("sha1", 12), 18: ("sha1", 12), 19: ("sha256", 16), 20: ("sha384", 24)}
"""With the bytes that are left of each."""
_KC, _KE, _KI = b"\x99", b"\xaa", b"\x55"
_impacket: Any = crypto


@dataclass(frozen=True, slots=True)
class Key:
    etype: int
    contents: bytes = field(repr=False)

    @property
    def usable(self) -> bool:
        return _KEY_BYTES.get(self.etype) == len(self.contents)


@dataclass(frozen=True, slots=True)
class AesUsage:
    """What follows from a key of AES for one usage."""

    etype: int
    encryption: bytes = field(repr=False)
    integrity: bytes = field(repr=False)
    checksum_key: bytes = field(repr=False)

    @property
    def mac_bytes(self) -> int:
        return _HASHES[self.etype][1]

    @property
    def of_cipher(self) -> bool:
        """RFC 8009 5: what is signed is the cipher text behind an IV of zeros, not the plain text."""
        return self.etype in AES_SHA2

    def mac(self, text: bytes) -> bytes:
        return self._digest(self.integrity, bytes(BLOCK) + text if self.of_cipher else text)

    def checksum(self, text: bytes) -> bytes:
        return self._digest(self.checksum_key, text)

    def _digest(self, key: bytes, text: bytes) -> bytes:
        name, size = _HASHES[self.etype]
        return hmac.digest(key, text, name)[:size]

    def plain(self, cipher: bytes) -> bytes:
        """CBC with the last two blocks exchanged and cut, RFC 3962 5. At least a block."""
        last = len(cipher) % BLOCK or BLOCK
        if len(cipher) > BLOCK:
            full, rest = cipher[-last - BLOCK : -last], cipher[-last:]
            stolen = _aes(self.encryption)(full)[last:]
            cipher = cipher[: -last - BLOCK] + rest + stolen + full
        return _aes(self.encryption)(cipher)[: len(cipher) - BLOCK + last]


@lru_cache(maxsize=4_096)
def aes_usage(key: Key, usage: int) -> AesUsage:
    number = usage.to_bytes(4, "big")
    name, mac = _HASHES[key.etype]
    if key.etype in AES_SHA1:
        profile, whole = _impacket._get_enctype_profile(key.etype), _impacket.Key(key.etype, key.contents)
        ke, ki, kc = (bytes(profile.derive(whole, number + which).contents) for which in (_KE, _KI, _KC))
    else:
        sizes = ((_KE, len(key.contents)), (_KI, mac), (_KC, mac))
        ke, ki, kc = (_kdf(key.contents, number + which, size, name) for which, size in sizes)
    return AesUsage(key.etype, ke, ki, kc)


def _kdf(key: bytes, label: bytes, size: int, name: str) -> bytes:
    """RFC 8009 3."""
    return hmac.digest(key, b"\0\0\0\1" + label + b"\0" + (8 * size).to_bytes(4, "big"), name)[:size]


def _aes(key: bytes) -> Callable[[bytes], bytes]:
    found: Callable[[bytes], bytes] = _impacket.AES.new(key, _impacket.AES.MODE_CBC, bytes(BLOCK)).decrypt
    return found


def rc4(key: bytes, *texts: bytes) -> list[bytes]:
    """One after the other in the same stream."""
    cipher = _impacket.ARC4.new(key)
    return [bytes(cipher.encrypt(text)) for text in texts]


def decrypted(key: Key, usage: int, data: bytes) -> bytes | None:
    """What EncryptedData holds. None: the key is another one, or the bytes are."""
    if not key.usable:
        return None
    if key.etype == RC4_HMAC:
        return _of_rc4(key.contents, usage, data)
    aes = aes_usage(key, usage)
    cipher, mac = data[: -aes.mac_bytes], data[-aes.mac_bytes :]
    if len(cipher) < BLOCK:
        return None
    if aes.of_cipher and not hmac.compare_digest(aes.mac(cipher), mac):
        return None
    plain = aes.plain(cipher)
    if not aes.of_cipher and not hmac.compare_digest(aes.mac(plain), mac):
        return None
    return plain[BLOCK:]


def _of_rc4(key: bytes, usage: int, data: bytes) -> bytes | None:
    """RFC 4757 3, 4: the usages that are asked for here stand for themselves."""
    if len(data) < _RC4_CHECKSUM + _RC4_CONFOUNDER:
        return None
    checksum, sealed = data[:_RC4_CHECKSUM], data[_RC4_CHECKSUM:]
    of_usage = hmac.digest(key, usage.to_bytes(4, "little"), "md5")
    (plain,) = rc4(hmac.digest(of_usage, checksum, "md5"), sealed)
    if not hmac.compare_digest(hmac.digest(of_usage, plain, "md5"), checksum):
        return None
    return plain[_RC4_CONFOUNDER:]
