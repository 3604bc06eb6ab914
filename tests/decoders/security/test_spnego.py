"""The negotiation around tokens."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.errors import DecodeError, Malformed, NotThisFormat
from decoders.security.spnego import KERBEROS, NTLM, NegTokenInit, NegTokenResp, parse_spnego
from tests.decoders.security import asn1

TOKEN = b"NTLMSSP\0 or another"


def test_what_the_client_offers() -> None:
    written = asn1.neg_token_init(TOKEN, asn1.KERBEROS, asn1.NTLM)
    assert parse_spnego(written) == NegTokenInit((KERBEROS, NTLM), TOKEN, None)


@pytest.mark.parametrize(
    ("more", "mic"),
    [
        ((asn1.member(3, asn1.tlv(0x04, b"mic")),), b"mic"),
        ((asn1.member(3, asn1.sequence(asn1.member(0, asn1.text("not_defined_in_RFC4178@please_ignore")))),), None),
        ((asn1.member(3, asn1.sequence()), asn1.member(4, asn1.tlv(0x04, b"mic"))), b"mic"),
    ],
)
def test_hints_of_a_server_stand_where_the_mic_does(more: tuple[bytes, ...], mic: bytes | None) -> None:
    offered = asn1.member(0, asn1.sequence(asn1.tlv(0x06, asn1.NTLM)))
    written = asn1.tlv(0x60, asn1.tlv(0x06, asn1.SPNEGO), asn1.member(0, asn1.sequence(offered, *more)))
    assert parse_spnego(written) == NegTokenInit((NTLM,), None, mic)


@pytest.mark.parametrize("state", [0, 1, 2, 3, None])
def test_what_is_answered(state: int | None) -> None:
    assert parse_spnego(asn1.neg_token_resp(state, TOKEN, asn1.NTLM, b"mic")) == NegTokenResp(
        state, NTLM, TOKEN, b"mic"
    )
    assert parse_spnego(asn1.neg_token_resp(state, None)) == NegTokenResp(state, None, None, None)


@pytest.mark.parametrize("token", [b"", TOKEN, asn1.gss(asn1.KERBEROS, b"\1\0", asn1.ap_req()), asn1.ap_rep()])
def test_tokens_of_others(token: bytes) -> None:
    with pytest.raises(NotThisFormat):
        parse_spnego(token)


def test_more_mechanisms_than_there_are() -> None:
    with pytest.raises(Malformed):
        parse_spnego(asn1.neg_token_init(TOKEN, *[asn1.NTLM] * 33))


@given(st.binary(max_size=40), st.integers(0, 60), st.booleans())
def test_damage_raises_decode_errors_only(junk: bytes, at: int, first: bool) -> None:
    written = asn1.neg_token_init(TOKEN, asn1.KERBEROS) if first else asn1.neg_token_resp(1, TOKEN, asn1.NTLM, b"mic")
    with contextlib.suppress(DecodeError):
        parse_spnego(written[:at] + junk + written[at + len(junk) :])
