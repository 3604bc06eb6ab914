"""Starts, ends and cancels to reads: [MS-MQQP] 3.1.4.1, 3.1.4.2, 3.1.4.6, 3.1.4.10 and 3.1.4.11."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.sessions.model import Read, ReadOutcome
from pipelines.sessions.steps import descriptor

if TYPE_CHECKING:
    from pipelines.facts.model import Moment
    from pipelines.sessions.ending import Ending
    from pipelines.sessions.model import Association, Session
    from pipelines.sessions.references import References
    from pipelines.sessions.registry import Registry
    from pipelines.sessions.steps import CallStep

MAX_OUTSTANDING: Final = 4_096
"""Requests under way on one queue that are found by their id."""
MAX_OPEN_READS: Final = 16_384
"""Of one association. Past it the oldest ends, in doubt: a peer may receive any number of messages and end none."""
MAX_CURSORS: Final = 1_024
_CANCELLED: Final = frozenset((v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT, v.MQ_ERROR_OPERATION_CANCELLED))


class Reads:
    def __init__(self, registry: Registry, ending: Ending, references: References) -> None:
        self._registry, self._ending, self._references = registry, ending, references

    def start_asked(self, step: CallStep) -> None:
        desc = step.desc or {}
        queue_handle = desc.get("hRemoteQueue", 0)
        self._references.refer(step, queue_handle)
        action = desc.get("ulAction", 0)
        read = Read(
            step.call,
            step.pair,
            step.session,
            action=action,
            request_id=desc.get("dwRequestID", 0),
            lookup_id=step.request.get("LookupId"),
            is_peek=action not in v.RECEIVING,
        )
        step.read = read
        session = step.session
        if session is not None and read.request_id is not None:
            rivals = session.outstanding.get(read.request_id)
            if rivals:
                step.rival = rivals[-1]
                step.rival.shares_id = read.shares_id = True
            self._outstand(session, read)
        cursor = desc.get("hCursor", 0)
        if session is not None and cursor and not step.other_association:
            step.closed_cursor = session.closed_cursors.get(cursor)
            if len(session.cursors) < MAX_CURSORS:
                session.cursors.setdefault(cursor, step.call)
        if step.connection is not None:
            self._attach(read, step.connection.association)

    def _attach(self, read: Read, association: Association) -> None:
        read.association = association
        association.reads[id(read)] = read
        if len(association.reads) > MAX_OPEN_READS:
            oldest = next(iter(association.reads.values()))
            oldest.doubt = oldest.doubt or Reason.LIMIT
            self._ending.read(oldest, ReadOutcome.UNFINISHED, oldest.began)

    def _outstand(self, session: Session, read: Read) -> None:
        session.reads[id(read)] = read
        if read.request_id is not None and len(session.outstanding) < MAX_OUTSTANDING:
            session.outstanding.setdefault(read.request_id, []).append(read)

    def start_answered(self, step: CallStep, moment: Moment) -> None:
        read, call = step.read, step.call
        if read is None:
            return
        self._references.settle(step, (step.desc or {}).get("hRemoteQueue", 0))
        if read.session is None and step.session is not None:
            read.session = step.session
            self._outstand(step.session, read)
        self._note_cursor(step)
        if call.answered is None:
            # Its connection ends with it: then it is known how.
            return
        read.answered = call.answered
        desc = descriptor(call.response) or {}
        read.sequential_id = ((call.response or {}).get("lpRemoteReadDesc2") or {}).get("SequentialId")
        buffer = desc.get("lpBuffer") or {}
        handle = (call.response or {}).get("pphContext")
        succeeded, unknown = call.status == v.MQ_OK, call.status is None and call.fault is None
        if buffer.get("size"):
            read.message_bytes, read.message_sha256 = buffer["size"], buffer.get("sha256")
        if succeeded:
            read.arrived = desc.get("dwArriveTime") or None
        if unknown:
            read.doubt = Reason.RESPONSE_NOT_CAPTURED
        if (succeeded or unknown) and not read.is_peek and handle is not None:
            self._registry.hold(read, handle)
            read.start = slim(read.start)
            return
        # A handle that no end may be called with; kept to recognise it.
        read.handle = handle
        outcome = ReadOutcome.UNFINISHED if unknown else _start_outcome(step, read)
        self._ending.read(read, outcome, moment)

    def _note_cursor(self, step: CallStep) -> None:
        cursor, session = (step.desc or {}).get("hCursor", 0), step.session
        if not cursor or session is None or step.other_association:
            return
        if step.succeeded:
            session.closed_cursors.drop(cursor)
            if step.first_seen:
                session.cursors.setdefault(cursor, step.call)
        elif session.cursors.get(cursor) is step.call:
            # Refused: it proves no cursor.
            del session.cursors[cursor]

    def end_asked(self, step: CallStep) -> None:
        handle = step.request.get("pphContext")
        if handle is None:
            return
        read = step.pair.reads.get(handle)
        if read is not None:
            step.session = read.session
            # Of two ends under way, the second is one too many.
            read.end_asked = True
            if read.given_up is None or read.given_up.operation != v.END:
                step.read, read.given_up = read, step.call
            else:
                step.past_read = read
            return
        step.past_read = step.pair.past_reads.get(handle)
        step.foreign_read = self._registry.read_of_another(step.pair, handle)

    def end_answered(self, step: CallStep, moment: Moment) -> None:
        read, call = step.read, step.call
        if step.failed and read is not None and read.given_up is call:
            read.given_up = None
        if step.failed or call.request is None or call.request.get("pphContext") is None:
            return
        acked = call.request.get("dwAck") == v.RR_ACK
        outcome = ReadOutcome.ACKED if acked else ReadOutcome.NACKED
        if read is None:
            if call.status != v.MQ_OK or step.past_read is not None or step.foreign_read is not None:
                return
            # Its start was not seen; that a message left the queue is worth a row all the same.
            read = step.read = Read(None, step.pair, None, handle=call.request["pphContext"])
            read.end = call
            self._ending.read(read, outcome, moment)
            return
        if read.is_over:
            return
        read.end = call
        self._ending.read(read, outcome, moment, unanswered=call.status is None)

    def cancel_asked(self, step: CallStep) -> None:
        self._references.names_queue(step)
        request_id = step.request.get("dwRequestID", 0)
        if step.session is not None:
            step.read = next(iter(step.session.outstanding.get(request_id, ())), None)
            if step.read is not None:
                step.read.given_up = step.read.given_up or step.call
                step.read.end_asked = True
            else:
                step.past_read = step.session.finished.get(request_id)

    def cancel_answered(self, step: CallStep, moment: Moment) -> None:
        self._references.settle(step, step.request.get("hQueue", 0))
        read = step.read
        if read is None or not step.succeeded or read.is_over:
            return
        read.cancel = step.call
        if read.holds_message:
            read.end = step.call
            self._ending.read(read, ReadOutcome.CANCELLED, moment)


def _start_outcome(step: CallStep, read: Read) -> ReadOutcome:
    status = step.call.status
    if status == v.MQ_OK:
        # A receive without a handle cannot be ended: the server's fault, see the rules.
        return ReadOutcome.PEEKED if read.is_peek else ReadOutcome.UNFINISHED
    if status == v.MQ_ERROR_IO_TIMEOUT:
        return ReadOutcome.TIMED_OUT
    if status in _CANCELLED or read.cancel is not None:
        return ReadOutcome.CANCELLED
    return ReadOutcome.FAILED
