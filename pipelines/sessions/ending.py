"""How reads and sessions end: by their own calls, by a severed association, or because the capture does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.model import END, slim
from pipelines.facts.readable import not_whole
from pipelines.facts.reasons import Reason
from pipelines.sessions.acts import MoveStep, SendStep
from pipelines.sessions.model import ReadOutcome, SessionKind, SessionState
from pipelines.sessions.steps import ReadStep, SessionStep

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.acts import Act
    from pipelines.sessions.association import Association
    from pipelines.sessions.links import Links
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.registry import Registry
    from pipelines.sessions.steps import Step


_LEFT: Final = (ReadOutcome.RUNDOWN, ReadOutcome.UNFINISHED)
"""By its client, as far as was seen."""


class EndingSteps:
    def __init__(self, registry: Registry, links: Links) -> None:
        self._registry, self._links = registry, links
        self._steps: list[Step] = []

    def add(self, step: Step) -> None:
        self._steps.append(step)

    def take(self) -> Iterator[Step]:
        steps, self._steps = self._steps, []
        return iter(steps)

    def read(self, read: Read, outcome: ReadOutcome, moment: Moment, *, unanswered: bool = False) -> None:
        if read.finished is not None:
            return
        outcome = read.left(outcome)
        read.outcome, read.finished = outcome, moment
        if unanswered and read.doubt is None:
            read.doubt = Reason.RESPONSE_NOT_CAPTURED
        if read.end_given_up and outcome in _LEFT:
            read.doubt = read.doubt or Reason.TIMES_CROSS
        if read.doubt is None:
            read.doubt = _unknown_action(read) or _ended_by_another(read) or read.number_doubt
        self._registry.release(read)
        if read.association is not None:
            read.association.reads.pop(id(read), None)
        session = read.session
        call = read.start or read.end
        if session is not None:
            self._count(session, read)
        if call is not None:
            self._steps.append(ReadStep(read, read.pair, call))
        read.start, read.end, read.cancel = slim(read.start), slim(read.end), slim(read.cancel)
        self._settle(session)

    def act(self, act: Act) -> None:
        """It is known what became of it."""
        self._steps.append(act)
        session = act.session
        if session is None:
            return
        session.undecided.pop(id(act), None)
        if act.succeeded and not act.undone and isinstance(act, SendStep):
            session.sends += 1
            session.sent_bytes += (act.call.message or {}).get("bytes") or 0
        elif act.succeeded and not act.undone and isinstance(act, MoveStep):
            session.moves += 1
        self._settle(session)

    def _settle(self, session: Session | None) -> None:
        """A session that is over is told when the last of its reads and acts is, which may be another association's."""
        if session is None or session.is_told or not session.is_over:
            return
        if not session.reads and not session.undecided:
            session.is_told = True
            self._end(session)

    def let_go(self, session: Session, closed: CallFact, moment: Moment) -> None:
        """What it holds goes back with the close, unless it was ended out of sight, or before and is answered later."""
        for read in [one for one in session.reads.values() if one.holds_message and not _ends_by_itself(one)]:
            read.end = closed
            if session.association is not None:
                read.doubt = read.doubt or unseen_since(session.pair, session.association, read.began)
            self.read(read, ReadOutcome.RUNDOWN, moment)

    def closed(self, session: Session, moment: Moment, *, unanswered: bool) -> None:
        """By the client. Reads of qm2qm that hold a message go on: their handles live until their end."""
        session.closed_at = moment
        if unanswered:
            session.doubt = Reason.RESPONSE_NOT_CAPTURED
        self._registry.delist(session)
        self._session(session, SessionState.CLOSED)

    def superseded(self, session: Session, moment: Moment) -> None:
        """The queue is opened in view: what was known of an earlier opening belongs to another session."""
        self._abandon(session, moment, Reason.OPEN_NOT_SEEN)

    def forgotten(self, session: Session, moment: Moment) -> None:
        """Whoever uses it later uses something that is no longer known here."""
        session.pair.forgot.go_blind(moment, Reason.LIMIT)
        self._abandon(session, moment, Reason.LIMIT)

    def severed(self, pair: Pair, association: Association, moment: Moment) -> None:
        """[MS-MQQP] 3.1.6: with the last connection the server runs down what is open, and returns what was held."""
        for read in list(association.reads.values()):
            if not read.is_over:
                began = read.start.began if read.start else moment
                gone = association.all_closed or association.has_lost(began)
                read.doubt = read.doubt or unseen_since(pair, association, began)
                read.severance = association.severance_of(began)
                if gone and _takes_at_once(read):
                    gone, read.doubt = False, read.doubt or Reason.RESPONSE_NOT_CAPTURED
                self.read(read, ReadOutcome.RUNDOWN if gone else ReadOutcome.UNFINISHED, moment)
        for session in list(association.sessions.values()):
            if not session.is_over:
                session.doubt = session.doubt or unseen_since(pair, association, session.first.until)
                session.severance = association.severance_of(session.first.until)
                if association.all_closed and session.closed_at is None:
                    session.closed_at = moment
                self._registry.delist(session)
                gone = association.all_closed or association.has_lost(session.first.until)
                if not gone and association.may_have_lost(session.first.until):
                    session.doubt = session.doubt or Reason.RESET
                state = SessionState.RUNDOWN if gone else SessionState.OPEN_AT_END
                self._session(session, SessionState.CLOSED if session.closed else state)

    def doubt(self, pair: Pair, reason: Reason) -> None:
        """All that the client has open."""
        held = [one for of in pair.associations for one in (*of.sessions.values(), *of.reads.values())]
        named = [one for sessions in pair.by_queue.values() for one in sessions]
        for one in (*held, *named, *pair.by_handle.values(), *pair.reads.values()):
            one.doubt = one.doubt or reason

    def capture_ended(self, pair: Pair) -> None:
        for association in pair.associations:
            association.all_closed = False
            self.severed(pair, association, END)
        left = {id(one): one for sessions in pair.by_queue.values() for one in sessions}
        left |= {id(one): one for one in pair.by_handle.values()}
        for read in list(pair.reads.values()):
            self.read(read, ReadOutcome.UNFINISHED, END)
        for session in left.values():
            self._session(session, SessionState.OPEN_AT_END)

    def _abandon(self, session: Session, moment: Moment, reason: Reason) -> None:
        session.doubt = session.doubt or reason
        for read in list(session.reads.values()):
            read.doubt = read.doubt or reason
            self.read(read, ReadOutcome.UNFINISHED, moment)
        self._registry.delist(session)
        self._session(session, SessionState.OPEN_AT_END)

    def _count(self, session: Session, read: Read) -> None:
        session.reads.pop(id(read), None)
        if read.request_id is not None:
            left = [one for one in session.outstanding.pop(read.request_id, ()) if one is not read]
            if left:
                session.outstanding[read.request_id] = left
            session.finished.put(read.request_id, read)
        outcome = read.outcome or ReadOutcome.UNFINISHED
        session.outcomes[outcome] = session.outcomes.get(outcome, 0) + 1
        if read.is_receive or read.removed_or_put_back:
            session.receives += 1
        elif read.is_peek:
            session.peeks += 1
        else:
            session.unknown_reads += 1
        if read.message_bytes:
            session.disclosed[outcome] = session.disclosed.get(outcome, 0) + read.message_bytes
        if read.sequential_id is not None:
            _remember(session, read, read.sequential_id)

    def _session(self, session: Session, state: SessionState) -> None:
        if session.is_over:
            return
        session.state = SessionState.OPEN_NOT_SEEN if session.opened is None else state
        if session.close_given_up and state is not SessionState.CLOSED:
            session.doubt = session.doubt or Reason.TIMES_CROSS
        self._links.over(session, session.closed_at)
        if session.association is not None:
            session.association.drop(session)
        self._settle(session)

    def _end(self, session: Session) -> None:
        if session.kind is SessionKind.SESSION:
            self._links.join_late(session)
        self._steps.append(SessionStep(session, session.pair, session.first))
        session.opened, session.closed = slim(session.opened), slim(session.closed)
        session.forget()


