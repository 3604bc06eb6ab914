"""[MS-MQMP], the client: what was opened is closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.rules.left_open import left_open
from pipelines.rules.model import Level, Party, Rule, Subject
from pipelines.sessions.model import SessionState

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import SessionStep


def _handle_closed(step: SessionStep) -> Answer:
    session = step.session
    if session.closed is not None or session.close_asked:
        return True
    if session.opened is None:
        return Reason.OPEN_NOT_SEEN
    if session.state is SessionState.RUNDOWN:
        shown = {"handle": session.handle, "queue": session.queue_name}
        return left_open(session.severance, session.doubt, shown, session.opened)
    return session.doubt or Reason.CAPTURE_ENDED


RULES: Final = (
    Rule(
        "mqmp-handle-closed",
        "An opened queue was not closed",
        "MS-MQMP",
        "2.2.1.1.2, 2.2.1.1.3, 3.2.4.7",
        "A client closes with rpc_ACCloseHandle what rpc_QMOpenQueueInternal opened, and with "
        "R_QMCloseRemoteQueueContext what R_QMOpenRemoteQueue did.",
        "MUST",
        Party.CLIENT,
        Level.LOW,
        subject=Subject.SESSION,
        check=_handle_closed,
        undecidable_when="the association was not seen to end, or anything between the two hosts was missed meanwhile",
    ),
)
