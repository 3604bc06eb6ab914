"""Names in an AUTHENTICATE_MESSAGE: raw, wrapped, in both character sets, and damaged."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.errors import DecodeError, Malformed, NotThisFormat, Truncated
from decoders.security.ntlm import NtlmIdentity, find_authenticate


def message(user: bytes, domain: bytes, host: bytes, flags: int = 1, nt: bytes = b"n" * 24) -> bytes:
    """[MS-NLMP] 2.2.1.3 with Version and MIC."""
    at, fields, payload = 88, b"", b""
    for value in (b"l" * 24, nt, domain, user, host, b"k" * 16):
        fields += struct.pack("<HHI", len(value), len(value), at + len(payload))
        payload += value
    return b"NTLMSSP\0" + struct.pack("<I", 3) + fields + struct.pack("<I", flags) + bytes(24) + payload


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


ALICE = message(wide("alice"), wide("CORP"), wide("PC-1"))
IDENTITY = NtlmIdentity("alice", "CORP", "PC-1", anonymous=False)


def test_raw_and_wrapped() -> None:
    assert find_authenticate(ALICE) == IDENTITY
    assert find_authenticate(b"\xa1\x82\x01\x02\x30\x81" + ALICE + b"\xa3\x12") == IDENTITY
    assert find_authenticate(b"NTLMSSP\0" + struct.pack("<I", 1) + ALICE) == IDENTITY


def test_oem_names_and_letters_beyond_ascii() -> None:
    assert find_authenticate(message(b"bob", b"D", b"", flags=0)) == NtlmIdentity("bob", "D", "", anonymous=False)
    assert find_authenticate(message(wide("Jürgen 日本"), b"", b"")).username == "Jürgen 日本"
    assert find_authenticate(message(b"\x00\xd8", b"", b"")).username == "\\x00\\xd8"


def test_anonymous() -> None:
    assert find_authenticate(message(b"", b"", b"", nt=b"")) == NtlmIdentity("", "", "", anonymous=True)


def test_other_tokens_are_told_apart() -> None:
    for token in (b"", b"\x60\x82kerberos", b"NTLMSSP\0\1\0\0\0", b"NTLMSSP\0" * 100):
        with pytest.raises(NotThisFormat):
            find_authenticate(token)


@pytest.mark.parametrize(
    ("at", "value", "error"),
    [
        (36, struct.pack("<HHI", 10, 10, 5_000), Malformed),
        (36, struct.pack("<HHI", 10, 10, 0xFFFFFFFF), Malformed),
        (36, struct.pack("<HHI", 10, 10, 0), Malformed),
        (28, struct.pack("<HHI", 65_000, 0, 88), Malformed),
    ],
)
def test_a_name_outside_the_message_is_malformed(at: int, value: bytes, error: type[DecodeError]) -> None:
    with pytest.raises(error):
        find_authenticate(ALICE[:at] + value + ALICE[at + len(value) :])


def test_a_cut_message_is_truncated_or_malformed() -> None:
    for size in range(12, len(ALICE) - 16):
        with pytest.raises((Truncated, Malformed)):
            find_authenticate(ALICE[: min(size, 88 + 48 + 16)])


@given(st.binary(max_size=120), st.integers(0, 120))
def test_damage_raises_decode_errors_only(junk: bytes, at: int) -> None:
    with contextlib.suppress(DecodeError):
        find_authenticate(ALICE[: 12 + at] + junk + ALICE[12 + at + len(junk) :])
