"""Which session a call means, and what becomes of one that nobody was seen to open."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.readable import not_whole
from pipelines.facts.reasons import Reason
from pipelines.facts.versions import goes_by_queue
from pipelines.sessions.model import Session, SessionKind
from pipelines.sessions.registry import MAX_OF_A_NAME
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.versions import Version
    from pipelines.sessions.ending import EndingSteps
    from pipelines.sessions.model import Number, Read
    from pipelines.sessions.registry import Registry
    from pipelines.sessions.steps import CallStep
    from pipelines.sessions.units import Transaction

MAX_SESSIONS: Final = 4_096
"""Open ones of one association. Past it the oldest ends, in doubt: a peer may name any number of queues."""

_CLOSE_AND_OPEN: Final = 24 + 20 + 24 + 32
"""Bytes of the two requests by which a number becomes another queue's, at the least: [MS-MQQP] 3.1.4.4, 3.1.4.2."""


class References:
    def __init__(self, registry: Registry, ending: EndingSteps) -> None:
        self._registry, self._ending = registry, ending

    def names_queue(self, step: CallStep) -> None:
        self.refer(step, step.number(step.request, "hQueue"))

    def refer_to_handle(self, step: CallStep, handle: str | None, kind: SessionKind) -> None:
        """Find the session of a context handle; `first_seen` where the client was not seen to get it."""
        if handle is None:
            return
        pair = step.pair
        holder = pair.by_handle.get(handle) or pair.reads.get(handle) or pair.transactions.get(handle)
        if holder is not None and holder.kind is not kind:
            step.misplace(holder)
        elif isinstance(holder, Session):
            step.session = holder
            step.session_doubt = holder.maybe_another or not_of_here(step, holder)
            step.other_association = step.connection is None or holder.association is not step.connection.association
        else:
            step.first_seen = True
            step.past_session = pair.past_sessions.get(handle)
            step.foreign = self._registry.session_of_another(pair, handle)

    def settle_handle(self, step: CallStep, handle: str | None, kind: SessionKind) -> None:
        """After the answer: a handle that the server takes stands for an open queue, whoever saw the opening."""
        if step.session is not None or handle is None or not step.succeeded:
            return
        if step.past_session is None and step.foreign is None and step.misplaced is None:
            _came_to_light(step, step.pair.by_handle.get(handle) or self.adopt(step, kind=kind, handle=handle))

    def refer(self, step: CallStep, queue_handle: Number | None) -> None:
        """Find the session of a queue handle; where the client has none open, one whose opening was not seen."""
        if queue_handle is None:
            return
        pair = step.pair
        sessions = pair.by_queue.get(queue_handle)
        if sessions:
            association = step.connection.association if step.connection else None
            own = [session for session in sessions if session.association is association]
            step.session, doubt = _meant(own or sessions, queue_handle, step.server_version)
            step.session_doubt = doubt or step.session.maybe_another
            step.number_doubt = _given_again(step.session)
            step.other_association = not own
            if not own:
                # The server may have been started again, and have given the number to another.
                step.session_doubt = step.session_doubt or step.session.blind_since(step.session.first.until)
            return
        step.first_seen = True
        step.opening = queue_handle in pair.opening
        step.past_session = pair.past_sessions.get(queue_handle)
        step.foreign = self._registry.session_of_another(pair, queue_handle)

    def adopt(
        self,
        step: CallStep,
        *,
        kind: SessionKind = SessionKind.SESSION,
        handle: str | None = None,
        queue_handle: int | None = None,
        context: int | None = None,
    ) -> Session:
        """A session for a call that the server accepted although its opening was not seen."""
        half = _half_known(step, kind, by_handle=handle is not None)
        doubt = None if queue_handle is None else _may_be_cut(step, half)
        if half is not None:
            half.maybe_another = doubt or _may_be_past(half)
            half.doubt = Reason.OPEN_NOT_SEEN if half.opened is None else not_whole(half.opened)
            half.handle, half.queue_handle = half.handle or handle, half.queue_handle or queue_handle
            half.context = half.context or context
            self._registry.enlist(half)
            if half.association is not None:
                half.association.note(half)
            return half
        uid = derived_uid("S", step.call.call_uid)
        session = Session(uid, step.pair, step.call, None, handle, queue_handle, kind)
        session.context = context
        # What is missed just now may be the answer to its opening, which comes later.
        session.maybe_another = doubt or _may_be_past(session) or step.blind_since(step.call.until)
        self.register(step, session)
        return session

    def register(self, step: CallStep, session: Session) -> None:
        for number in session.numbers if session.opened is not None else ():
            standing = step.pair.by_queue.get(number)
            if standing and standing[-1].opened is None:
                self._ending.superseded(standing[-1], session.first.until)
        self._registry.enlist(session)
        for number in session.numbers:
            alike = step.pair.by_queue.get(number, ())
            if len(alike) > MAX_OF_A_NAME:
                self._ending.forgotten(alike[0], session.first.until)
        if step.connection is not None:
            session.association = step.connection.association
            session.association.note(session)
            sessions = session.association.sessions
            if len(sessions) > MAX_SESSIONS:
                self._ending.forgotten(next(iter(sessions.values())), session.first.until)

    def settle(self, step: CallStep, queue_handle: int | None) -> None:
        """After the answer: a queue that the server knows is open, whoever saw the opening."""
        if step.session is None and step.succeeded and queue_handle is not None:
            sessions = step.pair.by_queue.get(queue_handle)
            _came_to_light(step, sessions[-1] if sessions else self.adopt(step, queue_handle=queue_handle))


