"""The negotiation around other mechanisms' tokens: RFC 4178 4.2, and [MS-SPNG] 2.2.1 for NegTokenInit2.

Names of members are the RFC's in our spelling: mechListMIC is mech_list_mic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

from decoders.errors import Malformed, NotThisFormat
from decoders.limits import MAX_MECHANISMS
from decoders.security import der

SPNEGO: Final = "1.3.6.1.5.5.2"
NTLM: Final = "1.3.6.1.4.1.311.2.2.10"
KERBEROS: Final = "1.2.840.113554.1.2.2"
KERBEROS_AS_WINDOWS_2000: Final = "1.2.840.48018.1.2.2"
"""One bit was lost in it, and all have to understand it since: [MS-SPNG] 3.1.5.2."""
MECHANISMS: Final = {
    NTLM: "ntlm",
    KERBEROS: "kerberos",
    KERBEROS_AS_WINDOWS_2000: "kerberos_ms",
    "1.2.840.113554.1.2.2.3": "kerberos_user_to_user",
    "1.3.6.1.4.1.311.2.2.30": "negoex",
    SPNEGO: "spnego",
}

ACCEPT_COMPLETED, ACCEPT_INCOMPLETE, REJECT, REQUEST_MIC = range(4)
NEG_STATES: Final = {
    ACCEPT_COMPLETED: "accept-completed",
    ACCEPT_INCOMPLETE: "accept-incomplete",
    REJECT: "reject",
    REQUEST_MIC: "request-mic",
}
_INIT, _RESP = der.CONTEXT, der.CONTEXT + 1


@dataclass(frozen=True, slots=True)
class NegTokenInit:
    mech_types: tuple[str, ...]
    mech_token: bytes | None
    mech_list_mic: bytes | None


@dataclass(frozen=True, slots=True)
class NegTokenResp:
    neg_state: int | None
    supported_mech: str | None
    response_token: bytes | None
    mech_list_mic: bytes | None


NegToken: TypeAlias = NegTokenInit | NegTokenResp


def parse_spnego(token: bytes) -> NegToken:
    """Raises NotThisFormat where the token is none of SPNEGO's, else Truncated or Malformed."""
    if token[:1] == bytes([_RESP]):
        return _resp(der.members(der.read_element(token).content))
    mechanism, inner = initial_token(token)
    if mechanism != SPNEGO:
        raise NotThisFormat(f"a token of {mechanism}")
    return _init(der.members(der.content_of(inner, _INIT)))


def initial_token(token: bytes) -> tuple[str, bytes]:
    """The mechanism's identifier, and what follows it: RFC 2743 3.1."""
    if token[:1] != bytes([der.APPLICATION]):
        raise NotThisFormat("no initial token of GSS-API")
    content = der.read_element(token).content
    mechanism = der.read_element(content)
    if mechanism.tag != der.OID:
        raise NotThisFormat("no mechanism's identifier")
    return der.object_identifier(mechanism.content), content[mechanism.end :]


def _init(members: dict[int, bytes]) -> NegTokenInit:
    mechanisms = [one.content for one in der.elements(der.content_of(members.get(0, b""), der.SEQUENCE))]
    if len(mechanisms) > MAX_MECHANISMS:
        raise Malformed(f"{len(mechanisms)} mechanisms")
    # In NegTokenInit2 3 is negHints, a SEQUENCE, and the MIC is 4.
    mic = members.get(4, members.get(3, b""))
    return NegTokenInit(
        tuple(map(der.object_identifier, mechanisms)),
        _octets(members.get(2, b"")),
        None if mic[:1] == b"0" else _octets(mic),
    )


def _resp(members: dict[int, bytes]) -> NegTokenResp:
    mechanism = members.get(1)
    return NegTokenResp(
        der.integer(members[0], der.ENUMERATED) if 0 in members else None,
        None if mechanism is None else der.object_identifier(der.content_of(mechanism, der.OID)),
        _octets(members.get(2, b"")),
        _octets(members.get(3, b"")),
    )


def _octets(data: bytes) -> bytes | None:
    return der.content_of(data, der.OCTET_STRING) if data else None
