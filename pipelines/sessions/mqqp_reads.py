"""Starts, ends and cancels of qm2qm to reads: [MS-MQQP] 3.1.4.1, 3.1.4.2, 3.1.4.6, 3.1.4.10 and 3.1.4.11."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.facts.values import descriptor
from pipelines.sessions.model import Read, ReadOutcome, SessionKind
from pipelines.sessions.reading import numbered_since
from pipelines.sessions.references import not_of_here

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.shared_state import SharedState
    from pipelines.sessions.steps import CallStep


class Reads:
    def __init__(self, shared: SharedState) -> None:
        self._registry, self._ending, self._references = shared.registry, shared.ending, shared.references
        self._reading, self._links = shared.reading, shared.links

    def settle(self, step: CallStep, number: int | None) -> None:
        """After the answer: a queue whose opening was not seen may still be one that a remote open names."""
        known = step.session
        self._references.settle(step, number)
        if known is None and step.session is not None and step.session.link_key is None:
            self._links.join(step.session, step.server_version)

    def start_asked(self, step: CallStep) -> None:
        desc = step.desc or {}
        queue, cursor = step.number(desc, "hRemoteQueue"), step.number(desc, "hCursor")
        self._references.refer(step, queue)
        read = Read(
            step.call,
            step.pair,
            step.session,
            action=step.number(desc, "ulAction"),
            request_id=step.number(desc, "dwRequestID"),
            lookup_id=step.request.get("LookupId"),
        )
        self._reading.begin(step, read, cursor)
        if queue is not None and cursor:
            # Made by qmcomm, whoever asked for it: [MS-MQMP] 3.1.4.4.
            read.cursor_made = slim(self._links.cursor(queue, cursor))

    def start_answered(self, step: CallStep, moment: Moment) -> None:
        read, call = step.read, step.call
        if read is None:
            return
        asked = step.desc or {}
        self.settle(step, step.number(asked, "hRemoteQueue"))
        self._reading.belongs(read, step.session)
        self._reading.note_cursor(step, step.number(asked, "hCursor"))
        if call.answered is None:
            self._reading.not_answered(step, read, moment)
            return
        if read.is_over or read.answered is not None:
            return
        self._note_answer(read, call)
        handle = (call.response or {}).get("pphContext")
        succeeded, unknown = call.status == v.MQ_OK, call.status is None and call.fault is None
        if unknown:
            read.doubt = Reason.RESPONSE_NOT_CAPTURED
        if (succeeded or unknown) and handle is not None:
            # Whatever the action: what has a handle can be ended, and what its end says counts.
            self._registry.hold(read, handle)
            read.start = slim(read.start)
            return
        if unknown and not read.is_peek:
            read.answer_lost = True
            return
        if succeeded and read.is_receive and read.association is not None:
            read.association.null_given = True
        # A handle that no end may be called with; kept to recognise it.
        read.handle = handle
        outcome = ReadOutcome.UNFINISHED if unknown else self._reading.outcome(step, read)
        self._ending.read(read, outcome, moment)

    def _note_answer(self, read: Read, start: CallFact) -> None:
        read.answered = start.answered
        read.sequential_id = ((start.response or {}).get("lpRemoteReadDesc2") or {}).get("SequentialId")
        self._reading.note_message(read, start)
        if start.status == v.MQ_OK:
            read.arrived = (descriptor(start.response) or {}).get("dwArriveTime") or None

    def end_asked(self, step: CallStep) -> None:
        handle = step.request.get("pphContext")
        if handle is None:
            return
        read = step.pair.reads.get(handle)
        if read is not None:
            step.session = read.session
            # Of two ends under way, the second is one too many.
            read.end_asked = read.end_asked or step.call.began
            if read.given_up is None or read.given_up.method != v.END:
                step.read, read.given_up = read, step.call
            else:
                step.past_read = read
            return
        holder = step.pair.by_handle.get(handle) or step.pair.transactions.get(handle)
        if holder is not None and holder.kind is not SessionKind.READ:
            step.misplace(holder)
        step.past_read = step.pair.past_reads.get(handle)
        step.foreign_read = self._registry.read_of_another(step.pair, handle)

    def end_answered(self, step: CallStep, moment: Moment) -> None:
        read, call = step.read, step.call
        if step.failed and read is not None and read.given_up is call:
            read.given_up, read.end_given_up = None, call.given_up
        if step.failed or call.request is None or call.request.get("pphContext") is None:
            return
        outcome, doubt = self._reading.ended(step)
        if read is None:
            if call.status != v.MQ_OK or step.past_read is not None or step.foreign_read is not None:
                return
            handle = call.request["pphContext"]
            read = _late(step, handle)
            if read is not None and read.start is not None:
                self._note_answer(read, read.start)
                read.doubt = Reason.TIMES_CROSS
            else:
                # Without its start: that a message left the queue is worth a row all the same.
                read = _lost(step) or Read(None, step.pair, None)
            step.read = read
            read.handle, read.end, read.doubt = handle, call, read.doubt or doubt
            self._ending.read(read, outcome, moment, unanswered=read.start is not None)
            return
        if read.is_over:
            return
        read.end, read.doubt = call, read.doubt or doubt or not_of_here(step, read)
        self._ending.read(read, outcome, moment, unanswered=call.status is None)

    def cancel_asked(self, step: CallStep) -> None:
        self._references.names_queue(step)
        self._reading.cancel_asked(step, step.number(step.request, "dwRequestID"))

    def cancel_answered(self, step: CallStep, moment: Moment) -> None:
        self.settle(step, step.number(step.request, "hQueue"))
        read = step.read
        if read is None or not step.succeeded or read.is_over:
            return
        read.cancel = step.call
        if read.holds_message:
            read.end, read.doubt = step.call, read.doubt or step.session_doubt or numbered_since(read)
            self._ending.read(read, ReadOutcome.CANCELLED, moment)


def _late(step: CallStep, handle: str) -> Read | None:
    """The read that was given the handle by an answer that was captured after its end."""
    reads = step.connection.association.reads.values() if step.connection else ()
    return next((one for one in reads if one.answered is None and _given(one) == handle), None)


def _given(read: Read) -> str | None:
    start = read.start
    handle: str | None = None if start is None or start.response is None else start.response.get("pphContext")
    return handle


def _lost(step: CallStep) -> Read | None:
    """The oldest read of the association whose answer, which told its handle, was not captured: most likely this."""
    reads = step.connection.association.reads.values() if step.connection else ()
    return next((one for one in reads if _answer_lost(one) and one.began < step.call.began), None)


def _answer_lost(read: Read) -> bool:
    start = read.start
    if start is None or start.method not in v.STARTS or read.is_over or read.handle is not None or read.is_peek:
        return False
    return read.answer_lost or start.answered is None
