"""NTLM's messages: raw, wrapped, in both character sets, of all ages, and damaged."""

from __future__ import annotations

import contextlib
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.errors import DecodeError, Malformed, NotThisFormat, Truncated
from decoders.security.av_pairs import AvPairs
from decoders.security.ntlm import (
    AuthenticateMessage,
    ChallengeMessage,
    NegotiateMessage,
    NtlmMessage,
    Version,
    find_ntlm,
)
from decoders.security.ntlm_names import NtlmVersion, flag_names

UNICODE, ESS, VERSION = 0x1, 0x80000, 0x0200_0000
WINDOWS_7 = bytes.fromhex("0601b11d0000000f")


def message(
    user: bytes, domain: bytes, host: bytes, flags: int = 1, nt: bytes = b"n" * 24, lm: bytes = b"l" * 24
) -> bytes:
    """[MS-NLMP] 2.2.1.3 with Version and MIC."""
    at, fields, payload = 88, b"", b""
    for value in (lm, nt, domain, user, host, b"k" * 16):
        fields += struct.pack("<HHI", len(value), len(value), at + len(payload))
        payload += value
    version = WINDOWS_7 if flags & VERSION else bytes(8)
    return b"NTLMSSP\0" + struct.pack("<I", 3) + fields + struct.pack("<I", flags) + version + bytes(16) + payload


def challenge(target: bytes, information: bytes, flags: int = UNICODE | VERSION) -> bytes:
    at = 56
    fields = struct.pack("<HHI", len(target), len(target), at), struct.pack("<I", flags), b"01234567", bytes(8)
    more = struct.pack("<HHI", len(information), len(information), at + len(target))
    return b"NTLMSSP\0" + struct.pack("<I", 2) + b"".join(fields) + more + WINDOWS_7 + target + information


def pairs(**values: bytes) -> bytes:
    """`a1=...` is AvId 1."""
    found = (struct.pack("<HH", int(name[1:]), len(value)) + value for name, value in values.items())
    return b"".join(found) + bytes(4)


def wide(text: str) -> bytes:
    return text.encode("utf-16-le")


def sent(token: bytes, *, by_client: bool = True) -> NtlmMessage:
    return find_ntlm(token, from_client=by_client)


def names(token: bytes) -> tuple[str, str, str]:
    found = sent(token)
    assert isinstance(found, AuthenticateMessage)
    return found.UserName, found.DomainName, found.Workstation


ALICE = message(wide("alice"), wide("CORP"), wide("PC-1"))
IDENTITY = "alice", "CORP", "PC-1"


def test_raw_and_wrapped() -> None:
    assert names(ALICE) == IDENTITY
    assert names(b"\xa1\x82\x01\x02\x30\x81" + ALICE + b"\xa3\x12") == IDENTITY
    assert names(b"NTLMSSP\0" + struct.pack("<I", 1) + ALICE) == IDENTITY


def test_oem_names_and_letters_beyond_ascii() -> None:
    assert names(message(b"bob", b"D", b"", flags=0)) == ("bob", "D", "")
    assert names(message(wide("Jürgen 日本"), b"", b""))[0] == "Jürgen 日本"
    assert names(message(b"\x00\xd8", b"", b""))[0] == "\\x00\\xd8"


@pytest.mark.parametrize(
    ("token", "version"),
    [
        (message(b"", b"", b"", nt=b"", lm=b"\0"), NtlmVersion.ANONYMOUS),
        (message(b"", b"", b"", nt=b"", lm=b""), NtlmVersion.ANONYMOUS),
        (message(wide("a"), b"", b"", nt=b""), NtlmVersion.LM),
        (message(wide("a"), b"", b""), NtlmVersion.V1),
        (message(wide("a"), b"", b"", flags=UNICODE | ESS), NtlmVersion.V1_ESS),
        (message(wide("a"), b"", b"", flags=UNICODE | ESS, nt=bytes(44) + pairs()), NtlmVersion.V2),
    ],
)
def test_what_a_client_proves_itself_with(token: bytes, version: NtlmVersion) -> None:
    found = sent(token)
    assert isinstance(found, AuthenticateMessage)
    assert found.version is version


