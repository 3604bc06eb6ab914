"""Tokens as they come: whose they are is told by their bytes alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.security.kerberos import ApReq
from decoders.security.ntlm import AuthenticateMessage
from decoders.security.spnego import NegTokenInit, NegTokenResp
from decoders.security.tokens import read_token
from tests.decoders.security import asn1
from tests.decoders.security.test_ntlm import ALICE

KERBEROS = asn1.gss(asn1.KERBEROS, b"\1\0", asn1.ap_req())


@pytest.mark.parametrize(("token", "kind"), [(ALICE, AuthenticateMessage), (KERBEROS, ApReq)])
def test_raw_and_within_spnego(token: bytes, kind: type) -> None:
    raw = read_token(token, from_client=True)
    first = read_token(asn1.neg_token_init(token), from_client=True)
    later = read_token(asn1.neg_token_resp(1, token), from_client=True)
    assert isinstance(raw.message, kind)
    assert raw.message == first.message == later.message
    assert (raw.spnego, type(first.spnego), type(later.spnego)) == (None, NegTokenInit, NegTokenResp)
    assert {raw.problem, first.problem, later.problem} == {None}


def test_nothing_and_something_else() -> None:
    for token in (b"", b"\x44\x06", bytes(64), asn1.neg_token_resp(0, None)):
        assert read_token(token, from_client=False).message is None
        assert read_token(token, from_client=False).problem is None


def test_a_damaged_wrapper_leaves_the_name_readable() -> None:
    whole = asn1.neg_token_resp(1, ALICE)
    cut = read_token(whole[:1] + b"\x80" + whole[2:], from_client=True)
    assert isinstance(cut.message, AuthenticateMessage)
    assert cut.problem is not None


def test_a_damaged_message_is_told() -> None:
    found = read_token(asn1.neg_token_resp(1, ALICE[:40]), from_client=True)
    assert (found.message, found.problem) == (None, "the AUTHENTICATE_MESSAGE ends inside its fixed part")


@given(st.binary(max_size=200), st.booleans())
def test_any_bytes(token: bytes, from_client: bool) -> None:
    read_token(token, from_client=from_client)


@given(st.binary(max_size=60), st.integers(0, 200), st.sampled_from([ALICE, KERBEROS, asn1.neg_token_init(KERBEROS)]))
def test_any_damage(junk: bytes, at: int, token: bytes) -> None:
    read_token(token[:at] + junk + token[at + len(junk) :], from_client=True)
