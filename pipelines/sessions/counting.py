"""Why the counts of a session may be too low."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.sessions.model import SessionState

if TYPE_CHECKING:
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_COUNTED: Final = frozenset((v.PURGE, v.REMOTE_PURGE, v.AC_PURGE, v.AC_SEND, v.MOVE))
"""Where it succeeded."""


def note_unanswered(step: CallStep) -> None:
    """What nobody is seen to answer may succeed; the session may be closed before that is known."""
    call, session = step.call, step.session
    if session is not None and call.unknown and call.method in _COUNTED:
        session.uncounted = Reason.RESPONSE_NOT_CAPTURED


def counts_doubt(session: Session) -> Reason | None:
    """Asked when it is over. Where the capture ended first, its state says so."""
    if session.uncounted is not None or session.opened is None:
        return session.uncounted or Reason.OPEN_NOT_SEEN
    missed = session.blind_since(session.opened.until)
    return None if missed is Reason.CAPTURE_ENDED and session.state is SessionState.OPEN_AT_END else missed
