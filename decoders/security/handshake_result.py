"""What the given secrets made of one handshake."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.security.accounts import SecretFit
    from decoders.security.sealed_pdu import Lane


class Client(NamedTuple):
    """Who calls, as NTLM says in the clear and Kerberos in the ticket."""

    username: str
    domain: str
    workstation: str | None = None
    logged_on: int | None = None
    """Seconds since 1970, as a ticket says when its domain controller saw the client; `until`: when the ticket ends."""
    until: int | None = None

    @property
    def is_nobody(self) -> bool:
        """[MS-NLMP] 3.2.5.1.2, RFC 8062: the anonymous user has no name, or that one. A guest needs no password."""
        return self.username.lower() in _NOBODY


_NOBODY: Final = frozenset(("", "guest", "wellknown/anonymous"))
_NONE: Final[Mapping[bool, Lane]] = MappingProxyType({})


class HandshakeResult(NamedTuple):
    verdict: SecretFit | None
    """None: no secret is given for the account, or for the service."""
    lanes: Mapping[bool, Lane] = _NONE
    """By whether the client sends."""
    whose: str = ""
    why: str = ""
    client: Client | None = None
    """Where only the secret shows it."""
