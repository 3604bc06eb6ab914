"""How a call is authenticated, and whether the capture proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.names import AUTH_LEVEL
from pipelines.facts.reasons import Reason
from pipelines.rules.model import REQUEST
from pipelines.rules.plans import unreadable

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact
    from pipelines.sessions.steps import CallStep

_CONNECT: Final = 2
_STRENGTHS: Final = {None: 0, 1: 0, 0: 2, 3: 4}
"""[MS-RPCE] 2.2.1.1.8: NONE is none at all, DEFAULT means CONNECT, CALL means PKT."""


def strength(auth_level: int | None) -> int:
    """0 for no authentication; the more the better."""
    return _STRENGTHS.get(auth_level, auth_level or 0)


def level_shown(auth_level: int | None) -> str:
    return "none" if auth_level is None else AUTH_LEVEL.get(auth_level, str(auth_level))


def unauthenticated(step: CallStep) -> bool | Reason:
    """Whether the call carries no authentication, or nobody's; a Reason where it only looks like that, or may be so."""
    call = step.call
    if strength(call.auth_level):
        if call.authenticated is None:
            # The token that names the caller is missing, or of a provider whose tokens say nothing.
            return _missed(step) or False
        if call.authenticated or strength(call.auth_level) > _CONNECT:
            return not call.authenticated
        # Requests need no trailer: another context may have been negotiated out of sight.
        return unproven(step) or True
    binds = step.connection.fact.binds if step.connection else ()
    if any(strength(bind.auth_level) for bind in binds):
        # At level connect the requests themselves show nothing.
        return False
    return unproven(step) or True


def unproven(step: CallStep) -> Reason | None:
    """Why a call may be better protected than it looks.

    Its trailer may be cut off, and at level connect there need not be one ([MS-RPCE] 3.3.1.5.4): then a negotiation
    that was not captured decides.
    """
    reason = unreadable(step.call, REQUEST)
    return reason or _missed(step)


def nobody_shown(call: CallFact) -> dict[str, str]:
    """Whose authentication it is, where it has one that is nobody's."""
    return {"user": call.username or "anonymous"} if call.authenticated is False else {}


def _missed(step: CallStep) -> Reason | None:
    """Why a negotiation may have been out of sight."""
    if step.connection is None or step.connection.fact.midstream:
        return Reason.STARTED_MIDSTREAM
    return step.blind_since(step.connection.fact.began)
