"""Encrypted parts and per-message tokens, cut and changed in every place: nothing is raised, nothing is believed."""

from __future__ import annotations

import contextlib
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scapy.libs.rfc3961 import EncryptionType
from scapy.libs.rfc3961 import Key as ScapyKey

from decoders.errors import DecodeError
from decoders.security import der
from decoders.security.gss_aes import AesTokens
from decoders.security.gss_rc4 import Rc4Tokens
from decoders.security.kerberos_crypto import Key, decrypted
from decoders.security.kerberos_sealed import parse_ap_rep, parse_authenticator, parse_ticket
from decoders.security.sealed_pdu import SealedPdu
from tests.decoders.security import asn1
from tests.scripts.kerberos import ETYPES, REALM, Ticket, Tokens, enc_ticket_part, encrypt, random_key

HEAD, TRAILER = b"h" * 24, b"t" * 8


def key_of(etype: int) -> Key:
    return Key(etype, random_key(etype, "a"))


@given(st.sampled_from(ETYPES), st.sampled_from([2, 11, 12]), st.binary(max_size=100))
def test_what_was_encrypted(etype: int, usage: int, plain: bytes) -> None:
    key = key_of(etype)
    sealed = encrypt(etype, key.contents, usage, plain)
    assert decrypted(key, usage, sealed) == plain
    assert decrypted(key, usage + 1, sealed) is None
    assert decrypted(Key(etype, random_key(etype, "b")), usage, sealed) is None


@pytest.mark.parametrize("etype", ETYPES)
def test_parts_cut_or_changed_anywhere(etype: int) -> None:
    key, plain = key_of(etype), bytes(range(50))
    sealed = encrypt(etype, key.contents, 2, plain)
    for at in range(len(sealed)):
        assert decrypted(key, 2, sealed[:at]) is None
        assert decrypted(key, 2, sealed[at + 1 :]) is None
        assert decrypted(key, 2, sealed[:at] + bytes([sealed[at] ^ 0x10]) + sealed[at + 1 :]) is None


@pytest.mark.parametrize(("etype", "contents"), [(18, bytes(16)), (17, b""), (23, bytes(17)), (3, bytes(8)), (-1, b"")])
def test_keys_of_other_types_or_lengths(etype: int, contents: bytes) -> None:
    assert not Key(etype, contents).usable
    assert decrypted(Key(etype, contents), 2, bytes(100)) is None


def test_scapy_reads_a_part_as_we_do() -> None:
    for etype in (17, 18, 19, 20):
        key = key_of(etype)
        theirs = ScapyKey(EncryptionType(etype), key=key.contents)
        for size in range(1, 50):
            sealed = theirs.encrypt(2, bytes(size))
            assert decrypted(key, 2, sealed) == theirs.decrypt(2, sealed) == bytes(size)


def protected(etype: int, seal: bool, from_client: bool, size: int = 40) -> SealedPdu:
    body = bytes(range(size))
    sent, token = Tokens((etype, key_of(etype).contents)).protect(
        HEAD, body, TRAILER, from_client=from_client, seal=seal
    )
    return SealedPdu(HEAD + sent + TRAILER + token, (24,), 24 + size, token, seal)


def tokens_of(etype: int, *, from_client: bool) -> Any:  # noqa: ANN401
    return (Rc4Tokens if etype == 23 else AesTokens)(key_of(etype), from_client=from_client)


@pytest.mark.parametrize(("etype", "seal", "from_client"), [*product(ETYPES, (False, True), (False, True))])
def test_tokens_cut_anywhere(etype: int, seal: bool, from_client: bool) -> None:
    pdu, tokens = protected(etype, seal, from_client), tokens_of(etype, from_client=from_client)
    assert tokens.opened(pdu, 24) == bytes(range(40))
    for size in range(len(pdu.token)):
        assert tokens.opened(pdu._replace(token=pdu.token[:size]), 24) is None
        assert tokens.opened(pdu._replace(token=pdu.token[size + 1 :]), 24) is None
    for end in range(24, pdu.end):
        assert tokens.opened(pdu._replace(end=end), 24) is None


@pytest.mark.parametrize(("etype", "seal", "from_client"), [*product(ETYPES, (False, True), (False, True))])
def test_a_message_thrown_back_at_its_sender_is_not_believed(etype: int, seal: bool, from_client: bool) -> None:
    pdu = protected(etype, seal, from_client)
    assert tokens_of(etype, from_client=not from_client).opened(pdu, 24) is None
    assert tokens_of(etype, from_client=from_client).opened(pdu._replace(sealed=not seal), 24) is None


@given(st.sampled_from(ETYPES), st.booleans(), st.binary(max_size=120), st.binary(max_size=60))
def test_no_bytes_raise(etype: int, seal: bool, token: bytes, body: bytes) -> None:
    pdu = SealedPdu(HEAD + body + TRAILER + token, (24,), 24 + len(body), token, seal)
    for start in (b"", b"\x05\x04\x06\xff", b"\x04\x04", b"\x60\x2b" + bytes.fromhex("06092a864886f712010202")):
        assert tokens_of(etype, from_client=True).opened(pdu._replace(token=start + token), 24) is None


def test_a_ticket_says_who_and_with_what() -> None:
    part = parse_ticket(enc_ticket_part(Ticket()))
    assert (part.cname, part.crealm, (part.key.etype, part.key.contents)) == ("alice", REALM, Ticket().session)
    assert part.key.contents not in repr(part).encode("latin-1")
    assert repr(part.key.contents)[2:-1] not in repr(part)


@pytest.mark.parametrize(
    ("given_time", "seconds"),
    [
        (b"19700101000100Z", 60),
        (b"99991231235959Z", 253_402_300_799),
        (b"20261301000000Z", None),
        (b"20260230000000Z", None),
        (b"00000101000000Z", None),
        (b"2026010508000Z", None),
        (b"20260105080000+", None),
        (b"", None),
    ],
)
def test_times_that_are_none_are_left_out(given_time: bytes, seconds: int | None) -> None:
    was, now = asn1.tlv(0x18, b"20260105080000Z"), asn1.tlv(0x18, given_time)
    members = der.content_of(der.content_of(enc_ticket_part(Ticket()), 0x63), der.SEQUENCE)
    part = asn1.tlv(0x63, asn1.sequence(members.replace(asn1.member(5, was), asn1.member(5, now))))
    assert parse_ticket(part).authtime == seconds


@given(st.binary(max_size=30), st.integers(0, 160))
def test_damaged_parts_raise_decode_errors_only(junk: bytes, at: int) -> None:
    whole = enc_ticket_part(Ticket())
    for first, parse in ((b"\x63", parse_ticket), (b"\x62", parse_authenticator), (b"\x7b", parse_ap_rep)):
        data = first + whole[1:at] + junk + whole[at + len(junk) :]
        with contextlib.suppress(DecodeError):
            parse(data)
