"""[MS-MQQP], the server: what a close and a rundown have to undo."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import CallOutcome
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.shown import code_shown
from pipelines.rules.stale import closed_here, own, served_after_close
from pipelines.rules.starts import served_since
from pipelines.sessions.model import ReadOutcome, SessionState

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_ENDED: Final = frozenset((ReadOutcome.ACKED, ReadOutcome.NACKED))
_WENT_ON: Final = frozenset((v.MQ_OK, v.MQ_ERROR_IO_TIMEOUT))
"""Answers to a start that nobody cancelled."""


def _close_ends_reads(step: CallStep) -> Answer:
    call, session = step.call, step.session
    closed = session.closed if session is not None and own(step, session) else None
    if closed is None or closed.answered is None:
        return None
    if closed.began < call.began or (call.answered is not None and call.answered < closed.answered):
        # It was not waiting when the queue was closed.
        return None
    if call.answered is None:
        return _never_answered(step, closed, closed.answered)
    if call.status is None:
        return None
    if call.status not in _WENT_ON:
        return True
    if call.answered.ts_ns - closed.answered.ts_ns < step.settings["crossing_seconds"] * v.NANOSECONDS:
        return Reason.TIMES_CROSS
    if closed.uid != call.uid and not served_since(step, closed.answered.ts_ns):
        return Reason.TIMES_CROSS
    shown = {"return_value": code_shown(call.status), "closed by": closed.call_uid}
    return step.blind_since(call.began) or Broken(shown)


def _never_answered(step: CallStep, closed: CallFact, at: Moment) -> Answer:
    if step.call.outcome != CallOutcome.UNANSWERED:
        # The client gave it up.
        return None
    # What was asked long after, on the same connection, was answered: the start would have been too.
    if not served_since(step, at.ts_ns + step.settings["answer_margin_seconds"] * v.NANOSECONDS):
        return Reason.RESPONSE_NOT_CAPTURED
    return step.blind_since(step.call.began) or Broken({"answer": "none", "closed by": closed.call_uid})


def _closed_refused(step: CallStep) -> Answer:
    closed = _ended_here(step) if step.call.method == v.END else closed_here(step)
    shown = {"pphContext": step.request.get("pphContext")}
    if closed is not None and closed.uid == step.call.uid and closed.answered is not None and step.succeeded:
        # On one connection nothing overtakes.
        return step.blind_since(closed.began) or Broken({**shown, "closed by": closed.call_uid})
    return served_after_close(step, closed, shown)


def _ended_here(step: CallStep) -> CallFact | None:
    """The call that ended the receive meant, in the association of the call."""
    past = step.past_read
    if past is None or not past.is_over or past.outcome not in _ENDED or past.doubt is not None or not own(step, past):
        return None
    return past.end


def _rundown_undone(step: CallStep) -> Answer:
    of = step.past_read if step.call.method == v.END else step.past_session
    if of is None or own(step, of) or not (step.failed or step.succeeded):
        return None
    if step.call.method == v.END:
        read = step.past_read
        if read is None or read.outcome is not ReadOutcome.RUNDOWN or read.finished is None:
            return None
        since, doubt, handle = read.finished, read.doubt, read.handle
    else:
        session = step.past_session
        if session is None or session.state is not SessionState.RUNDOWN or session.closed_at is None:
            return None
        since, doubt, handle = session.closed_at, session.doubt, session.handle
    if step.failed:
        return True
    reason = doubt or step.association_incomplete() or step.blind_since(since)
    if reason is None and step.soon_after(since):
        reason = Reason.TIMES_CROSS
    return reason or Broken({"pphContext": handle, "return_value": code_shown(step.call.status)})


_server = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqqp-close-ends-reads",
        "A start went on although its queue was closed",
        section="3.1.4.4",
        requirement="A close that succeeds cancels the starts that wait on its queue.",
        level=Level.LOW,
        operations=v.STARTS,
        needs=REQUEST,
        check=_close_ends_reads,
        undecidable_when="the answer may have crossed the close or been held up on its way, or bytes are missing",
    ),
    _server(
        "mqqp-closed-refused",
        "A handle that had been ended or closed was accepted",
        section="3.1.4.2, 3.1.4.4",
        requirement="RemoteQMEndReceive and RemoteQMCloseQueue delete what their handle stands for: they fail where it "
        "comes again.",
        level=Level.MEDIUM,
        operations=(v.END, v.CLOSE),
        needs=BOTH,
        check=_closed_refused,
        undecidable_when="two calls may have crossed, or anything between the two hosts was missed since",
    ),
    _server(
        "mqqp-rundown-undone",
        "A handle of an association that was over was accepted",
        section="3.1.6.1, 3.1.6.2",
        requirement="When its last connection ends the server closes the queues of an association and ends its "
        "receives: their handles are good for nothing in the next one.",
        level=Level.MEDIUM,
        operations=(v.END, v.CLOSE),
        needs=BOTH,
        check=_rundown_undone,
        undecidable_when="how the association ended was not seen, or anything between the two hosts was missed since",
    ),
)
