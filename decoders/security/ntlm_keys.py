"""Keys of an NTLM session from an account's secret: [MS-NLMP] 3.3, 3.4.5. impacket has the ciphers.

impacket stops short of the specification in two places, which are done here: without extended session security the
sealing key is cut only if NTLMSSP_NEGOTIATE_LM_KEY is set (3.4.5.3), and that flag's key exchange key (3.4.5.1).
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from impacket import ntlm

from decoders.security.ntlm_names import NtlmFlag, NtlmVersion

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.security.accounts import Account
    from decoders.security.ntlm import AuthenticateMessage, ChallengeMessage

_KEY_BYTES: Final = 16
_PROOF_BYTES: Final = 16
_CLIENT_CHALLENGE: Final = slice(0, 8)
_impacket: Any = ntlm


class CannotDerive(Exception):
    """The text says why a secret, right or wrong, gives no keys."""


@dataclass(frozen=True, slots=True)
class WayKeys:
    """Of one direction."""

    signing: bytes | None = field(repr=False)
    """None without extended session security."""
    sealing: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SessionKeys:
    flags: int
    client: WayKeys
    server: WayKeys


def cipher(key: bytes) -> Callable[[bytes], bytes]:
    """RC4; each call goes on where the last one ended."""
    found: Callable[[bytes], bytes] = _impacket.ARC4.new(key).encrypt
    return found


def session_keys(
    challenge: ChallengeMessage, authenticate: AuthenticateMessage, account: Account | None
) -> SessionKeys | None:
    """None: the client proved itself with another secret. `account` is None for an anonymous client."""
    flags = authenticate.NegotiateFlags
    exchange = _key_exchange_key(challenge, authenticate, account)
    if exchange is None:
        return None
    exported = exchange
    if flags & NtlmFlag.KEY_EXCH and flags & (NtlmFlag.SIGN | NtlmFlag.SEAL):
        if len(authenticate.EncryptedRandomSessionKey) != _KEY_BYTES:
            raise CannotDerive(f"a session key of {len(authenticate.EncryptedRandomSessionKey)} bytes")
        exported = cipher(exchange)(authenticate.EncryptedRandomSessionKey)
    return SessionKeys(flags, _way(flags, exported, "Client"), _way(flags, exported, "Server"))


def _way(flags: int, exported: bytes, mode: str) -> WayKeys:
    if not flags & (NtlmFlag.EXTENDED_SESSIONSECURITY | NtlmFlag.LM_KEY):
        return WayKeys(None, exported)
    return WayKeys(_impacket.SIGNKEY(flags, exported, mode), _impacket.SEALKEY(flags, exported, mode))


def _key_exchange_key(
    challenge: ChallengeMessage, authenticate: AuthenticateMessage, account: Account | None
) -> bytes | None:
    version = authenticate.version
    if version is NtlmVersion.ANONYMOUS:
        # 3.2.5.1.2: for nobody in particular the key is zeros.
        return bytes(_KEY_BYTES)
    if account is None:
        return None
    if version is NtlmVersion.LM:
        raise CannotDerive("the client answered with LmChallengeResponse only")
    nt_hash: bytes = account.nt_hash or _impacket.compute_nthash(account.password or "")
    if version is NtlmVersion.V2:
        return _of_v2(challenge.ServerChallenge, authenticate, nt_hash)
    asked = challenge.ServerChallenge
    if version is NtlmVersion.V1_ESS:
        both = asked + authenticate.LmChallengeResponse[_CLIENT_CHALLENGE]
        asked = hashlib.md5(both, usedforsecurity=False).digest()[:8]
    if _impacket.get_ntlmv1_response(nt_hash, asked) != authenticate.NtChallengeResponse:
        return None
    base: bytes = _impacket.generateSessionKeyV1("", "", nt_hash)
    if version is NtlmVersion.V1_ESS:
        return hmac.digest(base, both, "md5")
    return _of_v1(authenticate, base, account)


def _of_v2(asked: bytes, authenticate: AuthenticateMessage, nt_hash: bytes) -> bytes | None:
    response = authenticate.NtChallengeResponse
    proof, rest = response[:_PROOF_BYTES], response[_PROOF_BYTES:]
    # 3.2.5.1.2: servers put up with clients that leave the domain out of the calculation.
    for domain in (authenticate.DomainName, ""):
        key: bytes = _impacket.NTOWFv2(authenticate.UserName, "", domain, nt_hash)
        if hmac.compare_digest(hmac.digest(key, asked + rest, "md5"), proof):
            return hmac.digest(key, proof, "md5")
    return None


def _of_v1(authenticate: AuthenticateMessage, base: bytes, account: Account) -> bytes:
    flags = authenticate.NegotiateFlags
    if not flags & (NtlmFlag.LM_KEY | NtlmFlag.NON_NT_SESSION_KEY):
        return base
    if account.password is None:
        raise CannotDerive("the session key is made of the LM hash: the password is needed")
    lm_hash: bytes = _impacket.compute_lmhash(account.password)
    if not flags & NtlmFlag.LM_KEY:
        return lm_hash[:8] + bytes(8)
    answered = authenticate.LmChallengeResponse[:8]
    if len(answered) < 8:
        raise CannotDerive("an LmChallengeResponse that is too short")
    halves = lm_hash[:7], lm_hash[7:8] + b"\xbd" * 6
    # The function makes three blocks of a key of 16 bytes, the first of which is that of its first 7.
    return b"".join(_impacket.ntlmssp_DES_encrypt(half.ljust(_KEY_BYTES, b"\0"), answered)[:8] for half in halves)
