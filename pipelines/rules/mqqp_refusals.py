"""[MS-MQQP], the server: the error demanded where what came before makes a call wrong."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.demanded import demanded
from pipelines.rules.model import BOTH, Exemption, Level, Party, Rule
from pipelines.rules.mqqp_errors import nothing_pending, queue_values_fit
from pipelines.rules.not_open import queue_named, queue_not_open
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Read
    from pipelines.sessions.steps import CallStep

_SERVER_2003: Final = (5, 2, 0)
_STATUS_NOT_FOUND: Final = 0xC000_0225
_TAKEN: Final = frozenset(
    (
        v.MQ_OK,
        v.MQ_ERROR_IO_TIMEOUT,
        v.MQ_ERROR_OPERATION_CANCELLED,
        v.MQ_INFORMATION_REMOTE_CANCELED_BY_CLIENT,
    )
)
"""Answers to a start that the server found nothing wrong with."""
_NOT_OPEN: Final = {**dict.fromkeys(v.STARTS, v.MQ_ERROR_INVALID_PARAMETER), v.PURGE: v.MQ_ERROR_INVALID_HANDLE}
_NOT_PENDING: Final = (v.MQ_ERROR, v.MQ_ERROR_INVALID_HANDLE)
_ABOUT_OTHERS: Final = frozenset((v.MQ_ERROR_INVALID_HANDLE, v.MQ_ERROR_INVALID_PARAMETER))
"""They stand for no descriptor; for queue values that do not fit, a request id in use, a queue that is not open."""


def _duplicate_request(step: CallStep) -> Answer:
    rival = step.rival
    if step.desc is None or rival is None or rival.start is None or not _pending(rival, step):
        return None
    if step.code == v.MQ_ERROR_INVALID_PARAMETER:
        return True
    if rival.given_up is not None or step.code not in _TAKEN:
        return None
    if (reason := step.blind_since(rival.start.began)) is not None:
        return reason
    apart = step.call.began.ts_ns - rival.start.began.ts_ns
    if rival.start.uid != step.call.uid or apart < step.settings["crossing_seconds"] * 1_000_000_000:
        return Reason.TIMES_CROSS
    shown = {"dwRequestID": step.desc.get("dwRequestID"), "still pending": rival.start.call_uid}
    return demanded(step, (v.MQ_ERROR_INVALID_PARAMETER,), shown)


def _pending(rival: Read, step: CallStep) -> bool:
    """Still waiting when the second was answered: once its own answer is out the server has forgotten its id."""
    first, answered = rival.start, step.call.answered
    if first is None or answered is None or first.fault is not None:
        return False
    return first.answered is None or (first.answered > answered and first.status in _TAKEN)


def _unknown_cursor(step: CallStep) -> Answer:
    if step.closed_cursor is None or step.call.fault is not None:
        return None
    if step.code == v.STATUS_INVALID_PARAMETER:
        return True
    # Cursors are made on another interface: this one may have been made again.
    if step.code not in _ABOUT_OTHERS:
        return Reason.OPEN_NOT_SEEN
    if not queue_values_fit(step) or step.rival is not None:
        return None
    if (reason := nothing_pending(step)) is not None:
        return reason
    shown = {"hCursor": hexadecimal((step.desc or {}).get("hCursor")), "closed by": step.closed_cursor.call_uid}
    return demanded(step, (v.STATUS_INVALID_PARAMETER,), shown)


def _not_open(step: CallStep) -> Answer:
    if not step.first_seen:
        return None
    shown = {"hQueue": hexadecimal(queue_named(step))}
    return queue_not_open(step) or demanded(step, (_NOT_OPEN[step.call.operation or ""],), shown)


def _cursor_close(step: CallStep) -> Answer:
    if not step.first_seen:
        return None
    shown = {"hQueue": hexadecimal(queue_named(step)), "hCursor": hexadecimal(step.request.get("hCursor", 0))}
    return queue_not_open(step) or demanded(step, (v.MQ_ERROR_INVALID_HANDLE,), shown)


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
        ),
        undecidable_when="the two may have crossed on their way, or anything was missed since the first",
    ),
    _server(
        "mqqp-error-unknown-cursor",
        "A start with a closed cursor got another answer than STATUS_INVALID_PARAMETER",
        section="3.1.4.1, 3.1.4.10",
        requirement="A cursor that the queue does not have is answered with STATUS_INVALID_PARAMETER.",
        keyword="MUST",
        operations=v.BY_POSITION,
        check=_unknown_cursor,
        undecidable_when="the server takes it, or fails for a reason of its own: the cursor may have been made again",
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
        "A cursor of a queue that was not open got another answer than MQ_ERROR_INVALID_HANDLE",
        section="3.1.4.5",
        requirement="Where hQueue is not open the answer to RemoteQMCloseCursor is MQ_ERROR_INVALID_HANDLE.",
        keyword="MUST",
        operations=(v.CLOSE_CURSOR,),
        check=_cursor_close,
        undecidable_when=f"the server does not deny that it is open, {_ALL_SEEN}",
    ),
)
