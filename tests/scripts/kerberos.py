"""Kerberos as it is sent over RPC, with real keys: RFC 4120, 4121, 4757, 8009. AES is scapy's, not the product's."""

from __future__ import annotations

import hashlib
import hmac
import random
import struct
from dataclasses import dataclass
from typing import Any, Final

from Cryptodome.Cipher import ARC4
from scapy.libs.rfc3961 import EncryptionType
from scapy.libs.rfc3961 import Key as ScapyKey

from decoders.security.accounts import ServiceKey
from tests.decoders.security import asn1

KEY_BYTES: Final = {17: 16, 18: 32, 19: 16, 20: 32, 23: 16}
ETYPES: Final = tuple(KEY_BYTES)
REALM, SERVICE = "CORP.EXAMPLE", ("HOST", "hq.corp.example")
_USAGES: Final = {True: (24, 25), False: (22, 23)}
_MOMENT: Final = b"20260105080000Z"


def random_key(etype: int, seed: str) -> bytes:
    return random.Random(f"{etype} {seed}").randbytes(KEY_BYTES.get(etype, 8))


def encrypt(etype: int, key: bytes, usage: int, plain: bytes, signed: bytes | None = None) -> bytes:
    """`signed`: instead of the plain text, behind the confounder. Other types than ETYPES are rubbish."""
    if etype not in KEY_BYTES:
        return bytes(len(plain) + 24)
    if etype == 23:
        of_usage = hmac.digest(key, struct.pack("<I", usage), "md5")
        checksum = hmac.digest(of_usage, bytes(8) + plain, "md5")
        return checksum + ARC4.new(hmac.digest(of_usage, checksum, "md5")).encrypt(bytes(8) + plain)
    confounder = random.Random(plain).randbytes(16)
    more = {} if signed is None else {"signtext": confounder + signed}
    made: bytes = ScapyKey(EncryptionType(etype), key=key).encrypt(usage, plain, confounder, **more)
    return made


@dataclass(frozen=True)
class Ticket:
    """How client, server and their domain controller agree."""

    etype: int = 18
    """Of the service's key; others are of this one where they are not told."""
    session_etype: int | None = None
    user: str = "alice"
    kvno: int | None = 5
    client_subkey: int | None = 18
    server_subkey: int | None = 18
    """Encryption types."""
    seed: str = "1"

    @property
    def service_key(self) -> bytes:
        return random_key(self.etype, "service")

    @property
    def keytab(self) -> ServiceKey:
        return ServiceKey("/".join(SERVICE), REALM, self.kvno or 1, self.etype, self.service_key)

    @property
    def session(self) -> tuple[int, bytes]:
        etype = self.session_etype or self.etype
        return etype, random_key(etype, f"session {self.seed}")

    @property
    def subkeys(self) -> list[tuple[int, bytes] | None]:
        pairs = ("client", self.client_subkey), ("server", self.server_subkey)
        return [None if etype is None else (etype, random_key(etype, who + self.seed)) for who, etype in pairs]

    @property
    def key(self) -> tuple[int, bytes]:
        client, server = self.subkeys
        return server or client or self.session


def _key(number: int, key: tuple[int, bytes] | None) -> bytes:
    if key is None:
        return b""
    value = asn1.member(0, asn1.integer(key[0])), asn1.member(1, asn1.tlv(0x04, key[1]))
    return asn1.member(number, asn1.sequence(*value))


def enc_ticket_part(ticket: Ticket) -> bytes:
    return asn1.tlv(
        0x63,
        asn1.sequence(
            asn1.member(0, asn1.tlv(0x03, bytes(5))),
            _key(1, ticket.session),
            asn1.member(2, asn1.text(REALM)),
            asn1.member(3, asn1.name(ticket.user)),
            asn1.member(4, asn1.sequence(asn1.member(0, asn1.integer(0)), asn1.member(1, asn1.tlv(0x04)))),
            asn1.member(5, asn1.tlv(0x18, _MOMENT)),
            asn1.member(7, asn1.tlv(0x18, b"20260105180000Z")),
        ),
    )


def ap_req(ticket: Ticket, cusec: int = 7, options: int = 0x2000_0000) -> bytes:
    etype, session = ticket.session
    client, _ = ticket.subkeys
    authenticator = asn1.tlv(
        0x62,
        asn1.sequence(
            asn1.member(0, asn1.integer(5)),
            asn1.member(1, asn1.text(REALM)),
            asn1.member(2, asn1.name(ticket.user)),
            asn1.member(4, asn1.integer(cusec)),
            asn1.member(5, asn1.tlv(0x18, _MOMENT)),
            _key(6, client),
            asn1.member(7, asn1.integer(4711)),
        ),
    )
    sealed = encrypt(ticket.etype, ticket.service_key, 2, enc_ticket_part(ticket))
    return asn1.ap_req(
        options,
        ticket.kvno,
        sealed=(ticket.etype, sealed),
        authenticator=(etype, encrypt(etype, session, 11, authenticator)),
    )