def _came_to_light(step: CallStep, session: Session) -> None:
    """With the answer: what was done by this call is as doubtful as what later ones do."""
    step.session, step.session_doubt = session, session.maybe_another


def not_of_here(step: CallStep, holder: Session | Read | Transaction) -> Reason | None:
    """[MS-RPCE] 3.3.1.4.1: a handle is good in one association; in another it may be one given out of sight."""
    here = step.connection is not None and holder.association is step.connection.association
    return None if here or step.call.fault is not None else step.association_incomplete()


def _meant(sessions: list[Session], number: Number, server: Version | None) -> tuple[Session, Reason | None]:
    """The newest of those that a number names, and whether it may be another.

    [MS-MQQP] 3.1.4.3: servers go by dwpContext, whatever hQueue a client chose; Windows NT and 2000 by hQueue.
    """
    by_queue = goes_by_queue(server)
    named = [one for one in sessions if (one.queue_handle if by_queue else one.context) == number] or sessions
    others = named if by_queue is not None else sessions
    for one in others:
        # It may be one of theirs that is counted there.
        if one is not named[-1]:
            one.uncounted = one.uncounted or Reason.SEVERAL_OPENS
    return named[-1], Reason.SEVERAL_OPENS if len(others) > 1 else None


def _given_again(session: Session) -> Reason | None:
    """Why its number may be another's by now: it was closed out of sight, which only its own association can do."""
    association, since = session.association, session.first.until
    if association is None:
        return None
    unheard = [*association.missed.since(since), *session.pair.stray.since(since)]
    reason = unheard[-1][1] if sum(size for size, _ in unheard) >= _CLOSE_AND_OPEN else None
    unknown = association.blind_since(since) is Reason.ASSOCIATION_UNKNOWN
    return reason or (Reason.ASSOCIATION_UNKNOWN if unknown else None)


def _may_be_cut(step: CallStep, but: Session | None) -> Reason | None:
    """Why a number may be of another session, whose opening was cut: numbers are valid in every association."""
    pair = step.pair
    for one in [one for one in pair.numberless_counted.values() if one is not but]:
        # What is counted in it may be too little.
        one.doubt = one.doubt or Reason.BYTES_MISSING
        del pair.numberless_counted[id(one)]
    return Reason.BYTES_MISSING if len(pair.numberless) > (id(but) in pair.numberless) else None


def _may_be_past(session: Session) -> Reason | None:
    """Why it may be one that only seemed over: on a connection that shows itself later it may have gone on."""
    past = (session.pair.past_sessions.get(one) for one in session.handles)
    return next((one.doubt for one in past if one is not None and one.doubt is not None), None)


def _half_known(step: CallStep, kind: SessionKind, *, by_handle: bool) -> Session | None:
    """The only session of the association that is known by its other name alone: its opening was cut or not seen."""
    found = step.connection.association.half_known.get((kind, by_handle), {}) if step.connection else {}
    return next(iter(found.values())) if len(found) == 1 else None
