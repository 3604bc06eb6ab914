"""Starts, ends and cancels of RemoteRead to reads: [MS-MQRR] 3.1.4.7 to 3.1.4.9, 3.1.4.13 and 3.1.4.15.

A read has no handle of its own: queue and dwRequestId tell it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.sessions.model import Read, ReadOutcome, SessionKind
from pipelines.sessions.reading import numbered_since
from pipelines.sessions.transactions import unit_of_work

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.shared_state import SharedState
    from pipelines.sessions.steps import CallStep


class RemoteReads:
    def __init__(self, shared: SharedState) -> None:
        self._ending, self._references = shared.ending, shared.references
        self._reading, self._transactions = shared.reading, shared.transactions

    def start_asked(self, step: CallStep) -> None:
        asked = step.request
        self._references.refer_to_handle(step, asked.get("phContext"), SessionKind.REMOTE_READ)
        read = Read(
            step.call,
            step.pair,
            step.session,
            action=step.number(asked, "ulAction"),
            request_id=step.number(asked, "dwRequestId"),
            lookup_id=asked.get("LookupId") or None,
            transactional=step.call.method == v.REMOTE_START_IN_TRANSACTION,
        )
        self._transactions.join(read, unit_of_work(asked.get("pTransactionId")))
        self._transactions.refer(step, read.uow)
        self._reading.begin(step, read, step.number(asked, "hCursor"))

    def start_answered(self, step: CallStep, moment: Moment) -> None:
        if step.read is not None:
            self._started(step, step.read, moment)
            self._transactions.settled(step.read)

    def _started(self, step: CallStep, read: Read, moment: Moment) -> None:
        call = step.call
        self._references.settle_handle(step, step.request.get("phContext"), SessionKind.REMOTE_READ)
        self._reading.belongs(read, step.session)
        self._reading.note_cursor(step, step.number(step.request, "hCursor"))
        if call.answered is None:
            self._reading.not_answered(step, read, moment)
            return
        if read.is_over or read.answered is not None:
            return
        self._note_answer(read, call)
        succeeded, unknown = call.status == v.MQ_OK, call.status is None and call.fault is None
        if unknown:
            read.doubt = Reason.RESPONSE_NOT_CAPTURED
        if (succeeded or unknown) and not read.is_peek:
            read.given_out = True
            read.start = slim(read.start)
            return
        outcome = ReadOutcome.UNFINISHED if unknown else self._reading.outcome(step, read)
        self._ending.read(read, outcome, moment)

    def _note_answer(self, read: Read, start: CallFact) -> None:
        read.answered = start.answered
        self._reading.note_message(read, start)
        if start.status == v.MQ_OK:
            told, session = start.response or {}, read.session
            self._transactions.given(read, start)
            read.sequential_id, read.arrived = told.get("pSequenceId"), told.get("pdwArriveTime") or None
            if session is not None and read.sequential_id is not None:
                session.shown.put(read.sequential_id, read)

    def end_asked(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get("phContext"), SessionKind.REMOTE_READ)
        request_id = step.number(step.request, "dwRequestId")
        if step.session is None or request_id is None:
            return
        held = [one for one in step.session.outstanding.get(request_id, ()) if one.given_out]
        if held:
            # One whose end was refused has been taken back by the server, for instance by its timer (3.1.5.1), and one
            # in doubt may have been ended out of sight.
            read = min(held, key=lambda one: (one.end_asked is not None, one.doubt is not None))
            read.end_asked = read.end_asked or step.call.began
            if read.given_up is None or read.given_up.method not in v.REMOTE_ENDS:
                step.read, read.given_up = read, step.call
            else:
                step.past_read = read
        else:
            step.waiting_read = next(iter(step.session.outstanding.get(request_id, ())), None)
            step.past_read = step.session.finished.get(request_id)

    def end_answered(self, step: CallStep, moment: Moment) -> None:
        read, call = step.read, step.call
        if step.failed and read is not None and read.given_up is call:
            read.given_up, read.end_given_up = None, call.given_up
        if step.failed or call.request is None:
            return
        self._references.settle_handle(step, call.request.get("phContext"), SessionKind.REMOTE_READ)
        outcome, doubt = self._reading.ended(step)
        lost = step.waiting_read
        if read is None and call.status == v.MQ_OK and lost is not None and _may_have_given(lost):
            # The server knows the read, so that only its answer is missing, or was captured late.
            read = step.read = lost
            read.given_out, read.doubt = True, Reason.RESPONSE_NOT_CAPTURED
            if lost.start is not None and lost.start.answered is not None:
                self._note_answer(read, lost.start)
                read.doubt = Reason.TIMES_CROSS
        if read is None:
            if call.status != v.MQ_OK or step.past_read is not None or step.session is None:
                return
            read = step.read = Read(None, step.pair, step.session, request_id=step.number(call.request, "dwRequestId"))
            read.transactional = call.method == v.REMOTE_END_IN_TRANSACTION
            read.end, read.doubt = call, doubt
            self._ending.read(read, outcome, moment)
            return
        if read.is_over:
            return
        read.end, read.doubt = call, read.doubt or doubt or step.session_doubt or numbered_since(read)
        if outcome is ReadOutcome.ACKED and self._transactions.waits(read):
            return
        self._ending.read(read, outcome, moment, unanswered=call.status is None)

    def cancel_asked(self, step: CallStep) -> None:
        self._references.refer_to_handle(step, step.request.get("phContext"), SessionKind.REMOTE_READ)
        self._reading.cancel_asked(step, step.number(step.request, "dwRequestId"))

    def cancel_answered(self, step: CallStep, moment: Moment) -> None:
        self._references.settle_handle(step, step.request.get("phContext"), SessionKind.REMOTE_READ)
        read = step.read
        if read is None or not step.succeeded or read.is_over:
            return
        read.cancel = step.call
        if read.holds_message:
            read.end, read.doubt = step.call, read.doubt or step.session_doubt or numbered_since(read)
            self._ending.read(read, ReadOutcome.CANCELLED, moment)


def _may_have_given(read: Read) -> bool:
    """A message, by an answer that was not seen yet: it is missing, or was captured after what followed it."""
    start = read.start
    if start is None or read.answered is not None:
        return False
    return start.fault is None and start.status in (None, v.MQ_OK)
