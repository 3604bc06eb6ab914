"""Keys and signatures by the values that [MS-NLMP] 4.2 gives for validation."""

from __future__ import annotations

import pytest

from decoders.security.accounts import Account, SecretFit
from decoders.security.keyring import Keyring
from decoders.security.ntlm import AuthenticateMessage, ChallengeMessage, find_ntlm
from decoders.security.ntlm_keys import CannotDerive, SessionKeys, cipher, session_keys
from decoders.security.ntlm_lane import NtlmLane
from decoders.security.sealed_pdu import SealedPdu

ACCOUNT = Account("User", "Domain", "Password")
NT_HASH = bytes.fromhex("a4f49c406510bdcab6824ee7c30fd852")
PLAIN = "Plaintext".encode("utf-16-le")
# 4.2.2.3, 4.2.3.3, 4.2.4.3: CHALLENGE_MESSAGE, AUTHENTICATE_MESSAGE
V1 = (
    """
    4e544c4d53535000020000000c000c0038000000338202e20123456789abcdef0000000000000000000000000000000006007017
    0000000f530065007200760065007200
    """,
    """
    4e544c4d5353500003000000180018006c00000018001800840000000c000c00480000000800080054000000100010005c000000
    100010009c000000358280e20501280a0000000f44006f006d00610069006e00550073006500720043004f004d00500055005400
    4500520098def7b87f88aa5dafe2df779688a172def11c7d5ccdef1367c43011f30298a2ad35ece64f16331c44bdbed927841f94
    518822b1b3f350c8958682ecbb3e3cb7
    """,
)
V1_ESS = (
    """
    4e544c4d53535000020000000c000c003800000033820a820123456789abcdef0000000000000000000000000000000006007017
    0000000f530065007200760065007200
    """,
    """
    4e544c4d5353500003000000180018006c00000018001800840000000c000c00480000000800080054000000100010005c000000
    000000009c000000358208820501280a0000000f44006f006d00610069006e00550073006500720043004f004d00500055005400
    45005200aaaaaaaaaaaaaaaa000000000000000000000000000000007537f803ae367128ca458204bde7caf81e97ed2683267232
    """,
)
V2 = (
    """
    4e544c4d53535000020000000c000c003800000033828ae20123456789abcdef0000000000000000240024004400000006007017
    0000000f53006500720076006500720002000c0044006f006d00610069006e0001000c0053006500720076006500720000000000
    """,
    """
    4e544c4d5353500003000000180018006c00000054005400840000000c000c00480000000800080054000000100010005c000000
    10001000d8000000358288e20501280a0000000f44006f006d00610069006e00550073006500720043004f004d00500055005400
    4500520086c35097ac9cec102554764a57cccc19aaaaaaaaaaaaaaaa68cd0ab851e51c96aabc927bebef6a1c0101000000000000
    0000000000000000aaaaaaaaaaaaaaaa0000000002000c0044006f006d00610069006e0001000c00530065007200760065007200
    0000000000000000c5dad2544fc9799094ce1ce90bc9d03e
    """,
)
EXPORTED = b"U" * 16


def messages(pair: tuple[str, str]) -> tuple[ChallengeMessage, AuthenticateMessage]:
    challenge = find_ntlm(bytes.fromhex(pair[0]), from_client=False)
    authenticate = find_ntlm(bytes.fromhex(pair[1]), from_client=True)
    assert isinstance(challenge, ChallengeMessage)
    assert isinstance(authenticate, AuthenticateMessage)
    return challenge, authenticate


def keys_of(pair: tuple[str, str], account: Account = ACCOUNT) -> SessionKeys:
    found = session_keys(*messages(pair), account)
    assert found is not None
    return found


def test_without_extended_session_security_the_key_is_the_exported_one() -> None:
    """4.2.2.4: impacket's own SEALKEY would cut it."""
    keys = keys_of(V1)
    assert (keys.client, keys.client.sealing) == (keys.server, EXPORTED)


