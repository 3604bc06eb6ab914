"""What the two reading protocols demand alike of a server's answers to starts, cancels and closes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from ingest.containers.model import NO_TIME
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from collections.abc import Collection

    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_NS_A_MS: Final = 1_000_000
_MS_A_SECOND: Final = 1_000


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
    return step.blind_since(asked) or Broken({"ulTimeout": f"{timeout} ms", "answered after": f"{took} ms"})


def ended_by_cancel(step: CallStep, codes: Collection[int]) -> Answer:
    """`codes`: those of a start that was cancelled."""
    # Of two with one id either may have been meant.
    cancel = step.read.cancel if step.read and not step.read.shares_id else None
    answered = step.call.answered
    if cancel is None or cancel.answered is None or answered is None or step.call.status is None:
        return None
    if step.call.status in codes:
        return True
    # A message may come, or the time be over, while the cancel is on its way.
    if answered.ts_ns - cancel.answered.ts_ns < step.settings["crossing_seconds"] * v.NANOSECONDS:
        return Reason.TIMES_CROSS
    return Broken({"return_value": code_shown(step.call.status), "cancelled by": cancel.call_uid})
