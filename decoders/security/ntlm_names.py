"""NegotiateFlags by name, and what an AUTHENTICATE_MESSAGE proves itself with: [MS-NLMP] 2.2.2.5, 3.3."""

from __future__ import annotations

import enum
from typing import Final


class NtlmFlag(enum.IntFlag):
    UNICODE = 0x0000_0001
    SIGN = 0x0000_0010
    SEAL = 0x0000_0020
    LM_KEY = 0x0000_0080
    EXTENDED_SESSIONSECURITY = 0x0008_0000
    NON_NT_SESSION_KEY = 0x0040_0000
    VERSION = 0x0200_0000
    KEY_EXCH = 0x4000_0000


NEGOTIATE_FLAGS: Final = {
    0x0000_0001: "NTLMSSP_NEGOTIATE_UNICODE",
    0x0000_0002: "NTLM_NEGOTIATE_OEM",
    0x0000_0004: "NTLMSSP_REQUEST_TARGET",
    0x0000_0010: "NTLMSSP_NEGOTIATE_SIGN",
    0x0000_0020: "NTLMSSP_NEGOTIATE_SEAL",
    0x0000_0040: "NTLMSSP_NEGOTIATE_DATAGRAM",
    0x0000_0080: "NTLMSSP_NEGOTIATE_LM_KEY",
    0x0000_0200: "NTLMSSP_NEGOTIATE_NTLM",
    # The document gives bit J no name; this one is Samba's and Wireshark's.
    0x0000_0800: "NTLMSSP_NEGOTIATE_ANONYMOUS",
    0x0000_1000: "NTLMSSP_NEGOTIATE_OEM_DOMAIN_SUPPLIED",
    0x0000_2000: "NTLMSSP_NEGOTIATE_OEM_WORKSTATION_SUPPLIED",
    0x0000_8000: "NTLMSSP_NEGOTIATE_ALWAYS_SIGN",
    0x0001_0000: "NTLMSSP_TARGET_TYPE_DOMAIN",
    0x0002_0000: "NTLMSSP_TARGET_TYPE_SERVER",
    0x0008_0000: "NTLMSSP_NEGOTIATE_EXTENDED_SESSIONSECURITY",
    0x0010_0000: "NTLMSSP_NEGOTIATE_IDENTIFY",
    0x0040_0000: "NTLMSSP_REQUEST_NON_NT_SESSION_KEY",
    0x0080_0000: "NTLMSSP_NEGOTIATE_TARGET_INFO",
    0x0200_0000: "NTLMSSP_NEGOTIATE_VERSION",
    0x2000_0000: "NTLMSSP_NEGOTIATE_128",
    0x4000_0000: "NTLMSSP_NEGOTIATE_KEY_EXCH",
    0x8000_0000: "NTLMSSP_NEGOTIATE_56",
}
_NAMED: Final = sum(NEGOTIATE_FLAGS)


class NtlmVersion(enum.StrEnum):
    LM = "lm"
    """LmChallengeResponse alone."""
    V1 = "v1"
    V1_ESS = "v1_ess"
    """With extended session security: the client adds a challenge of its own."""
    V2 = "v2"
    ANONYMOUS = "anonymous"


def flag_names(flags: int) -> tuple[str, ...]:
    """A name a bit, lowest first; bits without a name stand together at the end, in hexadecimal."""
    named = tuple(name for bit, name in NEGOTIATE_FLAGS.items() if flags & bit)
    unnamed = flags & ~_NAMED
    return (*named, f"0x{unnamed:08X}") if unnamed else named
