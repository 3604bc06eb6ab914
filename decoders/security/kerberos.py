"""What Kerberos shows in the clear when a client comes to a service: RFC 4120 5.5, 5.9.1, and RFC 4121 4.1 around it.

The client's name is not among it: it stands in the ticket, which only the service can open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.errors import Malformed, NotThisFormat
from decoders.limits import MAX_KERBEROS_NAMES
from decoders.security import der
from decoders.security.spnego import KERBEROS, KERBEROS_AS_WINDOWS_2000, initial_token

if TYPE_CHECKING:
    from collections.abc import Callable

_OF_KERBEROS: Final = (KERBEROS, KERBEROS_AS_WINDOWS_2000)
_TOK_ID_BYTES: Final = 2
_AP_REQ, _AP_REP, _KRB_ERROR, _TICKET = (der.APPLICATION + number for number in (14, 15, 30, 1))
_OPTIONS: Final = {1: "use-session-key", 2: "mutual-required"}


@dataclass(frozen=True, slots=True)
class EncryptedData:
    etype: int
    kvno: int | None
    cipher: bytes


@dataclass(frozen=True, slots=True)
class ApReq:
    ap_options: tuple[str, ...]
    realm: str
    sname: str
    """Parts with / between them."""
    ticket: EncryptedData
    authenticator: EncryptedData


@dataclass(frozen=True, slots=True)
class ApRep:
    enc_part: EncryptedData


@dataclass(frozen=True, slots=True)
class KrbError:
    error_code: int
    crealm: str | None
    cname: str | None
    realm: str
    sname: str
    e_text: str | None


KerberosMessage: TypeAlias = ApReq | ApRep | KrbError


def parse_kerberos(token: bytes) -> KerberosMessage:
    """Of a token as GSS-API wraps it, or without: DCE's style is without from the second one on ([MS-KILE] 3.4.5.1).

    Raises NotThisFormat where it is none of the three messages, else Truncated or Malformed.
    """
    message = token
    if token[:1] == bytes([der.APPLICATION]):
        mechanism, inner = initial_token(token)
        if mechanism not in _OF_KERBEROS:
            raise NotThisFormat(f"a token of {mechanism}")
        message = inner[_TOK_ID_BYTES:]
    parse = _PARSERS.get(message[0]) if message else None
    if parse is None:
        raise NotThisFormat("no message of Kerberos that a client and a service exchange")
    return parse(der.members(der.read_element(message).content))


def _ap_req(members: dict[int, bytes]) -> ApReq:
    ticket = der.members(der.content_of(member(members, 3), _TICKET))
    return ApReq(
        _options(der.content_of(member(members, 2), der.BIT_STRING)),
        text(member(ticket, 1)),
        name(member(ticket, 2)),
        _encrypted(member(ticket, 3)),
        _encrypted(member(members, 4)),
    )


def _ap_rep(members: dict[int, bytes]) -> ApRep:
    return ApRep(_encrypted(member(members, 2)))


def _krb_error(members: dict[int, bytes]) -> KrbError:
    return KrbError(
        der.integer(member(members, 6)),
        text(members[7]) if 7 in members else None,
        name(members[8]) if 8 in members else None,
        text(member(members, 9)),
        name(member(members, 10)),
        text(members[11]) if 11 in members else None,
    )


_PARSERS: Final[dict[int, Callable[[dict[int, bytes]], KerberosMessage]]] = {
    _AP_REQ: _ap_req,
    _AP_REP: _ap_rep,
    _KRB_ERROR: _krb_error,
}


def member(members: dict[int, bytes], number: int) -> bytes:
    if number not in members:
        raise Malformed(f"member {number} is missing")
    return members[number]


def text(data: bytes) -> str:
    """GeneralString; what Windows puts there is UTF-8 ([MS-KILE] 2.2)."""
    return der.read_element(data).content.decode("utf-8", "backslashreplace")


def name(data: bytes) -> str:
    parts = list(der.elements(der.content_of(member(der.members(data), 1), der.SEQUENCE)))
    if len(parts) > MAX_KERBEROS_NAMES:
        raise Malformed(f"a name of {len(parts)} parts")
    return "/".join(part.content.decode("utf-8", "backslashreplace") for part in parts)


def _encrypted(data: bytes) -> EncryptedData:
    members = der.members(data)
    return EncryptedData(
        der.integer(member(members, 0)),
        der.integer(members[1]) if 1 in members else None,
        der.content_of(member(members, 2), der.OCTET_STRING),
    )


def _options(content: bytes) -> tuple[str, ...]:
    """Bits count from the highest one; the first byte says how many at the end are not used."""
    bits = int.from_bytes(content[1:5].ljust(4, b"\0"), "big")
    return tuple(name for bit, name in _OPTIONS.items() if bits & 1 << (31 - bit))
