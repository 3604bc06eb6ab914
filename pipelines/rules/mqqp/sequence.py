"""[MS-MQQP], the client: rules that need what came before.

A use that the server accepts was begun somewhere: whoever did not see it calls it no violation. A use that the server
refuses is one only if nothing between the two hosts can have been missed.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.mqqp.not_open import denied, queue_named, queue_not_open
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.stale import blameless, own
from pipelines.rules.starts import end_asked_before
from pipelines.sessions.model import ReadOutcome

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Read
    from pipelines.sessions.steps import CallStep

_ENDED: Final = frozenset((ReadOutcome.ACKED, ReadOutcome.NACKED))
_NOTHING_TO_END: Final = frozenset((ReadOutcome.TIMED_OUT, ReadOutcome.FAILED))


def _open_before_use(step: CallStep) -> Answer:
    if step.call.method == v.CLOSE:
        return _close_of_opened(step)
    if not step.first_seen:
        return True if step.session and step.session.opened else Reason.OPEN_NOT_SEEN
    if step.opening:
        return Reason.TIMES_CROSS
    shown = {"hQueue": hexadecimal(queue_named(step)), "answer": code_shown(step.code)}
    return queue_not_open(step) or _after_close(step, shown)


def _close_of_opened(step: CallStep) -> Answer:
    handle = step.request.get("pphContext")
    if handle is None:
        return None
    if step.session is not None and own(step, step.session):
        return True if step.session.opened else Reason.OPEN_NOT_SEEN
    return denied(step) or _after_close(step, {"pphContext": handle, "answer": code_shown(step.code)})


def _after_close(step: CallStep, shown: dict[str, str]) -> Answer:
    past = step.past_session
    closed = past.closed.call_uid if past is not None and past.closed is not None else None
    return blameless(step, past) or Broken(shown | {"closed by": closed})


def _end_known_handle(step: CallStep) -> Answer:
    handle = step.request.get("pphContext")
    if handle is None or (step.past_read is not None and own(step, step.past_read)):
        return None
    if step.read is not None and step.read.start is not None and own(step, step.read):
        return True
    shown = {"pphContext": handle, "given for": step.misplaced, "answer": code_shown(step.code)}
    return denied(step) or (Reason.GIVEN_EARLIER if step.misplaced is None else Broken(shown))


def _end_once(step: CallStep) -> Answer:
    if step.read is not None and step.read.start is not None:
        return True
    past = step.past_read
    if past is None or not past.is_over or past.outcome not in _ENDED or past.end is None or not own(step, past):
        return None
    return _again(step, past) or Broken({"pphContext": past.handle, "ended before by": past.end.call_uid})


def _no_end_after_failure(step: CallStep) -> Answer:
    if step.read is not None and step.read.start is not None:
        return True
    past = step.past_read
    if past is None or not past.is_over or past.outcome not in _NOTHING_TO_END or not own(step, past):
        return None
    return _again(step, past) or Broken({"pphContext": past.handle, "start": str(past.outcome)})


def _again(step: CallStep, past: Read) -> Reason | None:
    """Why the handle may have been given once more, out of sight, since that read was over."""
    if not step.failed:
        return Reason.OPEN_NOT_SEEN
    if past.doubt is not None:
        return past.doubt
    return step.blind_since(past.start.began if past.start else past.finished or step.call.began)


def _request_id_unique(step: CallStep) -> Answer:
    session, rival, desc = step.session, step.rival, step.desc
    if desc is None:
        return None
    if session is None or step.first_seen or step.other_association:
        return Reason.OPEN_NOT_SEEN
    # A call to end or cancel it was made, whatever came of that. Closing the queue gives up whatever waits: 3.1.4.4.
    if rival is None or rival.start is None or rival.start.given_up or session.close_asked:
        return True
    if ended := end_asked_before(step, rival):
        return ended
    answered = rival.start.answered
    if answered is not None and answered < step.call.began and (rival.is_peek or rival.start.status != v.MQ_OK):
        # There is nothing to end, also where the server gave a handle that it must not give.
        return True
    if (reason := step.blind_since(rival.start.began)) is not None:
        return reason
    if answered is None:
        return Reason.RESPONSE_NOT_CAPTURED
    return Broken({"dwRequestID": desc.get("dwRequestID"), "still under way": rival.start.call_uid})


def _cursor_after_close(step: CallStep) -> Answer:
    cursor = (step.desc or {}).get("hCursor", 0)
    if not cursor:
        return None
    if step.closed_cursor is None:
        return True if step.session is not None and step.session.opened else Reason.OPEN_NOT_SEEN
    # Cursors are made on another interface: one the server takes was made again.
    if step.code != v.STATUS_INVALID_PARAMETER:
        return Reason.OPEN_NOT_SEEN
    if step.soon_after(step.closed_cursor.until):
        return Reason.TIMES_CROSS
    if (reason := step.blind_since(step.closed_cursor.until)) is not None:
        return reason
    return Broken({"hCursor": hexadecimal(cursor), "closed by": step.closed_cursor.call_uid})


def _same_queue_values(step: CallStep) -> Answer:
    if step.first_seen or step.session is None:
        return None
    opened = step.session.opened
    if opened is None or step.other_association:
        return Reason.OPEN_NOT_SEEN
    used = step.request.get("pQueue") if step.call.method == v.CANCEL else (step.desc or {}).get("dwQueue")
    if used == step.session.p_queue:
        return True
    if (reason := step.blind_since(opened.until)) is not None:
        return reason
    return Broken({"pQueue at open": hexadecimal(step.session.p_queue), "used": hexadecimal(used)})


_client = partial(Rule, document="MS-MQQP", party=Party.CLIENT)
_ALL_SEEN: Final = "or anything between the two hosts was missed since their association began"

RULES: Final = (
    _client(
        "mqqp-open-before-use",
        "A queue was used after it was closed",
        section="3.1.4.3",
        requirement="A client starts, cancels, purges or closes on a queue that RemoteQMOpenQueue opened, and that it "
        "has not closed.",
        keyword="MUST",
        level=Level.MEDIUM,
        operations=(*v.STARTS, v.CANCEL, v.PURGE, v.CLOSE_CURSOR, v.CLOSE),
        needs=BOTH,
        check=_open_before_use,
        settings={"crossing_seconds": 2},
        undecidable_when=f"the client was not seen to close it, the server accepts it, {_ALL_SEEN}",
    ),
    _client(
        "mqqp-end-known-handle",
        "A receive was ended with a handle that was given for something else",
        section="3.1.4.2",
        requirement="RemoteQMEndReceive takes the handle of a receive that a start returned before.",
        keyword="MUST",
        level=Level.MEDIUM,
        operations=(v.END,),
        needs=BOTH,
        check=_end_known_handle,
        undecidable_when=f"an earlier association may have given it, the server accepts it, {_ALL_SEEN}",
    ),
    _client(
        "mqqp-end-once",
        "A receive was ended twice",
        section="3.1.4.1",
        requirement="Each receive is paired with one RemoteQMEndReceive.",
        keyword="MUST",
        level=Level.MEDIUM,
        operations=(v.END,),
        needs=BOTH,
        check=_end_once,
        undecidable_when="the server accepts it, or anything was missed since that receive began",
    ),
    _client(
        "mqqp-no-end-after-failure",
        "A failed start was ended",
        section="3.1.4.1, 3.1.4.10, 3.1.4.11",
        requirement="What stands in the handle of a start that failed must not be handed to RemoteQMEndReceive.",
        keyword="MUST NOT",
        level=Level.MEDIUM,
        operations=(v.END,),
        needs=BOTH,
        check=_no_end_after_failure,
        undecidable_when="the server accepts it, or anything was missed since that start",
    ),
    _client(
        "mqqp-request-id-unique",
        "A request id was used again while its first request was under way",
        section="2.2.2.1, 3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6",
        requirement="A client uses a dwRequestID again on a queue only after it ended or cancelled that request.",
        keyword="MUST NOT",
        level=Level.LOW,
        operations=v.STARTS,
        needs=REQUEST,
        check=_request_id_unique,
        undecidable_when="the opening was not seen, or anything was missed since the first request",
    ),
    _client(
        "mqqp-cursor-after-close",
        "A cursor was used after it was closed",
        section="2.2.2.1",
        requirement="hCursor is a cursor that exists: it was made on qmcomm and has not been closed.",
        keyword="MUST",
        level=Level.LOW,
        operations=v.BY_POSITION,
        needs=BOTH,
        check=_cursor_after_close,
        undecidable_when="the server accepts it: cursors are made on another interface, maybe by another host",
    ),
    _client(
        "mqqp-same-queue-values",
        "The queue is named by other values than at its opening",
        section="3.2.4.2, 3.2.4.3, 3.2.4.5, 3.2.4.6, 3.2.4.7",
        requirement="dwQueue of a start and pQueue of a cancel are the dwpQueue that the opening was made with.",
        keyword="MUST",
        level=Level.LOW,
        operations=(*v.STARTS, v.CANCEL),
        needs=REQUEST,
        check=_same_queue_values,
        undecidable_when="the opening was not seen, or anything was missed since",
    ),
)