def ap_rep(ticket: Ticket, cusec: int = 7, *, from_client: bool = False) -> bytes:
    """DCE's third leg is the client's, without a key."""
    etype, session = ticket.session
    part = asn1.tlv(
        0x7B,
        asn1.sequence(
            asn1.member(0, asn1.tlv(0x18, _MOMENT)),
            asn1.member(1, asn1.integer(cusec)),
            b"" if from_client else _key(2, ticket.subkeys[1]),
            asn1.member(3, asn1.integer(815)),
        ),
    )
    return asn1.ap_rep(etype, encrypt(etype, session, 12, part))


class Tokens:
    """Per-message tokens of both sides, in DCE's style."""

    def __init__(self, key: tuple[int, bytes], *, header_signing: bool = True, rotate_filler: bool = True) -> None:
        """`rotate_filler`: by EC and RRC as Windows does."""
        self.etype, self._key = key
        self._whole, self._rotate_filler = header_signing, rotate_filler
        self._numbers = {True: 4711, False: 815}

    def size(self, body: int, *, seal: bool) -> int:
        if self.etype == 23:
            return 13 + (32 if seal else 24)
        mac = {19: 16, 20: 24}.get(self.etype, 12)
        return 16 + mac + (16 + (-body % 16 or 16) + 16 if seal else 0)

    def protect(
        self, head: bytes, body: bytes, trailer: bytes, *, from_client: bool, seal: bool
    ) -> tuple[bytes, bytes]:
        number = self._numbers[from_client]
        self._numbers[from_client] += 1
        before, after = (head, trailer) if self._whole else (b"", b"")
        how = self._rc4 if self.etype == 23 else self._wrap if seal else self._mic
        return how(before, body, after, number, from_client, seal)

    def _mic(self, head: bytes, body: bytes, trailer: bytes, number: int, way: bool, _: bool) -> tuple[bytes, bytes]:
        header = struct.pack(">HBB4sQ", 0x0404, 4 | (not way), 0xFF, b"\xff" * 4, number)
        text = head + body + trailer + header
        return body, header + ScapyKey(EncryptionType(self.etype), key=self._key).make_checksum(_USAGES[way][1], text)

    def _wrap(self, head: bytes, body: bytes, trailer: bytes, number: int, way: bool, _: bool) -> tuple[bytes, bytes]:
        extra = -len(body) % 16 or 16
        filler, flags = b"\xff" * extra, 6 | (not way)
        plain_header = struct.pack(">HBBHHQ", 0x0504, flags, 0xFF, extra, 0, number)
        signed = head + body + trailer + filler + plain_header
        plain = body + filler + plain_header
        usage = _USAGES[way][0]
        if self.etype in (17, 18):
            cipher = encrypt(self.etype, self._key, usage, plain, signed)
        else:
            cipher = self._then_signed(usage, head, plain, trailer, len(body))
        mac = {19: 16, 20: 24}.get(self.etype, 12)
        rotation = 16 + mac if self._rotate_filler else 16 + mac + extra
        turned = rotation + (extra if self._rotate_filler else 0)
        cipher = cipher[-turned:] + cipher[:-turned]
        header = struct.pack(">HBBHHQ", 0x0504, flags, 0xFF, extra, rotation, number)
        at = len(cipher) - len(body)
        return cipher[at:], header + cipher[:at]

    def _then_signed(self, usage: int, head: bytes, plain: bytes, trailer: bytes, size: int) -> bytes:
        """RFC 8009 signs what is encrypted; what is only signed stands around the body."""
        key = ScapyKey(EncryptionType(self.etype), key=self._key)
        profile: Any = key.ep
        bits, mac = 8 * len(self._key), {19: 16, 20: 24}[self.etype]
        sealing = profile.derive(key, struct.pack(">IB", usage, 0xAA), bits)
        signing = profile.derive(key, struct.pack(">IB", usage, 0x55), 8 * mac)
        made = profile.basic_encrypt(sealing, random.Random(plain).randbytes(16) + plain)
        at = 16 + size
        text = bytes(16) + made[:16] + head + made[16:at] + trailer + made[at:]
        return bytes(made + hmac.digest(signing, text, {19: "sha256", 20: "sha384"}[self.etype])[:mac])

    def _rc4(self, head: bytes, body: bytes, trailer: bytes, number: int, way: bool, seal: bool) -> tuple[bytes, bytes]:
        first = bytes.fromhex("020111001000ffff" if seal else "01011100ffffffff")
        confounder = random.Random(number).randbytes(8) if seal else b""
        text = struct.pack("<I", 13 if seal else 15) + first + confounder + head + body + trailer
        signing = hmac.digest(self._key, b"signaturekey\0", "md5")
        checksum = hmac.digest(signing, hashlib.md5(text).digest(), "md5")[:8]
        place = struct.pack(">I", number)
        counting = hmac.digest(hmac.digest(self._key, bytes(4), "md5"), checksum, "md5")
        sent = ARC4.new(counting).encrypt(place + (bytes(4) if way else b"\xff" * 4))
        if seal:
            local = bytes(byte ^ 0xF0 for byte in self._key)
            cipher = ARC4.new(hmac.digest(hmac.digest(local, bytes(4), "md5"), place, "md5"))
            confounder, body = cipher.encrypt(confounder), cipher.encrypt(body)
        return body, asn1.tlv(0x60, asn1.tlv(0x06, asn1.KERBEROS), first, sent, checksum, confounder)