def test_what_ntlm_v2_says_beside_its_proof() -> None:
    told = pairs(
        a1=wide("HQ"),
        a2=wide("CORP"),
        a3=wide("hq.corp.example"),
        a4=wide("corp.example"),
        a5=wide("example"),
        a6=struct.pack("<I", 2),
        a7=struct.pack("<Q", 116_444_736_000_000_000 + 10_000_000),
        a8=struct.pack("<II8s", 48, 0, b"") + b"m" * 32,
        a9=wide("HOST/hq"),
        a10=bytes(16),
    )
    found = sent(message(wide("a"), b"", b"", flags=UNICODE | VERSION, nt=bytes(44) + told))
    assert isinstance(found, AuthenticateMessage)
    assert found.AvPairs == AvPairs(
        MsvAvNbComputerName="HQ",
        MsvAvNbDomainName="CORP",
        MsvAvDnsComputerName="hq.corp.example",
        MsvAvDnsDomainName="corp.example",
        MsvAvDnsTreeName="example",
        MsvAvTargetName="HOST/hq",
        MsvAvFlags=2,
        MsvAvTimestamp=1_000_000_000,
        MachineID=b"m" * 32,
        MsvAvChannelBindings=bytes(16),
    )
    assert found.has_mic
    assert found.Version == Version(6, 1, 7601, 15)


@pytest.mark.parametrize("damaged", [pairs(a1=b"x")[:-4], b"\1\0\xff\xff" + bytes(9), pairs(a6=b"abc")[:3]])
def test_damaged_pairs_leave_the_names(damaged: bytes) -> None:
    found = sent(message(wide("a"), b"", b"", nt=bytes(44) + damaged))
    assert isinstance(found, AuthenticateMessage)
    assert (found.UserName, found.AvPairs) == ("a", AvPairs())
    assert found.problem is not None


@pytest.mark.parametrize("value", [bytes(8), b"\xff" * 8, bytes(7)])
def test_times_that_are_none(value: bytes) -> None:
    found = sent(challenge(b"", pairs(a7=value)), by_client=False)
    assert isinstance(found, ChallengeMessage)
    assert found.TargetInfo.MsvAvTimestamp is None


def test_a_challenge_tells_the_server() -> None:
    found = sent(challenge(wide("CORP"), pairs(a1=wide("HQ"))), by_client=False)
    known = AvPairs(MsvAvNbComputerName="HQ")
    assert found == ChallengeMessage("CORP", UNICODE | VERSION, b"01234567", known, Version(6, 1, 7601, 15))
    old = challenge(b"", b"", flags=0)[:32]
    assert sent(old, by_client=False) == ChallengeMessage("", 0, b"01234567", AvPairs(), None)


def test_a_challenge_whose_information_is_elsewhere_is_still_one() -> None:
    whole = challenge(b"", pairs(a1=wide("HQ")))
    found = sent(whole[:-1], by_client=False)
    assert isinstance(found, ChallengeMessage)
    assert (found.ServerChallenge, found.problem) == (b"01234567", "a field outside the message")


def test_a_first_message_names_domain_and_workstation_or_nothing() -> None:
    head = b"NTLMSSP\0" + struct.pack("<II", 1, VERSION)
    fields = struct.pack("<HHIHHI", 4, 4, 40, 2, 2, 44)
    assert sent(head + fields + WINDOWS_7 + b"CORPPC") == NegotiateMessage(
        VERSION, "CORP", "PC", Version(6, 1, 7601, 15)
    )
    assert sent(head) == NegotiateMessage(VERSION, "", "", None)


@pytest.mark.parametrize("by_client", [True, False])
def test_other_tokens_and_messages_of_the_other_side_are_told_apart(by_client: bool) -> None:
    theirs = challenge(b"", b"") if by_client else ALICE
    for token in (b"", b"\x60\x82kerberos", b"NTLMSSP\0\4\0\0\0", b"NTLMSSP\0" * 100, theirs):
        with pytest.raises(NotThisFormat):
            sent(token, by_client=by_client)


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
        sent(ALICE[:at] + value + ALICE[at + len(value) :])


def test_a_cut_message_is_truncated_or_malformed() -> None:
    for size in range(12, len(ALICE) - 16):
        with pytest.raises((Truncated, Malformed)):
            sent(ALICE[: min(size, 88 + 48 + 16)])


@given(st.binary(max_size=120), st.integers(0, 120), st.booleans())
def test_damage_raises_decode_errors_only(junk: bytes, at: int, by_client: bool) -> None:
    whole = ALICE if by_client else challenge(wide("CORP"), pairs(a1=wide("HQ"), a7=bytes(8)))
    with contextlib.suppress(DecodeError):
        sent(whole[: 12 + at] + junk + whole[12 + at + len(junk) :], by_client=by_client)


def test_flags_by_name_and_the_rest_as_a_number() -> None:
    assert flag_names(0) == ()
    assert flag_names(UNICODE | ESS | 0x8) == (
        "NTLMSSP_NEGOTIATE_UNICODE",
        "NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY",
        "0x00000008",
    )
