"""Who an NTLM AUTHENTICATE_MESSAGE says it is: [MS-NLMP] 2.2.1.3."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from decoders.errors import Malformed, NotThisFormat, Truncated
from decoders.limits import MAX_NTLM_NAME_BYTES, MAX_NTLM_SIGNATURES

_SIGNATURE: Final = b"NTLMSSP\0"
_AUTHENTICATE: Final = 3
_FIXED_BYTES: Final = 64
"""Up to and with NegotiateFlags; Version, MIC and payload follow in most messages."""
_UNICODE: Final = 0x0000_0001
_FIELDS: Final = {"domain": 28, "username": 36, "workstation": 44}


@dataclass(frozen=True, slots=True)
class NtlmIdentity:
    """What the client claims. Whether the server believed it is another matter."""

    username: str
    domain: str
    workstation: str
    anonymous: bool
    """[MS-NLMP] 3.2.5.1.2: no user name and no NtChallengeResponse."""


def find_authenticate(token: bytes) -> NtlmIdentity:
    """The message in a token, raw or wrapped (SPNEGO). Raises NotThisFormat where there is none, else DecodeError."""
    at = token.find(_SIGNATURE)
    for _ in range(MAX_NTLM_SIGNATURES):
        if at < 0:
            break
        if token[at + 8 : at + 12] == struct.pack("<I", _AUTHENTICATE):
            return _identity(token[at:])
        at = token.find(_SIGNATURE, at + 1)
    raise NotThisFormat("no NTLM AUTHENTICATE_MESSAGE in the token")


def _identity(message: bytes) -> NtlmIdentity:
    if len(message) < _FIXED_BYTES:
        raise Truncated("the AUTHENTICATE_MESSAGE ends inside its fixed part", len(message))
    flags = struct.unpack_from("<I", message, 60)[0]
    codec = "utf-16-le" if flags & _UNICODE else "cp1252"
    names = {name: _text(message, at, codec) for name, at in _FIELDS.items()}
    nt_response = struct.unpack_from("<H", message, 20)[0]
    return NtlmIdentity(**names, anonymous=not names["username"] and not nt_response)


def _text(message: bytes, field: int, codec: str) -> str:
    # The OEM character set is agreed elsewhere; cp1252 shows ASCII right, and "backslashreplace" hides nothing.
    length, _, at = struct.unpack_from("<HHI", message, field)
    if not length:
        return ""
    if length > MAX_NTLM_NAME_BYTES:
        raise Malformed(f"a name of {length} bytes", field)
    if at < _FIXED_BYTES or at + length > len(message):
        raise Malformed("a name outside the message", field)
    return message[at : at + length].decode(codec, "backslashreplace")
