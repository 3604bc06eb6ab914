"""Elements, integers and identifiers, and everything that is none."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.errors import DecodeError, Malformed, Truncated
from decoders.security import der
from tests.decoders.security import asn1


@given(st.integers(0, 255).filter(lambda tag: tag & 0x1F != 0x1F), st.binary(max_size=300), st.binary(max_size=4))
def test_an_element_is_what_was_written(tag: int, content: bytes, behind: bytes) -> None:
    written = asn1.tlv(tag, content)
    assert der.read_element(written + behind) == (tag, content, len(written))


@given(st.integers(-(1 << 63), (1 << 63) - 1))
def test_integers(value: int) -> None:
    assert der.integer(asn1.integer(value)) == value


@pytest.mark.parametrize(
    ("content", "dotted"),
    [(asn1.NTLM, "1.3.6.1.4.1.311.2.2.10"), (asn1.KERBEROS, "1.2.840.113554.1.2.2"), (b"\x88\x37", "2.999")],
)
def test_identifiers(content: bytes, dotted: str) -> None:
    assert der.object_identifier(content) == dotted


def test_members_by_number() -> None:
    written = asn1.sequence(asn1.member(0, b"zero"), asn1.integer(1), asn1.member(2, b"two"))
    assert der.members(written) == {0: b"zero", 2: b"two"}


@pytest.mark.parametrize("data", [b"", b"\x30", b"\x30\x05abc", b"\x30\x82\x01", b"\x30\x84\xff\xff\xff\xff"])
def test_cut(data: bytes) -> None:
    with pytest.raises(Truncated):
        der.read_element(data)


@pytest.mark.parametrize("data", [b"\x30\x80\0\0", b"\x30\x85\0\0\0\0\0", b"\x1f\x81\x01\0", b"\xbf\x01\0"])
def test_forms_that_no_token_has(data: bytes) -> None:
    with pytest.raises(Malformed):
        der.read_element(data)


def test_bounds() -> None:
    for wrong in (b"\x02\x00", b"\x02\x0a" + bytes(10), b"\x04\x01\0"):
        with pytest.raises(Malformed):
            der.integer(wrong)
    for wrong in (b"", b"\x2b\x86", bytes(65)):
        with pytest.raises(Malformed):
            der.object_identifier(wrong)
    with pytest.raises(Malformed, match="more than 64 elements"):
        list(der.elements(b"\x02\x00" * 65))


@given(st.binary(max_size=80))
def test_no_bytes_raise_anything_else(data: bytes) -> None:
    with contextlib.suppress(DecodeError):
        der.members(data)
    with contextlib.suppress(DecodeError):
        der.object_identifier(data)
    with contextlib.suppress(DecodeError):
        der.integer(data)
