"""NTLM's three messages: [MS-NLMP] 2.2.1."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from decoders.errors import DecodeError, Malformed, NotThisFormat, Truncated
from decoders.limits import MAX_NTLM_NAME_BYTES, MAX_NTLM_SIGNATURES
from decoders.security.av_pairs import MIC_PROVIDED, AvPairs, parse_av_pairs
from decoders.security.ntlm_names import NtlmFlag, NtlmVersion

if TYPE_CHECKING:
    from collections.abc import Callable

_SIGNATURE: Final = b"NTLMSSP\0"
_NEGOTIATE, _CHALLENGE, _AUTHENTICATE = 1, 2, 3
_NEGOTIATE_BYTES: Final = 16
_CHALLENGE_BYTES: Final = 32
"""Up to ServerChallenge: Windows NT ended it there."""
_AUTHENTICATE_BYTES: Final = 64
"""Up to and with NegotiateFlags; Version, MIC and payload follow in most messages."""
_OEM: Final = "cp1252"
"""The OEM character set is agreed elsewhere; this one shows ASCII right, and "backslashreplace" hides nothing."""
_VERSION: Final = struct.Struct("<BBHxxxB")
_V1_RESPONSE_BYTES: Final = 24
_V2_PAIRS_AT: Final = 44
"""NTLMv2_RESPONSE: 16 bytes of proof, then 28 of NTLMv2_CLIENT_CHALLENGE in front of its AvPairs."""


class Version(NamedTuple):
    """Of the operating system, as it says: 2.2.2.10."""

    ProductMajorVersion: int
    ProductMinorVersion: int
    ProductBuild: int
    NTLMRevisionCurrent: int


@dataclass(frozen=True, slots=True)
class NegotiateMessage:
    NegotiateFlags: int
    DomainName: str
    WorkstationName: str
    Version: Version | None


@dataclass(frozen=True, slots=True)
class ChallengeMessage:
    TargetName: str
    NegotiateFlags: int
    ServerChallenge: bytes
    TargetInfo: AvPairs
    Version: Version | None
    problem: str | None = None
    """What is wrong with TargetInfo, which is empty then."""


@dataclass(frozen=True, slots=True)
class AuthenticateMessage:
    """What the client claims. Whether the server believed it is another matter."""

    LmChallengeResponse: bytes
    NtChallengeResponse: bytes
    DomainName: str
    UserName: str
    Workstation: str
    EncryptedRandomSessionKey: bytes
    NegotiateFlags: int
    Version: Version | None
    AvPairs: AvPairs
    """Of the NTLMv2_CLIENT_CHALLENGE."""
    problem: str | None = None
    """What is wrong with AvPairs, which are empty then."""

    @property
    def version(self) -> NtlmVersion:
        if not self.NtChallengeResponse:
            # 3.2.5.1.2: nobody in particular answers nothing, or a zero.
            return NtlmVersion.LM if self.UserName or len(self.LmChallengeResponse) > 1 else NtlmVersion.ANONYMOUS
        if len(self.NtChallengeResponse) > _V1_RESPONSE_BYTES:
            return NtlmVersion.V2
        return NtlmVersion.V1_ESS if self.NegotiateFlags & NtlmFlag.EXTENDED_SESSIONSECURITY else NtlmVersion.V1

    @property
    def has_mic(self) -> bool:
        return bool((self.AvPairs.MsvAvFlags or 0) & MIC_PROVIDED)

    @property
    def key_exchanged(self) -> bool:
        return bool(self.NegotiateFlags & NtlmFlag.KEY_EXCH and self.EncryptedRandomSessionKey)


NtlmMessage: TypeAlias = NegotiateMessage | ChallengeMessage | AuthenticateMessage


def find_ntlm(token: bytes, *, from_client: bool) -> NtlmMessage:
    """The last message in a token that this side sends, raw or wrapped in whatever way.

    Raises NotThisFormat where there is none, else DecodeError.
    """
    kinds = (_AUTHENTICATE, _NEGOTIATE) if from_client else (_CHALLENGE,)
    found: dict[int, int] = {}
    at = token.find(_SIGNATURE)
    for _ in range(MAX_NTLM_SIGNATURES):
        if at < 0:
            break
        found[int.from_bytes(token[at + 8 : at + 12], "little")] = at
        at = token.find(_SIGNATURE, at + 1)
    for kind in kinds:
        if kind in found:
            return _PARSERS[kind](token[found[kind] :])
    raise NotThisFormat("no NTLM message in the token")


def _negotiate(message: bytes) -> NegotiateMessage:
    if len(message) < _NEGOTIATE_BYTES:
        raise Truncated("the NEGOTIATE_MESSAGE ends inside its fixed part", len(message))
    flags = _number(message, 12)
    # Some clients leave the names out altogether, and some announce them and send none.
    domain, workstation = (_text(message, at, _OEM, 32) if len(message) >= 32 else "" for at in (16, 24))
    return NegotiateMessage(flags, domain, workstation, _version(message, 32, flags))


def _challenge(message: bytes) -> ChallengeMessage:
    if len(message) < _CHALLENGE_BYTES:
        raise Truncated("the CHALLENGE_MESSAGE ends inside its fixed part", len(message))
    flags = _number(message, 20)
    target = _text(message, 12, _codec(flags), _CHALLENGE_BYTES)
    pairs, problem = _target_info(message) if len(message) >= 48 else (AvPairs(), None)
    return ChallengeMessage(target, flags, message[24:32], pairs, _version(message, 48, flags), problem)


def _authenticate(message: bytes) -> AuthenticateMessage:
    if len(message) < _AUTHENTICATE_BYTES:
        raise Truncated("the AUTHENTICATE_MESSAGE ends inside its fixed part", len(message))
    flags = _number(message, 60)
    lm, nt, key = (_payload(message, at, _AUTHENTICATE_BYTES) for at in (12, 20, 52))
    domain, user, workstation = (_text(message, at, _codec(flags), _AUTHENTICATE_BYTES) for at in (28, 36, 44))
    pairs, problem = _pairs(nt[_V2_PAIRS_AT:] if len(nt) > _V1_RESPONSE_BYTES else b"")
    version = _version(message, 64, flags)
    return AuthenticateMessage(lm, nt, domain, user, workstation, key, flags, version, pairs, problem)


_PARSERS: Final[dict[int, Callable[[bytes], NtlmMessage]]] = {
    _NEGOTIATE: _negotiate,
    _CHALLENGE: _challenge,
    _AUTHENTICATE: _authenticate,
}


def _number(message: bytes, at: int) -> int:
    return int.from_bytes(message[at : at + 4], "little")


def _codec(flags: int) -> str:
    return "utf-16-le" if flags & NtlmFlag.UNICODE else _OEM


def _text(message: bytes, field: int, codec: str, fixed: int) -> str:
    value = _payload(message, field, fixed)
    if len(value) > MAX_NTLM_NAME_BYTES:
        raise Malformed(f"a name of {len(value)} bytes", field)
    return value.decode(codec, "backslashreplace")


def _payload(message: bytes, field: int, fixed: int) -> bytes:
    length, _, at = struct.unpack_from("<HHI", message, field)
    if not length:
        return b""
    if at < fixed or at + length > len(message):
        raise Malformed("a field outside the message", field)
    return message[at : at + length]


def _target_info(message: bytes) -> tuple[AvPairs, str | None]:
    try:
        return _pairs(_payload(message, 40, _CHALLENGE_BYTES))
    except DecodeError as error:
        return AvPairs(), error.detail


def _pairs(data: bytes) -> tuple[AvPairs, str | None]:
    if not data:
        return AvPairs(), None
    try:
        return parse_av_pairs(data), None
    except DecodeError as error:
        return AvPairs(), error.detail


def _version(message: bytes, at: int, flags: int) -> Version | None:
    if not flags & NtlmFlag.VERSION or len(message) < at + _VERSION.size:
        return None
    found = Version(*_VERSION.unpack_from(message, at))
    return found if any(found) else None