def test_sealing_and_signing_keys_of_the_examples() -> None:
    weak, strong = keys_of(V1_ESS).client, keys_of(V2).client
    assert weak.sealing.hex() == "04dd7f014d8504d265a25cc86a3a7c06"
    assert weak.signing is not None
    assert weak.signing.hex() == "60e799be5c72fc92922ae8ebe961fb8d"
    assert strong.sealing.hex() == "59f600973cc4960a25480a7c196e4c58"
    assert strong.signing is not None
    assert strong.signing.hex() == "4788dc861b4782f35d43fd98fe1a2d39"


@pytest.mark.parametrize(
    ("pair", "data", "signature"),
    [
        (V1, "56fe04d861f9319af0d7238a2e3b4d457fb8", "0100000045c844e509dcd1df2e459d36"),
        (V1_ESS, "a02372f6530273f3aa1eb90190ce5200c99d", "01000000ff2aeb52f681793a00000000"),
        (V2, "54e50165bf1936dc996020c1811b0f06fb5f", "010000007fb38ec5c55d497600000000"),
    ],
)
def test_what_the_examples_seal_is_opened(pair: tuple[str, str], data: str, signature: str) -> None:
    keys = keys_of(pair)
    lane = NtlmLane(cipher(keys.client.sealing), keys.client.signing, key_exchanged=bool(keys.flags & 0x4000_0000))
    sealed = bytes.fromhex(data)
    assert lane.open(SealedPdu(sealed, (0,), len(sealed), bytes.fromhex(signature), sealed=True)) == PLAIN
    assert lane.open(SealedPdu(sealed, (0,), len(sealed), bytes.fromhex(signature), sealed=True)) is None


@pytest.mark.parametrize("pair", [V1, V1_ESS, V2])
def test_a_hash_does_what_a_password_does(pair: tuple[str, str]) -> None:
    assert keys_of(pair, Account("User", nt_hash=NT_HASH)) == keys_of(pair)
    assert session_keys(*messages(pair), Account("User", "Domain", "password")) is None


@pytest.mark.parametrize(
    ("flag", "exchanged"),
    [(0x80, "4cd7bb57d697ef9b549f02b8f9b37864"), (0x0040_0000, "7452ca55c225a1ca04b48fae32cf56fc")],
)
def test_session_keys_made_of_the_lm_hash(flag: int, exchanged: str) -> None:
    """4.2.2.2.3."""
    whole = bytes.fromhex(V1[1])
    flags = (int.from_bytes(whole[60:64], "little") & ~0x80_0000 | flag).to_bytes(4, "little")
    pair = V1[0], (whole[:60] + flags + whole[64:-16] + bytes.fromhex(exchanged)).hex()
    sealing = keys_of(pair).client.sealing
    assert sealing == (EXPORTED[:7] + b"\xa0" if flag == 0x80 else EXPORTED)
    with pytest.raises(CannotDerive):
        session_keys(*messages(pair), Account("User", nt_hash=NT_HASH))
    assert Keyring([Account("User", nt_hash=NT_HASH)]).of_ntlm(*messages(pair)).verdict is SecretFit.UNUSABLE


def test_an_odd_session_key_is_told() -> None:
    whole = bytes.fromhex(V2[1])
    pair = V2[0], (whole[:52] + (8).to_bytes(2, "little") + whole[54:]).hex()
    found = Keyring([ACCOUNT]).of_ntlm(*messages(pair))
    assert (found.verdict, found.why) == (SecretFit.UNUSABLE, "a session key of 8 bytes")


def test_secrets_are_not_shown() -> None:
    shown = repr((ACCOUNT, Account("User", nt_hash=NT_HASH), keys_of(V2)))
    assert "Password" not in shown
    assert "\\xa4" not in shown
    assert "Y\\xf6" not in shown
