"""Connection and call ids of Zeek's shape, derived instead of drawn: the same packets give the same id in every run."""

from __future__ import annotations

import hashlib
from typing import Final

_ALPHABET: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BITS: Final = 96
"""As many as Zeek's own ids have."""


def connection_uid(
    low: tuple[bytes, int], high: tuple[bytes, int], first_ts_ns: int, first_seq: int, first_ack: int
) -> str:
    """No file name or hash goes in: rotated captures and the same packets in one file must agree."""
    facts = (
        *(part.hex() if isinstance(part, bytes) else str(part) for part in (*low, *high)),
        first_ts_ns,
        first_seq,
        first_ack,
    )
    return "C" + _letters("|".join(map(str, facts)))


def call_uid(uid: str, *, from_orig: bool, offset: int) -> str:
    """By the place of the call's first PDU: sender and offset in the stream. Hexadecimal, since there are many."""
    return "R" + hashlib.blake2b(f"{uid}|{from_orig:d}|{offset}".encode(), digest_size=_BITS // 8).hexdigest()


def derived_uid(letter: str, call: str) -> str:
    """Of a session (S) or read (D), by the call that begins it."""
    return letter + hashlib.blake2b(f"{letter}|{call}".encode(), digest_size=_BITS // 8).hexdigest()


def _letters(facts: str) -> str:
    digest = hashlib.sha256(facts.encode()).digest()
    number = int.from_bytes(digest[: _BITS // 8], "big")
    letters = []
    while number:
        number, letter = divmod(number, len(_ALPHABET))
        letters.append(_ALPHABET[letter])
    return "".join(reversed(letters))
