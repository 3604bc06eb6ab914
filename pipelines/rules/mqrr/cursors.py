"""[MS-MQRR]: cursors, which belong to the handle that they were made with."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.demanded import demanded
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqrr.requests import unsuitable
from pipelines.rules.queue_access import opened_here, unopened
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.sessions.reading import MAX_CURSORS

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_NO_CURSOR: Final = frozenset(
    (v.STATUS_INVALID_HANDLE, v.MQ_ERROR_INVALID_HANDLE, v.MQ_ERROR_INVALID_PARAMETER, v.STATUS_INVALID_PARAMETER)
)
"""By these a server may mean that there is no such cursor; any other answer says nothing of it."""
_ALSO_DEMANDED: Final = (v.MQ_ERROR_INVALID_HANDLE, v.MQ_ERROR_INVALID_PARAMETER)
"""3.1.4.7 has a table of return values with the first and without STATUS_INVALID_HANDLE, and asks for the second where
any argument is no valid one, before it comes to the cursor."""


def _cursor(step: CallStep) -> int:
    return int(step.request.get("hCursor", 0))


def _denied(step: CallStep) -> bool:
    if step.call.fault is not None or step.code not in _NO_CURSOR:
        return False
    # The code is also that of other bad arguments: then it proves nothing.
    return step.call.method == v.REMOTE_CLOSE_CURSOR or not unsuitable(step)


def _cursor_of_handle(step: CallStep) -> Answer:
    session, cursor = opened_here(step), _cursor(step)
    if not cursor and step.call.method != v.REMOTE_CLOSE_CURSOR:
        return None
    if session is None or session.opened is None:
        return unopened(step)
    if step.cursor_known or session.made_cursors.get(cursor) is not None:
        return True
    if session.is_over:
        # The queue was closed before the answer, and its cursors are out of mind.
        return Reason.TIMES_CROSS
    # 3.1.4.7 asks of a read's cursor only that R_CreateCursor gave it: a lost connection may have had it.
    if not _denied(step) or step.call.method != v.REMOTE_CLOSE_CURSOR:
        return Reason.OPEN_NOT_SEEN
    shown = {"hCursor": hexadecimal(cursor), "answer": code_shown(step.code)}
    return step.blind_since(session.opened.until) or _forgotten(session) or Broken(shown)


def _forgotten(session: Session) -> Reason | None:
    return Reason.LIMIT if session.made_cursors.full or len(session.cursors) >= MAX_CURSORS else None


def _held_elsewhere(step: CallStep) -> bool:
    """Another handle of the client has a cursor of that number, which 3.1.4.7 does not tell from one of this handle."""
    cursor = _cursor(step)
    return any(cursor in one.cursors for one in step.pair.by_handle.values() if one is not step.session)


def _cursor_after_close(step: CallStep) -> Answer:
    closed = step.closed_cursor
    if closed is None:
        return True if step.cursor_known else None
    if not _denied(step) or _held_elsewhere(step):
        return Reason.OPEN_NOT_SEEN
    if step.soon_after(closed.until):
        return Reason.TIMES_CROSS
    shown = {"hCursor": hexadecimal(_cursor(step)), "closed by": closed.call_uid}
    return step.blind_since(closed.until) or Broken(shown)


def _error_cursor(step: CallStep) -> Answer:
    closed = step.closed_cursor
    if closed is None or step.call.fault is not None:
        return None
    if step.code == v.STATUS_INVALID_HANDLE:
        return True
    if not _denied(step):
        # The server looks through the cursors of all handles, and may have found it there.
        return Reason.OPEN_NOT_SEEN
    if step.code in _ALSO_DEMANDED:
        return Reason.TEXTS_CONTRADICT
    shown = {"hCursor": hexadecimal(_cursor(step)), "closed by": closed.call_uid}
    return step.blind_since(closed.until) or demanded(step, (v.STATUS_INVALID_HANDLE,), shown)


_client = partial(Rule, document="MS-MQRR", party=Party.CLIENT, level=Level.LOW, needs=BOTH)
_WITH_CURSOR: Final = (v.REMOTE_CLOSE_CURSOR, *v.REMOTE_STARTS)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqrr-cursor-of-handle",
        "A cursor was closed that had not been made with that handle",
        section="3.1.4.5, 3.1.4.7, 3.1.4.13",
        requirement="hCursor was given by R_CreateCursor; it is closed with the handle that it was made with.",
        keyword="MUST",
        operations=_WITH_CURSOR,
        check=_cursor_of_handle,
        undecidable_when="a read uses one that was not seen to be made: another handle, or a lost one, may have it; "
        "the server does not deny it, the opening was not seen, or anything was missed since",
    ),
    _client(
        "mqrr-cursor-after-close",
        "A cursor was used or closed after it had been closed",
        section="3.1.4.5, 3.1.4.7, 3.1.4.13",
        requirement="A cursor is not used after R_CloseCursor.",
        keyword="MUST NOT",
        operations=_WITH_CURSOR,
        check=_cursor_after_close,
        undecidable_when="the server does not deny it, another handle has one of that number, it may have crossed the "
        "close, or anything was missed since",
    ),
    Rule(
        "mqrr-error-cursor",
        "A read with a closed cursor got another answer than STATUS_INVALID_HANDLE",
        document="MS-MQRR",
        section="3.1.4.7, 3.1.4.13",
        requirement="A cursor that is not there, or closed, is answered with STATUS_INVALID_HANDLE.",
        keyword="MUST",
        party=Party.SERVER,
        level=Level.LOW,
        operations=v.REMOTE_STARTS,
        needs=BOTH,
        check=_error_cursor,
        undecidable_when="the answer is one that the document has for the same case elsewhere "
        "(MQ_ERROR_INVALID_HANDLE, MQ_ERROR_INVALID_PARAMETER); or the server takes it: another handle may have such "
        "a cursor",
    ),
)