def _takes_at_once(read: Read) -> bool:
    """[MS-MQMP] 3.1.5.3: one call is all of it, and nothing is left to be run down, whether or not it was answered."""
    return read.start is not None and read.start.method == v.AC_RECEIVE and not read.is_peek


def _ends_by_itself(read: Read) -> bool:
    """The client asked for its end, and the server's answer, which is still to come, does not deny it."""
    asked = read.given_up
    if asked is None or asked.fault is not None:
        return False
    return asked.status == v.MQ_OK or (asked.status is None and asked.method in v.REMOTE_ENDS)


def _unknown_action(read: Read) -> Reason | None:
    """Why nobody knows whether it was a peek, where nothing but that tells what became of the message."""
    if read.unknown_fate:
        return Reason.ACTION_UNKNOWN
    left = read.outcome in _LEFT
    return not_whole(read.start) if left and read.action is None and read.start is not None else None


def _ended_by_another(read: Read) -> Reason | None:
    """Why an end may have meant this read: it was for an older one with the same request id, and nobody answered it.

    [MS-MQRR] 3.1.4.9: the server looks for the request id alone, whenever it comes to the call.
    """
    left = read.outcome in _LEFT
    if not left or not read.given_out or read.session is None or read.request_id is None or read.handle is not None:
        return None
    older = read.session.finished.get(read.request_id)
    unanswered = older is not None and older.end is not None and older.end.answered is None
    return Reason.RESPONSE_NOT_CAPTURED if unanswered else None


def unseen_since(pair: Pair, association: Association, since: Moment) -> Reason | None:
    """Why what the association left undone may have been done."""
    # That the capture ended is what the outcome says.
    told = None if association.all_closed else Reason.CAPTURE_ENDED
    reasons = (pair.blind_since(since), association.blind_since(since))
    reason = next((one for one in reasons if one not in (None, told)), None)
    # One that began before the capture may have other connections, which say nothing any more.
    gone = association.all_closed or association.has_lost(since)
    return reason or (Reason.STARTED_MIDSTREAM if association.born is None and gone else None)


def _remember(session: Session, read: Read, message: int) -> None:
    """What is certain of a message is not forgotten for what is in doubt."""
    before = session.acked.get(message)
    if read.outcome is ReadOutcome.ACKED and (before is None or before.doubt is not None or read.doubt is None):
        session.acked.put(message, read)
    elif read.outcome is ReadOutcome.NACKED and read.doubt is None:
        session.nacked.put(message, read)
