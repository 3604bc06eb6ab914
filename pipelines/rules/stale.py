"""Handles that are not open, and whether the client can be blamed for using one.

A client that lost its connection, or whose server was started again, may try what it has: it was given that once.
Nobody knows what it was given before the capture began. So a client can be blamed only for using what it ended itself,
in the same association.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from pipelines.facts.model import CallFact
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import CallStep
    from pipelines.sessions.units import Transaction


def own(step: CallStep, of: Read | Session | Transaction) -> bool:
    """Context handles are valid in the association they were given in."""
    return step.connection is not None and of.association is step.connection.association


def blameless(step: CallStep, past: Session | None) -> Reason | None:
    """Why the client may use the handle of something that is not open; None: it had closed that itself."""
    if past is None or past.closed is None or past.closed_at is None or not own(step, past):
        return Reason.GIVEN_EARLIER
    if step.soon_after(past.closed_at):
        return Reason.TIMES_CROSS
    return past.doubt or step.blind_since(past.closed_at)


def served_after_close(step: CallStep, closed: CallFact | None, shown: Mapping[str, Any]) -> Answer:
    """Whether the server refused what the client had ended, by `closed`, in the association of the call."""
    if closed is None or closed.answered is None:
        return None
    if not step.succeeded:
        return True if step.failed else None
    if (reason := step.blind_since(closed.until)) is not None:
        return reason
    if step.soon_after(closed.until):
        return Reason.TIMES_CROSS
    return Broken({**shown, "closed by": closed.call_uid})


def closed_here(step: CallStep) -> CallFact | None:
    """The call that closed the queue meant, which is not open, in the association of the call."""
    past = step.past_session
    return past.closed if step.session is None and past is not None and own(step, past) else None
