"""Handles that are not open, and whether the client can be blamed for using one.

A client that lost its connection, or whose server was started again, may try what it has: it was given that once.
Nobody knows what it was given before the capture began. So a client can be blamed only for using what it ended itself,
in the same association.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from pipelines.sessions.model import Read, Session, Transaction
    from pipelines.sessions.steps import CallStep


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
