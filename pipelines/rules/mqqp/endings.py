"""[MS-MQQP], the client: what was begun is brought to an end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.rules.left_open import left_open
from pipelines.rules.model import Broken, Level, Party, Rule, Subject
from pipelines.rules.shown import hexadecimal
from pipelines.sessions.model import ReadOutcome, SessionState

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import ReadStep, SessionStep

_COMPLETED: Final = frozenset((ReadOutcome.ACKED, ReadOutcome.NACKED, ReadOutcome.CANCELLED))


def _receive_completed(step: ReadStep) -> Answer:
    read = step.read
    if not read.is_receive or read.start is None:
        return None
    if read.outcome in _COMPLETED or read.end_asked is not None:
        return True
    if read.handle is None:
        # Nothing was received: nothing to complete.
        return read.doubt if read.outcome is ReadOutcome.UNFINISHED else None
    if read.outcome is ReadOutcome.RUNDOWN:
        shown = {"dwRequestID": read.request_id, "pphContext": read.handle}
        return left_open(read.severance, read.doubt, shown, read.start)
    return (read.doubt or Reason.CAPTURE_ENDED) if read.outcome is ReadOutcome.UNFINISHED else None


def _queue_closed(step: SessionStep) -> Answer:
    session = step.session
    if session.closed is not None or session.close_asked:
        return True
    if session.opened is None:
        return Reason.OPEN_NOT_SEEN
    if session.handle is None:
        # The server gave nothing to close it with.
        return None
    if session.state is SessionState.RUNDOWN:
        shown = {"hQueue": hexadecimal(session.queue_handle), "phContext": session.handle}
        return left_open(session.severance, session.doubt, shown, session.opened)
    return session.doubt or Reason.CAPTURE_ENDED


def _cursor_closed(step: SessionStep) -> Answer:
    session = step.session
    if not session.cursors:
        return True if session.cursors_closed else None
    if session.opened is None:
        return Reason.OPEN_NOT_SEEN
    if session.closed is None and session.state is not SessionState.RUNDOWN:
        return session.doubt or Reason.CAPTURE_ENDED
    reason = session.doubt or session.blind_since(session.opened.until)
    shown = {"hCursor": ", ".join(map(hexadecimal, session.cursors))}
    return (reason or Broken(shown)) if session.closed else left_open(session.severance, reason, shown)


RULES: Final = (
    Rule(
        "mqqp-receive-completed",
        "A received message was neither acknowledged nor cancelled",
        "MS-MQQP",
        "3.1.4.1, 3.1.4.2",
        "Every successful receive is followed by RemoteQMEndReceive, or cancelled by RemoteQMCancelReceive.",
        "MUST",
        Party.CLIENT,
        Level.LOW,
        subject=Subject.READ,
        check=_receive_completed,
        undecidable_when="the association was not seen to end, or anything between the two hosts was missed meanwhile",
    ),
    Rule(
        "mqqp-queue-closed",
        "An opened queue was not closed",
        "MS-MQQP",
        "2.2.1.1, 3.1.4.4",
        "A client closes with RemoteQMCloseQueue what it opened.",
        "MUST",
        Party.CLIENT,
        Level.LOW,
        subject=Subject.SESSION,
        check=_queue_closed,
        undecidable_when="the association was not seen to end, or anything between the two hosts was missed meanwhile",
    ),
    Rule(
        "mqqp-cursor-closed",
        "A cursor was used and not closed",
        "MS-MQQP",
        "3.1.4.5",
        "A client closes its cursors with RemoteQMCloseCursor.",
        "MUST",
        Party.CLIENT,
        Level.LOW,
        subject=Subject.SESSION,
        check=_cursor_closed,
        undecidable_when="the session was not seen to end, or anything between the two hosts was missed meanwhile",
    ),
)
