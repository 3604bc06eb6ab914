"""Security identifiers as text, held against impacket's."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from impacket.ldap.ldaptypes import LDAP_SID

from decoders.security.sids import MAX_SID_BYTES, sid_size, sid_text


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("010100000000000100000000", "S-1-1-0"),
        ("010100000000000512000000", "S-1-5-18"),
        ("01020000000000052000000020020000", "S-1-5-32-544"),
        (
            "010500000000000515000000ad4a9ebd36d9fa3d63a656dae8030000",
            "S-1-5-21-3181267629-1039849782-3663111779-1000",
        ),
        ("0100000000000005", "S-1-5"),
        ("0101ffffffffffff07000000", "S-1-0xFFFFFFFFFFFF-7"),
        ("0101000100000000ffffffff", "S-1-0x000100000000-4294967295"),
        ("01010000ffffffff01000000", "S-1-4294967295-1"),
        # What stands behind it is another's.
        ("010100000000000512000000ffff", "S-1-5-18"),
        ("", None),
        ("02010000000000050000", None),
        ("0101000000000005120000", None),
        ("0110000000000005" + "00" * 64, None),
        ("01ff000000000005" + "00" * 1020, None),
    ],
)
def test_text(raw: str, text: str | None) -> None:
    assert sid_text(bytes.fromhex(raw)) == text


@given(st.integers(0, 255), st.lists(st.integers(0, 0xFFFFFFFF), max_size=15), st.binary(max_size=5))
def test_impacket_says_the_same(authority: int, parts: list[int], behind: bytes) -> None:
    theirs = LDAP_SID()
    theirs.fromCanonical("-".join(map(str, ("S-1", authority, *parts))))
    raw = theirs.getData()
    assert sid_text(raw + behind) == theirs.formatCanonical()
    assert sid_size(raw + behind) == len(raw) == 8 + 4 * len(parts)


@given(st.binary(max_size=80))
def test_any_bytes(raw: bytes) -> None:
    size, text = sid_size(raw), sid_text(raw)
    assert (size is None) == (text is None)
    if size is not None and text is not None:
        assert size <= min(len(raw), MAX_SID_BYTES)
        assert text.count("-") == 2 + raw[1]


def test_the_longest() -> None:
    raw = bytes([1, 15]) + bytes(5) + b"\x05" + struct.pack("<15I", *range(15))
    assert len(raw) == MAX_SID_BYTES
    assert sid_text(raw) == "S-1-5-" + "-".join(map(str, range(15)))
