"""[MS-MQQP], the client: numbers of queues and cursors are those that the server gave, on qmcomm."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.stale import own
from pipelines.sessions.reading import MAX_CURSORS

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NUMBERS: Final = ("hQueue", "pQueue", "dwpContext")


def _open_numbers(step: CallStep) -> Answer:
    behind = step.behind
    if behind is None:
        # Given to an application elsewhere, as is usual.
        return Reason.OTHERS_NOT_SEEN
    used = tuple(step.request.get(name, 0) for name in _NUMBERS)
    given = (behind.queue_handle or 0, behind.p_queue or 0, behind.context or 0)
    if used == given:
        return True
    # As long as that open lasts its numbers are nobody else's.
    if behind.opened is None or behind.is_over or behind.close_asked or behind.opened.until >= step.call.began:
        return Reason.OTHERS_NOT_SEEN
    reason = behind.doubt or step.view.blind_since(behind.opened.until)
    shown = dict(zip(_NUMBERS, map(hexadecimal, used), strict=True))
    return reason or Broken(shown | {"given": ", ".join(map(hexadecimal, given)), "by": behind.opened.call_uid})


def _cursor_given(step: CallStep) -> Answer:
    cursor, session = (step.desc or {}).get("hCursor", 0), step.session
    if not cursor or step.closed_cursor is not None:
        # Of one that was closed mqqp-cursor-after-close speaks.
        return None
    if step.read is not None and step.read.cursor_made is not None:
        return True
    if step.code != v.STATUS_INVALID_PARAMETER:
        return Reason.OTHERS_NOT_SEEN
    # The server has no such cursor. Only the client closes one, and it did not.
    if session is None or session.opened is None or not own(step, session) or step.cursor_known:
        return Reason.OPEN_NOT_SEEN
    if session.closed_cursors.full or len(session.cursors) >= MAX_CURSORS:
        return Reason.LIMIT
    shown = {"hCursor": hexadecimal(cursor), "answer": code_shown(step.code)}
    return step.blind_since(session.opened.until) or Broken(shown)


_client = partial(Rule, document="MS-MQQP", keyword="MUST", party=Party.CLIENT, level=Level.MEDIUM)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqqp-open-numbers",
        "A queue was opened with other numbers than the server had given",
        section="3.2.4.1",
        requirement="hQueue, pQueue and dwpContext are the three numbers that one R_QMOpenRemoteQueue answered.",
        operations=(v.OPEN,),
        needs=REQUEST,
        check=_open_numbers,
        undecidable_when="nobody was seen to be given them, that open is over, or anything between the server and any "
        "client was missed since",
    ),
    _client(
        "mqqp-cursor-given",
        "A cursor was used that nobody had made",
        section="2.2.2.1, 3.2.4.5, 3.2.4.6",
        requirement="hCursor is one that R_QMCreateRemoteCursor answered.",
        operations=v.BY_POSITION,
        needs=BOTH,
        check=_cursor_given,
        undecidable_when="the server does not deny it, the opening was not seen, or anything was missed since",
    ),
)
