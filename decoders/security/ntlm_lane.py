"""One direction of an NTLM session: PDUs unsealed and their signatures checked, [MS-NLMP] 3.4.

RC4 goes on from PDU to PDU, so one that is missing takes the place in it along. Each PDU's signature proves the place:
where bytes are missing, those places are tried at which the next PDU can be.
"""

from __future__ import annotations

import hmac
import struct
import zlib
from itertools import islice
from typing import TYPE_CHECKING, Final

from decoders.limits import (
    MAX_UNSEALING_BYTES_TRIED,
    MAX_UNSEALING_GAP_BYTES,
    MAX_UNSEALING_PLACES,
    MAX_UNSEALING_SEARCHES,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from decoders.security.sealed_pdu import SealedPdu

_SIGNATURE_BYTES: Final = 16
_VERSION: Final = b"\1\0\0\0"
_TRAILER_BYTES: Final = 8
_LEAST_PDU: Final = 16 + _TRAILER_BYTES + _SIGNATURE_BYTES
_USUAL_PDU: Final = 24 + _TRAILER_BYTES + _SIGNATURE_BYTES
"""Without its body."""
_STEP: Final = 4
"""Bodies are padded to multiples of it, [MS-RPCE] 2.2.2.11."""


_OLD_REACH: Final = MAX_UNSEALING_PLACES * _STEP


class Keystream:
    def __init__(self, encrypt: Callable[[bytes], bytes]) -> None:
        self._encrypt = encrypt
        self._ahead = bytearray()

    def look(self, at: int, size: int) -> bytes:
        """Bytes from so many on behind the present place."""
        lacking = at + size - len(self._ahead)
        if lacking > 0:
            self._ahead += self._encrypt(bytes(lacking))
        return bytes(self._ahead[at : at + size])

    def go_on(self, size: int) -> None:
        self.look(size, 0)
        del self._ahead[:size]


class NtlmLane:
    lost_because: Final = "its place in what the sender encrypted is lost"

    def __init__(self, encrypt: Callable[[bytes], bytes], signing: bytes | None, *, key_exchanged: bool) -> None:
        """`signing` is None without extended session security: both directions have one lane then."""
        self._keystream = Keystream(encrypt)
        self._signing = signing
        self._of_signature = 12 if signing is None else 8 if key_exchanged else 0
        """Bytes of the keystream that a signature takes."""
        self._number = 0
        self._missed = 0
        """Bytes of PDUs since the last one that was in its place."""
        self._searches = 0
        self.lost = False

    @property
    def in_step(self) -> bool:
        """The next PDU's place is certain. It never is where the peer's PDUs count too: they may come out late."""
        return not self._missed and not self.lost and self._signing is not None

    def miss(self, size: int) -> None:
        self._missed += size
        self.lost = self.lost or self._missed > MAX_UNSEALING_GAP_BYTES

    def open(self, pdu: SealedPdu) -> bytes | None:
        plain = self._opened(pdu)
        if plain is not None:
            self._missed = self._searches = 0
            return plain
        self._searches += not self.in_step
        self.miss(len(pdu.data))
        self.lost = self.lost or self._searches > MAX_UNSEALING_SEARCHES
        return None

    def _opened(self, pdu: SealedPdu) -> bytes | None:
        if self.lost or len(pdu.token) < _SIGNATURE_BYTES or not pdu.token.startswith(_VERSION):
            return None
        fits = self._fits_old if self._signing is None else self._fits_extended
        room = max(16, min(MAX_UNSEALING_PLACES, MAX_UNSEALING_BYTES_TRIED // len(pdu.data)))
        for at in islice(self._places(pdu), room):
            for start in pdu.starts:
                body = fits(pdu, start, at)
                if body is not None:
                    sealed = len(body) if pdu.sealed else 0
                    self._keystream.go_on(at + sealed + self._of_signature)
                    return pdu.data[:start] + body + pdu.data[pdu.end :]
        return None

    def peek(self, body: bytes) -> bytes:
        return _xor(body, self._keystream.look(0, len(body)))

    def _places(self, pdu: SealedPdu) -> Iterator[int]:
        """Where the PDU may begin in the keystream, behind the present place; the likely ones first."""
        if self._signing is None:
            yield from range(0, max(self._missed, _OLD_REACH), _STEP)
            return
        missed = int.from_bytes(pdu.token[12:16], "little") - self._number
        if not 0 <= missed <= 1 + self._missed // _LEAST_PDU:
            return
        signatures = missed * self._of_signature
        if not self._missed or not pdu.sealed:
            # [MS-SPNG] has the keystream begin anew after mechListMIC; sequence numbers go on from there.
            yield from (0, signatures) if self._missed == 0 else (signatures, 0)
            return
        usual = self._missed - missed * _USUAL_PDU + signatures
        if usual >= 0:
            yield usual
        yield signatures
        yield from range(self._missed - missed * _LEAST_PDU + signatures, signatures, -_STEP)

    def _fits_extended(self, pdu: SealedPdu, start: int, at: int) -> bytes | None:
        body = pdu.body(start)
        if pdu.sealed:
            body = _xor(body, self._keystream.look(at, len(body)))
            at += len(body)
        number, expected = pdu.token[12:16], pdu.token[4:12]
        if self._of_signature:
            expected = _xor(expected, self._keystream.look(at, self._of_signature))
        for signed in (pdu.whole(start, body), body):
            if hmac.digest(self._signing or b"", number + signed, "md5")[:8] == expected:
                self._number = int.from_bytes(number, "little") + 1
                return body
        return None

    def _fits_old(self, pdu: SealedPdu, start: int, at: int) -> bytes | None:
        """3.4.4.1."""
        body = pdu.body(start)
        if pdu.sealed:
            body = _xor(body, self._keystream.look(at, len(body)))
            at += len(body)
        _, checksum, number = struct.unpack("<III", _xor(pdu.token[4:16], self._keystream.look(at, self._of_signature)))
        if not 0 <= number - self._number <= max(self._missed, _OLD_REACH) // _LEAST_PDU:
            return None
        for signed in (body, pdu.whole(start, body)):
            if zlib.crc32(signed) == checksum:
                self._number = number + 1
                return body
        return None


def _xor(one: bytes, other: bytes) -> bytes:
    return (int.from_bytes(one, "little") ^ int.from_bytes(other, "little")).to_bytes(len(one), "little")
