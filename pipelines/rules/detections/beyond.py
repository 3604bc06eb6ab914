"""What an investigator asks for: more taken from a queue than it was opened for. Nobody is accused.

The documents leave it to the server to refuse this; a client that tries may just be badly written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import REQUEST, Broken, Level
from pipelines.rules.queue_access import access_shown, opened_here, permitted
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep


def _beyond_access(step: CallStep) -> Answer:
    session = opened_here(step)
    if session is None or session.opened is None:
        return None if step.misplaced is not None else Reason.OPEN_NOT_SEEN
    allowed = permitted(step, session)
    if allowed is not False:
        return allowed
    return step.blind_since(session.opened.until) or Broken(access_shown(step, session))


RULES: Final = (
    detection(
        "detect-beyond-access",
        "A queue was to be received from or purged that had not been opened for it",
        document="MS-MQMP",
        section="3.1.4.17",
        requirement="Reported is a receive or purge of a queue that rpc_QMOpenQueueInternal opened for less, whatever "
        "the server made of it.",
        level=Level.LOW,
        operations=(v.AC_RECEIVE, v.AC_PURGE),
        needs=REQUEST,
        check=_beyond_access,
        attack=("T1565.001",),
        undecidable_when="the opening was not seen, or anything was missed since",
    ),
)
