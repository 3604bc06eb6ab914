"""[MS-MQQP], the server: the error demanded where what came before makes a call wrong."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.demanded import demanded
from pipelines.rules.model import BOTH, Exemption, Level, Party, Rule
from pipelines.rules.mqqp.errors import nothing_pending
from pipelines.rules.mqqp.not_open import queue_named, queue_not_open
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_SERVER_2003: Final = (5, 2, 0)
_STATUS_NOT_FOUND: Final = 0xC000_0225
_PENDED: Final = frozenset((v.MQ_OK, v.MQ_ERROR_IO_TIMEOUT))
"""Answers to a start that waited to its end: neither refused nor cancelled."""
_TAKEN: Final = _PENDED | {v.MQ_ERROR_OPERATION_CANCELLED, v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT}
"""Answers to a start that the server found nothing wrong with."""
_NOT_OPEN: Final = {**dict.fromkeys(v.STARTS, v.MQ_ERROR_INVALID_PARAMETER), v.PURGE: v.MQ_ERROR_INVALID_HANDLE}
_NOT_PENDING: Final = (v.MQ_ERROR, v.MQ_ERROR_INVALID_HANDLE)


def _duplicate_request(step: CallStep) -> Answer:
    rival, answered = step.rival, step.call.answered
    first = None if rival is None else rival.start
    if step.desc is None or rival is None or first is None or answered is None:
        return None
    if first.answered is not None and (first.answered <= answered or first.status not in _PENDED):
        # Once its answer is out the server has forgotten its id.
        return None
    if step.code == v.MQ_ERROR_INVALID_PARAMETER:
        return True
    if rival.given_up is not None or step.code not in _TAKEN:
        return None
    if first.answered is None:
        return Reason.RESPONSE_NOT_CAPTURED
    if (reason := step.blind_since(first.began)) is not None:
        return reason
    apart = min(step.call.began.ts_ns - first.began.ts_ns, first.answered.ts_ns - answered.ts_ns)
    if first.uid != step.call.uid or apart < step.settings["crossing_seconds"] * v.NANOSECONDS:
        return Reason.TIMES_CROSS
    shown = {"dwRequestID": step.desc.get("dwRequestID"), "still pending": first.call_uid}
    return demanded(step, (v.MQ_ERROR_INVALID_PARAMETER,), shown)


def _unknown_cursor(step: CallStep) -> Answer:
    cursor = (step.desc or {}).get("hCursor", 0)
    if not cursor or step.closed_cursor is None or step.call.fault is not None:
        return None
    if step.code == v.STATUS_INVALID_PARAMETER:
        return True
    if step.code != v.MQ_ERROR_INVALID_HANDLE:
        # Cursors are made on another interface: this one may have been made again, and the read have failed elsewise.
        return Reason.OPEN_NOT_SEEN
    # That code is for a start without a descriptor, which this one has.
    shown = {"hCursor": hexadecimal(cursor), "closed by": step.closed_cursor.call_uid}
    return demanded(step, (v.STATUS_INVALID_PARAMETER,), shown)


def _not_open(step: CallStep) -> Answer:
    if not step.first_seen:
        return None
    shown = {"hQueue": hexadecimal(queue_named(step))}
    return queue_not_open(step) or demanded(step, (_NOT_OPEN[step.call.method],), shown)


def _cursor_close(step: CallStep) -> Answer:
    shown = {"hQueue": hexadecimal(queue_named(step)), "hCursor": hexadecimal(step.request.get("hCursor", 0))}
    if step.first_seen:
        return queue_not_open(step) or demanded(step, (v.MQ_ERROR_INVALID_HANDLE,), shown)
    if step.closed_cursor is None:
        return None
    if not step.failed:
        return Reason.OPEN_NOT_SEEN
    return step.blind_since(step.closed_cursor.until) or demanded(step, (v.MQ_ERROR_INVALID_HANDLE,), shown)


def _cancel_unknown(step: CallStep) -> Answer:
    queue = step.request.get("pQueue")
    if not queue or queue != step.request.get("hQueue") or step.read is not None or step.call.fault is not None:
        return None
    if step.code in _NOT_PENDING:
        return True
    if step.succeeded or step.code == _STATUS_NOT_FOUND:
        # The server knows of one: it was asked for out of sight.
        return Reason.OPEN_NOT_SEEN
    if (reason := nothing_pending(step)) is not None:
        return reason
    shown = {"dwRequestID": step.request.get("dwRequestID")}
    return demanded(step, _NOT_PENDING, shown)


_server = partial(Rule, document="MS-MQQP", party=Party.SERVER, level=Level.LOW, needs=BOTH)
_ALL_SEEN: Final = "or anything between the two hosts was missed since their association began"

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqqp-error-duplicate-request",
        "A start with the id of a pending request was not refused",
        section="3.1.4.1, 3.1.4.10",
        requirement="A dwRequestID that is still pending on that queue is answered with MQ_ERROR_INVALID_PARAMETER.",
        keyword="SHOULD",
        operations=v.BY_POSITION,
        check=_duplicate_request,
        exemptions=(
            Exemption("<10>", "Windows XP and older do not look for it", lambda version: version < _SERVER_2003),
            Exemption("<26>", "Windows XP and older do not look for it", lambda version: version < _SERVER_2003),
        ),
        undecidable_when="requests or answers may have crossed, the first was not seen to be answered, or anything was "
        "missed since",
    ),
    _server(
        "mqqp-error-unknown-cursor",
        "A start with a closed cursor got another answer than STATUS_INVALID_PARAMETER",
        section="3.1.4.1, 3.1.4.10",
        requirement="A cursor that the queue does not have is answered with STATUS_INVALID_PARAMETER.",
        keyword="MUST",
        operations=v.BY_POSITION,
        check=_unknown_cursor,
        undecidable_when="the server takes it, or fails in another way: the cursor may have been made again",
    ),
    _server(
        "mqqp-error-not-open",
        "A call on a queue that was not open got another code than the one demanded",
        section="3.1.4.1, 3.1.4.7, 3.1.4.10, 3.1.4.11",
        requirement="On a queue that is not open a start gets MQ_ERROR_INVALID_PARAMETER, "
        "a purge MQ_ERROR_INVALID_HANDLE.",
        keyword="MUST",
        operations=(*v.STARTS, v.PURGE),
        check=_not_open,
        undecidable_when=f"the server does not deny that it is open, {_ALL_SEEN}",
    ),
    _server(
        "mqqp-error-cancel-unknown",
        "A cancel of nothing got another answer than MQ_ERROR or MQ_ERROR_INVALID_HANDLE",
        section="3.1.4.6",
        requirement="Where no request of that id is pending the answer is MQ_ERROR, "
        "where none is pending on the queue MQ_ERROR_INVALID_HANDLE.",
        keyword="MUST",
        operations=(v.CANCEL,),
        check=_cancel_unknown,
        undecidable_when="the server takes it, the opening was not seen, or anything was missed since",
    ),
    _server(
        "mqqp-error-cursor-close",
        "A cursor that was not there got another answer than MQ_ERROR_INVALID_HANDLE",
        section="3.1.4.5",
        requirement="Where hQueue is not open, or the cursor is closed already, the answer to RemoteQMCloseCursor is "
        "MQ_ERROR_INVALID_HANDLE.",
        keyword="MUST",
        operations=(v.CLOSE_CURSOR,),
        check=_cursor_close,
        undecidable_when=f"the server does not deny that it is open, {_ALL_SEEN}",
    ),
)
