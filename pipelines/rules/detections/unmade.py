"""What an investigator asks for: requests and cursors that nobody was seen to make. Nobody is accused.

They may have been made before the capture began, or over a connection that is lost. Whoever guesses does it like this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, Broken, Level
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.stale import own
from pipelines.rules.watching import detection
from pipelines.sessions.reading import MAX_CURSORS, forgets

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep


def _cancel_unmade(step: CallStep) -> Answer:
    session = step.session
    if step.first_seen or session is None:
        return None
    if step.read is not None or step.past_read is not None:
        return True
    if session.opened is None or not step.failed or step.other_association:
        return Reason.OPEN_NOT_SEEN
    if (reason := step.blind_since(session.opened.until) or forgets(session)) is not None:
        return reason
    return Broken({"dwRequestID": step.request.get("dwRequestID"), "answer": code_shown(step.code)})


def _cursor_unmade(step: CallStep) -> Answer:
    cursor, session = (step.desc or {}).get("hCursor", 0), step.session
    if not cursor or step.closed_cursor is not None:
        # Of one that was closed mqqp-cursor-after-close speaks.
        return None
    if step.read is not None and step.read.cursor_made is not None:
        return True
    if step.code != v.STATUS_INVALID_PARAMETER:
        return Reason.OTHERS_NOT_SEEN
    # The server has no such cursor. Only the client closes one, and it did not.
    if session is None or session.opened is None or not own(step, session) or step.cursor_known:
        return Reason.OPEN_NOT_SEEN
    if session.closed_cursors.full or len(session.cursors) >= MAX_CURSORS:
        return Reason.LIMIT
    shown = {"hCursor": hexadecimal(cursor), "answer": code_shown(step.code)}
    return step.blind_since(session.opened.until) or Broken(shown)


RULES: Final = (
    detection(
        "detect-cancel-unmade",
        "A request was cancelled that nobody was seen to make",
        document="MS-MQQP",
        section="3.1.4.6",
        requirement="Reported is a RemoteQMCancelReceive that the server refuses, of a request that was not made since "
        "the queue was opened. It may be one of an earlier opening.",
        level=Level.LOW,
        operations=(v.CANCEL,),
        needs=BOTH,
        check=_cancel_unmade,
        attack=("T1499",),
        undecidable_when="the server accepts it, anything was missed since the open, or more requests were made than "
        "are kept in mind",
    ),
    detection(
        "detect-cursor-unmade",
        "A cursor was used that nobody was seen to make",
        document="MS-MQQP",
        section="2.2.2.1",
        requirement="Reported is a start with an hCursor that the server does not know, and that "
        "R_QMCreateRemoteCursor was not seen to give. It may be one of an earlier opening.",
        level=Level.LOW,
        operations=v.BY_POSITION,
        needs=BOTH,
        check=_cursor_unmade,
        attack=("T1213",),
        undecidable_when="the server does not deny it, the opening was not seen, or anything was missed since",
    ),
)
