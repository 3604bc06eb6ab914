"""[MS-MQMP]: cursors, which belong to the queue handle that they were made on."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.queue_access import opened_here, unopened
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.sessions.reading import MAX_CURSORS

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_RESERVED: Final = 0x0B
_NO_SUCH_CURSOR: Final = frozenset(
    (v.MQ_ERROR_INVALID_HANDLE, v.MQ_ERROR_INVALID_PARAMETER, v.STATUS_INVALID_PARAMETER, v.STATUS_INVALID_HANDLE)
)
"""Whatever else a server answers shows that it knew the cursor."""
_RPC_S_ACCESS_DENIED: Final = 5
_NOT_SUPPORTED: Final = (v.MQ_ERROR_ILLEGAL_OPERATION, _RPC_S_ACCESS_DENIED)


def cursor_named(step: CallStep) -> int:
    """0 where there is none to be judged."""
    if step.call.method == v.AC_CLOSE_CURSOR:
        cursor = step.request.get("hCursor", 0)
        return 0 if cursor == _RESERVED else int(cursor)
    return int((transfer_buffer(step.request).get("Receive") or {}).get("Cursor", 0))


def _before_use(step: CallStep) -> Answer:
    cursor = cursor_named(step)
    if not cursor or step.session is None or (step.closed_cursor is not None and not step.cursor_known):
        return None
    session = opened_here(step)
    if session is None or session.opened is None:
        return Reason.OPEN_NOT_SEEN
    # Its close may be under way: it was made all the same.
    if step.cursor_known or session.made_cursors.get(cursor) is not None:
        return True
    if step.code not in _NO_SUCH_CURSOR:
        return Reason.OPEN_NOT_SEEN
    if session.is_over:
        # The queue was closed before the answer, and its cursors are out of mind.
        return Reason.TIMES_CROSS
    if len(session.cursors) >= MAX_CURSORS or session.made_cursors.full:
        return Reason.LIMIT
    shown = {"cursor": hexadecimal(cursor), "answer": code_shown(step.code)}
    return step.blind_since(session.opened.until) or Broken(shown)


def _after_close(step: CallStep) -> Answer:
    cursor, closed = cursor_named(step), step.closed_cursor
    if not cursor:
        return None
    if step.cursor_known:
        return True
    if closed is None:
        return None
    if step.code not in _NO_SUCH_CURSOR:
        # It was made again, or the call failed for another reason.
        return Reason.OPEN_NOT_SEEN
    if (reason := step.blind_since(closed.until)) is not None:
        return reason
    if step.soon_after(closed.until):
        return Reason.TIMES_CROSS
    return Broken({"cursor": hexadecimal(cursor), "closed by": closed.call_uid})


def _remote_cursor_set(step: CallStep) -> Answer:
    if step.code in _NOT_SUPPORTED:
        return None
    if step.call.method == v.REMOTE_NAME:
        return _asked_with_context(step)
    session, remote = opened_here(step), step.remote_cursor
    if step.call.method == v.AC_RECEIVE:
        if session is None or remote is None:
            return None
        if remote.tied is not None:
            return True
        shown = {"Cursor": hexadecimal(cursor_named(step)), "made by": remote.made.call_uid}
        return _refused(step) or step.blind_since(remote.made.until) or Broken(shown)
    if session is None or session.opened is None:
        return unopened(step)
    if remote is not None:
        return True
    if step.request.get("hCursor", 0) in session.cursors:
        # One that the server made itself: it was given all the same.
        return None
    if len(session.cursors) >= MAX_CURSORS:
        return Reason.LIMIT
    shown = {"hCursor": hexadecimal(step.request.get("hCursor", 0)), "answer": code_shown(step.code)}
    return _refused(step) or step.blind_since(session.opened.until) or Broken(shown)


def _asked_with_context(step: CallStep) -> Answer:
    if step.remote_context is not None:
        return True
    if step.pair.remote_contexts.full:
        return Reason.LIMIT
    return _refused(step) or step.pair_incomplete() or Reason.GIVEN_EARLIER


def _refused(step: CallStep) -> Reason | None:
    return None if step.failed else Reason.OPEN_NOT_SEEN


def _reserved(step: CallStep) -> Answer:
    if step.request.get("hCursor") != _RESERVED or step.call.fault is not None or step.code in _NOT_SUPPORTED:
        return None
    if step.succeeded:
        return True
    # Only a server that supports clients has to take it: an open queue shows that it does.
    if opened_here(step) is None:
        return Reason.OPEN_NOT_SEEN
    return Broken({"hCursor": hexadecimal(_RESERVED), "return_value": code_shown(step.call.status)})


_rule = partial(Rule, document="MS-MQMP", level=Level.LOW, needs=BOTH)
_client = partial(_rule, party=Party.CLIENT)
_WITH_CURSOR: Final = (v.AC_RECEIVE, v.AC_CLOSE_CURSOR)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqmp-cursor-before-use",
        "A cursor was used that had not been made on this queue",
        section="3.1.4.19, 3.1.5.3",
        requirement="A cursor was made by rpc_ACCreateCursorEx on the handle of the same queue.",
        keyword="MUST",
        operations=_WITH_CURSOR,
        check=_before_use,
        undecidable_when="the server accepts it, the opening was not seen, or anything was missed since",
    ),
    _client(
        "mqmp-cursor-after-close",
        "A cursor was used after it had been closed",
        section="3.1.5.3",
        requirement="A receive names no cursor that rpc_ACCloseCursor has closed.",
        keyword="MUST NOT",
        operations=(v.AC_RECEIVE,),
        check=_after_close,
        undecidable_when="the server accepts it, the two may have crossed, or anything was missed since the close",
    ),
    _client(
        "mqmp-remote-cursor-set",
        "A remote cursor was used before it was tied to its queue",
        section="3.1.4.1, 3.1.4.20, 3.2.4.8",
        requirement="A client that is sent to another server for its cursor (note <76>) asks for the path with the "
        "number it got, and sets the cursor on the same handle before it reads with it.",
        keyword="MUST",
        operations=(v.REMOTE_NAME, v.AC_SET_CURSOR, v.AC_RECEIVE),
        check=_remote_cursor_set,
        undecidable_when="the server accepts it, or anything was missed since the opening",
    ),
    _rule(
        "mqmp-cursor-reserved",
        "The reserved cursor was not taken",
        section="3.1.4.19",
        requirement="The close of cursor 0x0B is answered with MQ_OK.",
        keyword="MUST",
        party=Party.SERVER,
        level=Level.INFORMATIONAL,
        operations=(v.AC_CLOSE_CURSOR,),
        check=_reserved,
        undecidable_when="no queue was seen opened there: a server that supports no clients refuses the call",
    ),
)
