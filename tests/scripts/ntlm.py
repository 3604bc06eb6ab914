"""NTLM as it is sent raw over RPC, with real keys: [MS-NLMP] 2.2.1, 2.2.2.9, 3.3, 3.4; not by the product's code."""

from __future__ import annotations

import hashlib
import hmac
import random
import struct
import zlib
from dataclasses import dataclass
from typing import Any, Final

from Cryptodome.Cipher import ARC4, DES
from Cryptodome.Hash import MD4

PASSWORD: Final = "correct horse 4711"
VERSIONS: Final = frozenset(("v2", "v1_ess", "v1"))
_SIGNATURE: Final = b"NTLMSSP\0"
_FLAGS: Final = 0xE288_8235
"""What Windows 7 agrees on; names in Unicode."""
_EXTENDED: Final = 0x0008_0000
_VERSION: Final = bytes.fromhex("0601b11d0000000f")
_MAGIC: Final = "session key to {} {} key magic constant\0"
_WAYS: Final = {True: "client-to-server", False: "server-to-client"}


@dataclass(frozen=True)
class Login:
    user: str = "alice"
    domain: str = "CORP"
    workstation: str = "BRANCH7"
    password: str = PASSWORD
    version: str = "v2"

    @property
    def flags(self) -> int:
        return _FLAGS & ~_EXTENDED if self.version == "v1" else _FLAGS

    @property
    def nt_hash(self) -> bytes:
        return _md4(self.password.encode("utf-16-le"))


class Session:
    """Both sides of one; `seed` makes what is random."""

    def __init__(self, login: Login, seed: str) -> None:
        self._login, self._seed = login, seed
        self._challenge = _random(f"challenge {seed}", 8)
        self.use(_random(f"key {seed}", 16))

    def use(self, key: bytes) -> None:
        """The key that both sides have: made up here, or chosen by a client of others."""
        self._key = key
        extended = self._login.flags & _EXTENDED
        shared = ARC4.new(self._key)
        self._ciphers: dict[bool, Any] = {
            way: ARC4.new(_md5(self._key + _MAGIC.format(name, "sealing").encode())) if extended else shared
            for way, name in _WAYS.items()
        }
        self._numbers = {True: 0, False: 0}

    @property
    def server_challenge(self) -> bytes:
        return self._challenge

    def cipher(self, *, from_client: bool) -> Any:  # noqa: ANN401 - of a library without types
        return self._ciphers[from_client]

    def negotiate(self) -> bytes:
        return _SIGNATURE + struct.pack("<II", 1, self._login.flags) + bytes(16) + _VERSION

    def challenge(self) -> bytes:
        name, information = self._login.domain.encode("utf-16-le"), self._information()
        at = 56
        fields = struct.pack("<HHI", len(name), len(name), at), struct.pack("<I", self._login.flags), self._challenge
        target = struct.pack("<HHI", len(information), len(information), at + len(name))
        return (
            _SIGNATURE + struct.pack("<I", 2) + b"".join((*fields, bytes(8))) + target + _VERSION + name + information
        )

    def authenticate(self) -> bytes:
        """Without a user nobody in particular: no NtChallengeResponse, and a key of zeros."""
        login = self._login
        texts = (text.encode("utf-16-le") for text in (login.domain, login.user, login.workstation))
        lm, nt, exchange = self._responses() if login.user else (b"\0", b"", bytes(16))
        fields, payload = b"", b""
        for value in (lm, nt, *texts, ARC4.new(exchange).encrypt(self._key)):
            fields += struct.pack("<HHI", len(value), len(value), 88 + len(payload))
            payload += value
        mic = bytes(16)
        return _SIGNATURE + struct.pack("<I", 3) + fields + struct.pack("<I", login.flags) + _VERSION + mic + payload

    def protect(
        self, head: bytes, body: bytes, trailer: bytes, *, from_client: bool, seal: bool
    ) -> tuple[bytes, bytes]:
        """The body as it is sent, and the signature: [MS-RPCE] 3.3.1.5.2.2 with header signing."""
        cipher = self._ciphers[from_client]
        sent = cipher.encrypt(body) if seal else body
        if not self._login.flags & _EXTENDED:
            number = self._numbers[True]
            self._numbers[True] += 1
            checksum = struct.pack("<III", 0, zlib.crc32(body), number)
            return sent, struct.pack("<I", 1) + cipher.encrypt(checksum)
        number = self._numbers[from_client]
        self._numbers[from_client] += 1
        signing = _md5(self._key + _MAGIC.format(_WAYS[from_client], "signing").encode())
        checksum = hmac.digest(signing, struct.pack("<I", number) + head + body + trailer, "md5")[:8]
        return sent, struct.pack("<I", 1) + cipher.encrypt(checksum) + struct.pack("<I", number)

    def _information(self) -> bytes:
        name = self._login.domain.encode("utf-16-le")
        return struct.pack("<HH", 2, len(name)) + name + bytes(4)

    def _responses(self) -> tuple[bytes, bytes, bytes]:
        """LM, NT, and the key exchange key."""
        login, mine = self._login, _random(f"client {self._seed}", 8)
        if login.version == "v2":
            upper = (login.user.upper() + login.domain).encode("utf-16-le")
            key = hmac.digest(login.nt_hash, upper, "md5")
            temp = b"\1\1" + bytes(14) + mine + bytes(4) + self._information() + bytes(4)
            proof = hmac.digest(key, self._challenge + temp, "md5")
            return hmac.digest(key, self._challenge + mine, "md5") + mine, proof + temp, hmac.digest(key, proof, "md5")
        base = _md4(login.nt_hash)
        if login.version == "v1":
            return bytes(24), _desl(login.nt_hash, self._challenge), base
        both = self._challenge + mine
        return mine + bytes(16), _desl(login.nt_hash, _md5(both)[:8]), hmac.digest(base, both, "md5")


def negotiate() -> bytes:
    return Session(Login(), "").negotiate()


def challenge(domain: str, seed: str) -> bytes:
    return Session(Login(domain=domain), seed).challenge()


def authenticate(user: str, domain: str, workstation: str, seed: str) -> bytes:
    return Session(Login(user, domain, workstation), seed).authenticate()


def _desl(key: bytes, data: bytes) -> bytes:
    """Section 6: three blocks, with 7 bytes of the key each."""
    padded = key + bytes(5)
    return b"".join(DES.new(_with_parity(padded[at : at + 7]), DES.MODE_ECB).encrypt(data) for at in (0, 7, 14))


def _with_parity(key: bytes) -> bytes:
    bits = int.from_bytes(key, "big")
    return bytes((bits >> 49 - 7 * n & 0x7F) << 1 for n in range(8))


def _md4(data: bytes) -> bytes:
    return MD4.new(data).digest()


def _md5(data: bytes) -> bytes:
    return hashlib.md5(data).digest()


def _random(seed: str, size: int) -> bytes:
    return random.Random(seed).randbytes(size)
