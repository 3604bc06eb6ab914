"""How a call is authenticated, and whether the capture proves it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcerpc.names import AUTH_LEVEL
from pipelines.facts.reasons import Reason
from pipelines.rules.engine import unreadable
from pipelines.rules.model import REQUEST

if TYPE_CHECKING:
    from pipelines.sessions.steps import CallStep

_STRENGTHS: Final = {None: 0, 1: 0, 0: 2, 3: 4}
"""[MS-RPCE] 2.2.1.1.8: NONE is none at all, DEFAULT means CONNECT, CALL means PKT."""


def strength(auth_level: int | None) -> int:
    """0 for no authentication; the more the better."""
    return _STRENGTHS.get(auth_level, auth_level or 0)


def level_shown(auth_level: int | None) -> str:
    return "none" if auth_level is None else AUTH_LEVEL.get(auth_level, str(auth_level))


def unauthenticated(step: CallStep) -> bool | Reason:
    """Whether the call carries no authentication; a Reason where it only looks like that."""
    if strength(step.call.auth_level):
        return False
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
    if reason is not None:
        return reason
    if step.connection is None or step.connection.fact.midstream:
        return Reason.STARTED_MIDSTREAM
    return step.blind_since(step.connection.fact.began)
