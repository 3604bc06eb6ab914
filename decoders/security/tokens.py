"""An authentication token taken apart: raw, or within SPNEGO."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from decoders.errors import DecodeError, NotThisFormat
from decoders.security.kerberos import KerberosMessage, parse_kerberos
from decoders.security.ntlm import NtlmMessage, find_ntlm
from decoders.security.spnego import NegToken, NegTokenInit, parse_spnego

Message: TypeAlias = NtlmMessage | KerberosMessage


@dataclass(frozen=True, slots=True)
class Token:
    spnego: NegToken | None = None
    message: Message | None = None
    """None: there is none, or of a mechanism that we do not read."""
    problem: str | None = None
    """Why what it seems to be could not be read."""


def read_token(token: bytes, *, from_client: bool) -> Token:
    """Never raises."""
    spnego, inner, problem = None, token, None
    try:
        spnego = parse_spnego(token)
        inner = (spnego.mech_token if isinstance(spnego, NegTokenInit) else spnego.response_token) or b""
    except NotThisFormat:
        pass
    except DecodeError as error:
        # NTLM's own message may be whole all the same: it is told by its signature.
        problem = error.detail
    for parse in (_ntlm, _kerberos):
        try:
            return Token(spnego, parse(inner, from_client), problem)
        except NotThisFormat:
            continue
        except DecodeError as error:
            return Token(spnego, None, problem or error.detail)
    return Token(spnego, None, problem)


def _ntlm(token: bytes, from_client: bool) -> Message:
    return find_ntlm(token, from_client=from_client)


def _kerberos(token: bytes, _: bool) -> Message:
    return parse_kerberos(token)
