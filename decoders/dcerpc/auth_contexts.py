"""Security contexts of a connection and who is behind them: [MS-RPCE] 3.3.1.5.2, 3.3.1.5.4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.errors import DecodeError, NotThisFormat
from decoders.limits import MAX_AUTH_CONTEXTS
from decoders.security.ntlm import NtlmIdentity, find_authenticate

if TYPE_CHECKING:
    from decoders.dcerpc.security_trailer import SecurityTrailer

_CONNECT: Final = (0, 2)
"""RPC_C_AUTHN_LEVEL_DEFAULT means CONNECT."""
_PRIVACY: Final = 6


@dataclass(slots=True)
class AuthContext:
    auth_context_id: int
    auth_type: int
    auth_level: int
    identity: NtlmIdentity | None = None


class AuthContexts:
    __slots__ = ("_levels", "contexts")

    def __init__(self) -> None:
        self.contexts: dict[int, AuthContext] = {}
        self._levels: set[int] = set()
        """Seen in any trailer."""

    def note_level(self, auth_level: int) -> None:
        self._levels.add(auth_level)

    @property
    def may_seal(self) -> bool:
        """Whether a PDU whose trailer is missing may be sealed. It may where nothing is known: no guess at a stub."""
        return not self._levels or _PRIVACY in self._levels

    def leg(self, security: SecurityTrailer, *, from_client: bool) -> str | None:
        """A token of bind, alter_context, their answers or auth3. What is wrong with it, if anything."""
        self.note_level(security.auth_level)
        known = self.contexts.get(security.auth_context_id)
        if known is None:
            if len(self.contexts) >= MAX_AUTH_CONTEXTS:
                return "more security contexts than a client may build"
            known = AuthContext(security.auth_context_id, security.auth_type, security.auth_level)
            self.contexts[security.auth_context_id] = known
        if from_client:
            known.auth_type, known.auth_level = security.auth_type, security.auth_level
            try:
                known.identity = find_authenticate(security.token)
            except NotThisFormat:
                return None
            except DecodeError as error:
                return error.detail
        return None

    def of(self, security: SecurityTrailer | None) -> AuthContext | None:
        """The context of a request. Without a trailer it is the only one there is, where that has level CONNECT."""
        if security is not None:
            known = self.contexts.get(security.auth_context_id)
            identity = None if known is None else known.identity
            return AuthContext(security.auth_context_id, security.auth_type, security.auth_level, identity)
        if len(self.contexts) == 1:
            only = next(iter(self.contexts.values()))
            return only if only.auth_level in _CONNECT else None
        return None
