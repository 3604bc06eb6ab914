"""[MS-MQRR], the client: what was begun is brought to an end, by its own method and once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.left_open import left_open
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule, Subject
from pipelines.rules.queue_access import opened_here, unopened
from pipelines.rules.shown import code_shown
from pipelines.rules.starts import end_asked_before
from pipelines.sessions.model import ReadOutcome, SessionState
from pipelines.sessions.reading import forgets

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import CallStep, ReadStep, SessionStep

_ENDED: Final = frozenset((ReadOutcome.ACKED, ReadOutcome.NACKED))
_COMPLETED: Final = _ENDED | {ReadOutcome.CANCELLED}
_NOTHING_TO_END: Final = frozenset(
    (v.MQ_ERROR_INVALID_PARAMETER, v.MQ_ERROR_INVALID_HANDLE, v.MQ_ERROR_MESSAGE_NOT_FOUND)
)


def _queue_closed(step: SessionStep) -> Answer:
    session = step.session
    if session.closed is not None or session.close_asked:
        return True
    if session.opened is None:
        return Reason.OPEN_NOT_SEEN
    if session.state is SessionState.RUNDOWN:
        shown = {"pphContext": session.handle, "queue": session.queue_name}
        return left_open(session.severance, session.doubt, shown, session.opened)
    return session.doubt or Reason.CAPTURE_ENDED


def _receive_completed(step: ReadStep) -> Answer:
    read = step.read
    if not read.is_receive or read.start is None:
        return None
    if read.outcome in _COMPLETED or read.end_asked is not None:
        return True
    if not read.given_out:
        # Nothing was received: nothing to complete.
        return read.doubt if read.outcome is ReadOutcome.UNFINISHED else None
    if read.outcome is not ReadOutcome.RUNDOWN:
        return read.doubt or Reason.CAPTURE_ENDED
    missed = read.session.blind_since(read.start.began) if read.session else Reason.OPEN_NOT_SEEN
    shown = {"dwRequestId": read.request_id, "phContext": read.session.handle if read.session else None}
    if read.end is not None or (read.session is not None and read.session.close_asked):
        # The client closed the queue, which lets go of the message: an end of another thread may be on its way, and the
        # message may have come when there was nothing left to end it with.
        return read.doubt or missed or Reason.TIMES_CROSS
    return left_open(read.severance, read.doubt or missed, shown, read.start)


def _end_fits_start(step: CallStep) -> Answer:
    read = step.read
    if read is None or read.start is None or read.shares_id:
        return None if step.foreign is None else unopened(step)
    if read.transactional == (step.call.method == v.REMOTE_END_IN_TRANSACTION):
        return True
    shown = {"dwRequestId": read.request_id, "started by": read.start.operation, "ended by": step.call.operation}
    # An end, and a start of the other kind, may have been missed.
    return step.blind_since(read.start.began) or Broken(shown)


def nothing_to_end(step: CallStep, session: Session) -> Reason | None:
    """Of an end for which no receive is known; None: there was none."""
    if session.opened is None:
        return Reason.OPEN_NOT_SEEN
    return step.blind_since(session.opened.until) or forgets(session)


def _end_outstanding(step: CallStep) -> Answer:
    session = opened_here(step)
    if step.read is not None and step.read.start is not None:
        return True
    if session is None:
        return unopened(step)
    if not step.failed or step.code not in _NOTHING_TO_END:
        return Reason.OPEN_NOT_SEEN
    if step.waiting_read is not None:
        # Its answer may be on its way.
        return Reason.TIMES_CROSS
    past = step.past_read
    if past is not None and not past.is_peek and not past.is_receive:
        return Reason.ACTION_UNKNOWN
    if past is None or past.is_peek:
        shown = {"dwRequestId": step.request.get("dwRequestId"), "answer": code_shown(step.code)}
        return nothing_to_end(step, session) or Broken(shown)
    return _ended_again(step, past)


def _ended_again(step: CallStep, past: Read) -> Answer:
    """3.1.4.7 can be read as asking for the end of a receive that failed."""
    if past.outcome not in _ENDED or past.start is None or past.end is None:
        return None
    reason = past.doubt or step.blind_since(past.start.began)
    return reason or Broken({"dwRequestId": past.request_id, "ended before by": past.end.call_uid})


def _cancel_outstanding(step: CallStep) -> Answer:
    session = opened_here(step)
    # 3.1.4.8 asks for the number of a start, not that its answer is still to come: that the client cannot know.
    if step.read is not None or step.past_read is not None:
        return True
    if session is None or session.opened is None:
        return unopened(step)
    if not step.failed:
        return Reason.OPEN_NOT_SEEN
    if (reason := step.blind_since(session.opened.until) or forgets(session)) is not None:
        return reason
    return Broken({"dwRequestId": step.request.get("dwRequestId"), "answer": code_shown(step.code)})


def _request_id_unique(step: CallStep) -> Answer:
    session, rival = opened_here(step), step.rival
    if session is None:
        return unopened(step)
    # Closing the queue gives up whatever waits on it: 3.1.4.3.
    if rival is None or rival.start is None or session.close_asked:
        return True
    if ended := end_asked_before(step, rival):
        return ended
    if (reason := step.blind_since(rival.start.began)) is not None:
        return reason
    if rival.start.answered is None:
        return Reason.RESPONSE_NOT_CAPTURED
    return Broken({"dwRequestId": rival.request_id, "still under way": rival.start.call_uid})


_client = partial(Rule, document="MS-MQRR", keyword="MUST", party=Party.CLIENT, level=Level.LOW)
_NOT_ALL_SEEN: Final = "the association was not seen to end, or anything between the two hosts was missed meanwhile"

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqrr-queue-closed",
        "An opened queue was not closed",
        section="2.2.4, 3.2.4.13",
        requirement="A client closes with R_CloseQueue what it opened, to read from it or to move to it.",
        subject=Subject.SESSION,
        check=_queue_closed,
        undecidable_when=_NOT_ALL_SEEN,
    ),
    _client(
        "mqrr-receive-completed",
        "A received message was neither acknowledged nor cancelled",
        section="3.1.4.7, 3.1.4.9, 3.1.4.13, 3.1.4.15, 3.2.4.4.1, 3.2.4.4.2, 3.2.4.10.1, 3.2.4.10.2",
        requirement="A receive that brought a message is ended by R_EndReceive or R_EndTransactionalReceive, or "
        "cancelled by R_CancelReceive.",
        subject=Subject.READ,
        check=_receive_completed,
        undecidable_when=_NOT_ALL_SEEN,
    ),
    _client(
        "mqrr-end-fits-start",
        "A receive was ended by the method of the other kind",
        section="3.1.4.7, 3.1.4.9, 3.1.4.13, 3.1.4.15",
        requirement="R_EndReceive ends what R_StartReceive began, R_EndTransactionalReceive what "
        "R_StartTransactionalReceive began.",
        level=Level.MEDIUM,
        operations=v.REMOTE_ENDS,
        needs=REQUEST,
        check=_end_fits_start,
        undecidable_when="anything was missed since the start",
    ),
    _client(
        "mqrr-end-outstanding",
        "A receive was ended that was not under way",
        section="3.1.4.7, 3.1.4.9, 3.1.4.13, 3.1.4.15",
        requirement="An end carries the handle and dwRequestId of a receive that brought a message and was not ended.",
        level=Level.MEDIUM,
        operations=v.REMOTE_ENDS,
        needs=BOTH,
        check=_end_outstanding,
        undecidable_when="the server accepts it, the opening was not seen, or anything was missed since",
    ),
    _client(
        "mqrr-cancel-outstanding",
        "A read was cancelled that had not been begun",
        section="3.1.4.7, 3.1.4.8, 3.2.4.11",
        requirement="R_CancelReceive carries the handle and dwRequestId of a read that was begun.",
        operations=(v.REMOTE_CANCEL,),
        needs=BOTH,
        check=_cancel_outstanding,
        undecidable_when="the server accepts it, or anything was missed since the open",
    ),
    _client(
        "mqrr-request-id-unique",
        "A request id was used again while its first read was under way",
        section="3.1.4.7, 3.1.4.13, 3.2.4.3, 3.2.4.4.1, 3.2.4.4.2, 3.2.4.9, 3.2.4.10.1, 3.2.4.10.2",
        requirement="On one handle a dwRequestId is used again only after its read was ended or cancelled.",
        keyword="MUST NOT",
        operations=v.REMOTE_STARTS,
        needs=REQUEST,
        check=_request_id_unique,
        undecidable_when="the opening was not seen, or anything was missed since the first read",
    ),
)
