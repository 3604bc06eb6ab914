"""The close of a queue, which the protocols have in common: a context handle goes in, and null comes out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts.reasons import Reason
from pipelines.sessions.model import SessionKind

if TYPE_CHECKING:
    from pipelines.facts.model import Moment
    from pipelines.sessions.shared_state import SharedState
    from pipelines.sessions.steps import CallStep


class Closing:
    """`parameter` holds the handle. With `lets_go`, messages that wait for their end go back with the close."""

    def __init__(self, shared: SharedState, kind: SessionKind, parameter: str, *, lets_go: bool = False) -> None:
        self._ending, self._references = shared.ending, shared.references
        self._kind, self._parameter, self._lets_go = kind, parameter, lets_go

    def asked(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get(self._parameter), self._kind)
        if step.session is not None:
            step.session.close_asked = True

    def answered(self, step: CallStep, moment: Moment) -> None:
        call, handle = step.call, step.request.get(self._parameter)
        if step.failed and step.session is not None and not step.session.is_over:
            step.session.close_given_up = call.given_up
        if step.failed or handle is None:
            return
        if self._kind is not SessionKind.HANDSHAKE:
            self._references.settle_handle(step, handle, self._kind)
        session = step.session
        if session is None or session.is_over or session.closed is not None:
            return
        if step.other_association:
            # [MS-RPCE] 3.3.1.4.1: a handle is good in one association, so this one may be another's.
            session.doubt = session.doubt or Reason.OPEN_NOT_SEEN
        session.closed = call
        if self._lets_go:
            self._ending.let_go(session, call, moment)
        self._ending.closed(session, moment, unanswered=call.status is None and not step.succeeded)
