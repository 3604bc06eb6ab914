"""Servers that were started again, and number a new association as an old one was.

A client that asks to join the old one gets the number it asked for, and nothing tells the two apart but this: what was
given before is not known any more. [MS-RPCE] 3.3.1.4.1: a context handle is good in all of its association, so a server
that refuses one on a later connection has lost the association, and with it everything else that was open there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts import vocabulary as v

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.facts.model import Moment
    from pipelines.sessions.association import Association
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import CallStep
    from pipelines.sessions.units import Transaction


def note_handles(step: CallStep) -> None:
    """Of those that are open. On a connection from before one was given, the server is the one that gave it."""
    if step.connection is None:
        return
    association, began = step.connection.association, step.connection.fact.began
    if step.call.fault == v.CONTEXT_MISMATCH:
        if any(given < began for given in _named(step, association)):
            association.renewed = max(association.renewed or began, began)
    elif association.reset is not None and step.call.answered is not None and step.call.fault is None:
        # It honours what it had given before the reset.
        honoured = [given for given in _named(step, association) if given < association.reset]
        association.kept = min([*honoured, *([association.kept] if association.kept else [])], default=None)


def _named(step: CallStep, association: Association) -> Iterator[Moment]:
    """When the handles that the call names were given here."""
    for holder, given in _open(step):
        named = holder.handle is not None and holder.handle in step.request.values()
        if named and holder.association is association:
            yield given


def _open(step: CallStep) -> Iterator[tuple[Session | Read | Transaction, Moment]]:
    session, read, transaction = step.session, step.read, step.transaction
    if session is not None and session.opened is not None and session.closed is None and not session.is_over:
        yield session, session.opened.until
    if read is not None and read.answered is not None and not read.is_over:
        yield read, read.answered
    if transaction is not None and transaction.ended is None:
        yield transaction, transaction.enlisted.until
