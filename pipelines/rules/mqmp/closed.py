"""[MS-MQMP], the server: what was closed or ended is known no more."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.model import BOTH, Level, Party, Rule
from pipelines.rules.mqmp.cursors import cursor_named
from pipelines.rules.mqmp.handles import parameter
from pipelines.rules.queue_access import opened_here
from pipelines.rules.shown import hexadecimal
from pipelines.rules.stale import closed_here, own, served_after_close

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_ENDS: Final = (v.COMMIT, v.ABORT)
_WITH_CURSOR: Final = (v.AC_RECEIVE, v.AC_CLOSE_CURSOR)


def _closed_refused(step: CallStep) -> Answer:
    method = step.call.method
    if method in _ENDS:
        past = step.past_transaction
        ended = past.ended if step.transaction is None and past is not None and own(step, past) else None
        return served_after_close(step, ended, {"phIntXact": step.request.get("phIntXact")})
    if method in _WITH_CURSOR and step.session is not None:
        # The server looks for it among those of the queue, and nowhere else.
        cursor = cursor_named(step)
        closed = step.closed_cursor if cursor and opened_here(step) is not None and not step.cursor_known else None
        return served_after_close(step, closed, {"cursor": hexadecimal(cursor)})
    if method == v.AC_RECEIVE:
        # By a number, which may have been given to somebody else since.
        return None
    name = parameter(step)
    return served_after_close(step, closed_here(step), {name: step.request.get(name)})


RULES: Final = (
    Rule(
        "mqmp-closed-refused",
        "The server served a handle or cursor that had been closed",
        "MS-MQMP",
        "3.1.4.15, 3.1.4.16, 3.1.4.18, 3.1.4.19, 3.1.4.20, 3.1.5.2, 3.1.5.3",
        "A queue that was closed, a transaction that was ended and a cursor that its queue no longer has are not "
        "found: the call fails.",
        "MUST",
        Party.SERVER,
        Level.HIGH,
        operations=(*_ENDS, *v.BY_QUEUE_HANDLE, v.AC_RECEIVE),
        needs=BOTH,
        check=_closed_refused,
        undecidable_when="the call may have crossed the close, or anything was missed since",
    ),
)
