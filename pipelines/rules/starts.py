"""What the two reading protocols demand alike of starts, and of a server's answers to them, to cancels and closes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken
from pipelines.rules.shown import code_shown
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Read
    from pipelines.sessions.steps import CallStep

_NS_A_MS: Final = 1_000_000
_MS_A_SECOND: Final = 1_000


def end_asked_before(step: CallStep, other: Read) -> bool | Reason:
    """Whether the client had called for the end of another read when it made this call, or may have."""
    asked, began = other.end_asked, step.call.began
    if asked is None or asked <= began:
        return asked is not None
    crossing_ns = step.settings["crossing_seconds"] * v.NANOSECONDS
    return Reason.TIMES_CROSS if asked.ts_ns - began.ts_ns < crossing_ns else False


def handle_zeroed(step: CallStep) -> Answer:
    if not step.succeeded:
        return None
    handle = step.response.get("pphContext")
    return handle is None or Broken({"pphContext": handle})


def answered_in_time(step: CallStep, timeout: int) -> Answer:
    """`timeout`: of the start, in milliseconds."""
    asked, answered = step.call.began, step.call.answered
    if not timeout or timeout == v.INFINITE or answered is None or NO_TIME in (asked.ts_ns, answered.ts_ns):
        return None
    took = (answered.ts_ns - asked.ts_ns) // _NS_A_MS
    if took <= timeout + step.settings["answer_margin_seconds"] * _MS_A_SECOND:
        return True
    if (reason := step.blind_since(asked)) is not None:
        return reason
    # Both may be held up on their way. Not so the start, once the server answered, on this connection, what was asked
    # after it; nor the answer, where the server then answered what was asked when the time was over.
    reached = step.connection.reached(asked) if step.connection else None
    if reached is None or reached >= answered:
        return Reason.TIMES_CROSS
    over = reached.ts_ns + timeout * _NS_A_MS + step.settings["answer_margin_seconds"] * v.NANOSECONDS
    if not served_since(step, over):
        return Reason.TIMES_CROSS
    return Broken({"ulTimeout": f"{timeout} ms", "answered after": f"{took} ms"})


def served_since(step: CallStep, ts_ns: int) -> bool:
    """The server has answered a call of this connection that was asked after that time: packets do not overtake."""
    served = step.connection.served if step.connection else None
    return served is not None and served.ts_ns > ts_ns


def ended_by_cancel(step: CallStep, codes: Collection[int]) -> Answer:
    """`codes`: those of a start that was cancelled."""
    # Of two with one id either may have been meant.
    cancel = step.read.cancel if step.read and not step.read.shares_id else None
    answered = step.call.answered
    if cancel is None or cancel.answered is None or answered is None or step.call.status is None:
        return None
    if step.call.status in codes:
        return True
    # A message may come, or the time be over, while the cancel is on its way; and the answer may be held up on its own
    # way, unless that is the way of the cancel's, or the server answered on it what was asked after the cancel.
    apart = answered.ts_ns - cancel.answered.ts_ns
    if apart < step.settings["crossing_seconds"] * v.NANOSECONDS:
        return Reason.TIMES_CROSS
    if cancel.uid != step.call.uid and not served_since(step, cancel.answered.ts_ns):
        return Reason.TIMES_CROSS
    if (reason := step.blind_since(step.call.began)) is not None:
        return reason
    return Broken({"return_value": code_shown(step.call.status), "cancelled by": cancel.call_uid})
