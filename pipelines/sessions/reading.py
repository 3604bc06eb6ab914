"""What the reads of all protocols have in common: requests under way, cursors, and where a read belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.readable import not_whole
from pipelines.facts.reasons import Reason
from pipelines.sessions.model import ReadOutcome

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.association import Association
    from pipelines.sessions.ending import EndingSteps
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import CallStep

MAX_OF_A_REQUEST_ID: Final = 256
"""Reads at once that share a request id, which is to tell them apart."""
MAX_OUTSTANDING: Final = 4_096
"""Requests under way on one queue that are found by their id."""
MAX_OPEN_READS: Final = 16_384
"""Of one association. Past it the oldest ends, in doubt: a peer may receive any number of messages and end none."""
MAX_CURSORS: Final = 1_024
_CANCELLED: Final = frozenset((v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT, v.MQ_ERROR_OPERATION_CANCELLED))
_TAKEN: Final = _CANCELLED | {v.MQ_OK, v.MQ_ERROR_IO_TIMEOUT}
"""Answers to a read that the server found nothing wrong with."""


def forgets(session: Session) -> Reason | None:
    """Why a read of the session may be out of mind."""
    return Reason.LIMIT if session.finished.full or len(session.reads) >= MAX_OUTSTANDING else None


def numbered_since(read: Read) -> Reason | None:
    """Why a request id may mean another read by now: this one ended out of sight, and another took its number."""
    return None if read.session is None else read.session.blind_since(read.answered or read.began)


class Reading:
    def __init__(self, ending: EndingSteps) -> None:
        self._ending = ending

    def begin(self, step: CallStep, read: Read, cursor: int | None) -> None:
        step.read = read
        session = step.session
        read.doubt, read.number_doubt = step.session_doubt, step.number_doubt
        read.cursor = cursor or None
        if session is not None and cursor:
            read.cursor_made = slim(session.made_cursors.get(cursor))
        if session is not None and read.request_id is not None:
            rivals = session.outstanding.get(read.request_id, ())
            if rivals:
                step.rival = rivals[-1]
                step.rival.shares_id = read.shares_id = True
            # Most sessions missed nothing since the first of them: that is asked once, however many there are.
            for rival in rivals if rivals and session.blind_since(rivals[0].began) is not None else ():
                # The number is free again once a read is over: that may have been missed.
                rival.doubt = rival.doubt or numbered_since(rival)
        if session is not None:
            self.outstand(session, read)
        if session is not None and cursor and not step.other_association:
            step.closed_cursor = session.closed_cursors.get(cursor)
            step.cursor_known = cursor in session.cursors
            if len(session.cursors) < MAX_CURSORS:
                session.cursors.setdefault(cursor, step.call)
            elif not step.cursor_known:
                _forget(session, step.call)
        if step.connection is not None:
            self._attach(read, step.connection.association)

    def _attach(self, read: Read, association: Association) -> None:
        read.association = association
        association.reads[id(read)] = read
        if len(association.reads) > MAX_OPEN_READS:
            oldest = next(iter(association.reads.values()))
            oldest.doubt = oldest.doubt or Reason.LIMIT
            read.pair.forgot.go_blind(read.began, Reason.LIMIT)
            self._ending.read(oldest, ReadOutcome.UNFINISHED, oldest.began)

    def outstand(self, session: Session, read: Read) -> None:
        session.reads[id(read)] = read
        if read.request_id is None:
            return
        alike = session.outstanding.get(read.request_id, [])
        if len(session.outstanding) < MAX_OUTSTANDING and len(alike) < MAX_OF_A_REQUEST_ID:
            session.outstanding[read.request_id] = alike
            alike.append(read)
        elif read.start is not None:
            _forget(session, read.start)

    def belongs(self, read: Read, session: Session | None) -> None:
        """A read whose session came to light with the answer."""
        if read.session is None and session is not None:
            read.session, read.doubt = session, read.doubt or session.maybe_another
            self.outstand(session, read)

    def note_cursor(self, step: CallStep, cursor: int | None) -> None:
        """After the answer: what was refused proves no cursor, but a read that waited had one."""
        session = step.session
        if not cursor or session is None or step.other_association:
            return
        if step.call.status in _TAKEN:
            session.closed_cursors.drop(cursor)
            if step.first_seen:
                session.cursors.setdefault(cursor, step.call)
        elif session.cursors.get(cursor) is step.call:
            del session.cursors[cursor]

    def make_cursor(self, step: CallStep, cursor: int | None) -> None:
        session = step.session
        made = step.succeeded or step.call.status == v.MQ_INFORMATION_REMOTE_OPERATION
        if session is None or not cursor or not made:
            return
        session.closed_cursors.drop(cursor)
        session.made_cursors.put(cursor, step.call)
        if len(session.cursors) < MAX_CURSORS:
            session.cursors[cursor] = step.call
        else:
            _forget(session, step.call)

    def close_cursor_asked(self, step: CallStep, cursor: int | None) -> None:
        session = step.session
        if session is None or cursor is None:
            return
        step.closed_cursor = session.closed_cursors.get(cursor)
        step.cursor_known = cursor in session.cursors
        if step.cursor_known:
            del session.cursors[cursor]
            session.cursors_closed += 1

    def close_cursor_answered(self, step: CallStep, cursor: int | None) -> None:
        if step.session is not None and cursor is not None and step.succeeded:
            step.session.closed_cursors.put(cursor, step.call)

    def cancel_asked(self, step: CallStep, request_id: int | None) -> None:
        if step.session is None or request_id is None:
            return
        # One that has its message waits for nothing: its end may have been refused, and its number taken by another.
        reads = step.session.outstanding.get(request_id, ())
        step.read = min(reads, key=lambda one: one.given_out, default=None)
        if step.read is not None:
            step.read.given_up = step.read.given_up or step.call
            step.read.end_asked = step.read.end_asked or step.call.began
        else:
            step.past_read = step.session.finished.get(request_id)

    def ended(self, step: CallStep) -> tuple[ReadOutcome, Reason | None]:
        """What an end-receive comes to; in doubt where the read that it ends, or what it says, was cut off."""
        doubt = None if step.call.request_whole else not_whole(step.call)
        said = step.number(step.request, "dwAck")
        if said is None:
            return ReadOutcome.UNFINISHED, doubt
        return ReadOutcome.ACKED if said == v.RR_ACK else ReadOutcome.NACKED, doubt

    def note_message(self, read: Read, call: CallFact) -> None:
        """What left the server, if anything did."""
        told = call.message or {}
        if told.get("bytes"):
            read.message_bytes, read.message_sha256 = told["bytes"], told.get("sha256")
            read.message_id, read.message_label = told.get("id"), told.get("label")
            if read.session is not None:
                read.session.addressed.note(told.get("destination"), call.server)

    def not_answered(self, step: CallStep, read: Read, moment: Moment) -> None:
        """How it ended is known when its connection ends; what the client gave up at RPC's level is over."""
        if step.call.given_up:
            self._ending.read(read, ReadOutcome.CANCELLED, moment, unanswered=True)

    def outcome(self, step: CallStep, read: Read) -> ReadOutcome:
        """Of a start that is over with its answer."""
        status = step.call.status
        if status == v.MQ_OK:
            # A receive without a handle cannot be ended: the server's fault, see the rules.
            return ReadOutcome.PEEKED if read.is_peek else ReadOutcome.UNFINISHED
        if status == v.MQ_ERROR_IO_TIMEOUT:
            return ReadOutcome.TIMED_OUT
        if status in _CANCELLED or read.cancel is not None or step.call.given_up:
            return ReadOutcome.CANCELLED
        return ReadOutcome.FAILED


def _forget(session: Session, call: CallFact) -> None:
    """It is not kept in mind: whoever refers to it later refers to what cannot be judged."""
    session.pair.forgot.go_blind(call.until, Reason.LIMIT)
