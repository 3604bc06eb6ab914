"""What Kerberos shows in the clear."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.errors import DecodeError, Malformed, NotThisFormat
from decoders.security.kerberos import ApRep, ApReq, EncryptedData, KrbError, parse_kerberos
from tests.decoders.security import asn1


def wrapped(message: bytes, mechanism: bytes = asn1.KERBEROS) -> bytes:
    return asn1.gss(mechanism, b"\1\0", message)


@pytest.mark.parametrize("kvno", [5, None, 0x7FFF_FFFF])
def test_a_ticket_names_its_service_and_not_its_client(kvno: int | None) -> None:
    found = parse_kerberos(wrapped(asn1.ap_req(kvno=kvno)))
    assert found == ApReq(
        ("mutual-required",),
        "CORP.EXAMPLE",
        "HOST/hq.corp.example",
        EncryptedData(18, kvno, b"cipher"),
        EncryptedData(18, None, b"cipher"),
    )


@pytest.mark.parametrize(
    ("bits", "names"),
    [(0, ()), (0x4000_0000, ("use-session-key",)), (0x6000_0000, ("use-session-key", "mutual-required"))],
)
def test_options_by_name(bits: int, names: tuple[str, ...]) -> None:
    found = parse_kerberos(asn1.ap_req(bits))
    assert isinstance(found, ApReq)
    assert found.ap_options == names


def test_answers_with_and_without_a_wrapper() -> None:
    answer = ApRep(EncryptedData(17, None, b"cipher"))
    assert parse_kerberos(asn1.ap_rep()) == parse_kerberos(wrapped(asn1.ap_rep(), asn1.KERBEROS_MS)) == answer


def test_errors_name_who_failed_where() -> None:
    assert parse_kerberos(asn1.krb_error()) == KrbError(
        37, "CORP.EXAMPLE", "alice", "CORP.EXAMPLE", "HOST/hq", "too late"
    )
    assert parse_kerberos(asn1.krb_error(41, client=False, words=None)) == KrbError(
        41, None, None, "CORP.EXAMPLE", "HOST/hq", None
    )


@pytest.mark.parametrize(
    "token", [b"", b"NTLMSSP\0", asn1.gss(asn1.NTLM, b"\1\0", asn1.ap_req()), wrapped(b""), b"\x30\0"]
)
def test_tokens_of_others(token: bytes) -> None:
    with pytest.raises(NotThisFormat):
        parse_kerberos(token)


@pytest.mark.parametrize("message", [asn1.tlv(0x6E, asn1.sequence()), asn1.tlv(0x6F, asn1.integer(1))])
def test_messages_without_what_they_must_have(message: bytes) -> None:
    with pytest.raises(Malformed):
        parse_kerberos(message)


@given(st.binary(max_size=40), st.integers(0, 160), st.sampled_from([asn1.ap_req(), asn1.ap_rep(), asn1.krb_error()]))
def test_damage_raises_decode_errors_only(junk: bytes, at: int, message: bytes) -> None:
    with contextlib.suppress(DecodeError):
        parse_kerberos(message[:at] + junk + message[at + len(junk) :])
