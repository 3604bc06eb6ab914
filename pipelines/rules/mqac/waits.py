"""[MC-MQAC] 3.11.4.1: how a read ends for which there is no message."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import Broken
from pipelines.rules.mqac import queue_members as q
from pipelines.rules.mqac.demands import of_server
from pipelines.rules.object_members import answered, asked
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_AS_PRINTED: Final = 0xC00E_0008
"""The value that the sections print for it, which has another name elsewhere."""
_NOT_FOUND: Final = (v.MQ_ERROR_MESSAGE_NOT_FOUND, _AS_PRINTED)
_INFINITE: Final = 0xFFFF_FFFF
_NS_PER_MS: Final = 1_000_000
_CLOCK_MS: Final = 50
"""Clocks of server and capture differ, and timers fire a tick early."""
_EARLY: Final = 0.9
_MS_A_SECOND: Final = 1_000


def _timeout(step: MqacStep) -> int | None:
    """In milliseconds; None: for ever, or not known."""
    found = step.number("ReceiveTimeout")
    found = None if found is None else found & _INFINITE
    return None if found == _INFINITE else found


def _nothing(step: MqacStep) -> bool:
    """It succeeded without a message, as Windows is said to answer a timeout: nobody is held to the error."""
    return step.succeeded and step.result is None


def _now(step: MqacStep) -> Answer:
    if _timeout(step) != 0:
        return None
    if step.code in _NOT_FOUND or _nothing(step):
        return True
    return Broken(answered(step)) if step.code == v.MQ_ERROR_IO_TIMEOUT else None


def _in_time(step: MqacStep) -> Answer:
    timeout, answered_at = _timeout(step), step.call.answered
    if not timeout or answered_at is None:
        return None
    if step.code == v.MQ_ERROR_MESSAGE_NOT_FOUND:
        return Broken({**asked(step), "demanded": code_shown(v.MQ_ERROR_IO_TIMEOUT), "answer": code_shown(step.code)})
    if step.code != v.MQ_ERROR_IO_TIMEOUT and not _nothing(step):
        return None
    waited = (answered_at.ts_ns - step.call.began.ts_ns) // _NS_PER_MS
    if waited >= timeout * _EARLY - _CLOCK_MS:
        return True
    if waited >= timeout - step.settings["early_margin_seconds"] * _MS_A_SECOND:
        # The request that was captured may be one sent again, for which the server did not wait.
        return Reason.TIMES_CROSS
    reason = step.pair.within.blind_since(step.call.began)
    return reason or Broken({**answered(step), "milliseconds waited": waited})


def _found(step: MqacStep) -> Answer:
    """Without a timeout there is a message, or there is none."""
    if step.succeeded:
        return True if step.result is not None else Broken(answered(step))
    if step.code in _NOT_FOUND:
        return True
    return Broken(answered(step)) if step.code == v.MQ_ERROR_IO_TIMEOUT else None


_SECTIONS: Final = (
    "3.11.4.1.7, 3.11.4.1.8, 3.11.4.1.11, 3.11.4.1.12, 3.11.4.1.13, 3.11.4.1.14, 3.11.4.1.15, 3.11.4.1.16, "
    "3.11.4.1.17, 3.11.4.1.18"
)

RULES: Final = (
    of_server(
        "mqac-nothing-now",
        "A read that was not to wait was said to have waited in vain",
        section=_SECTIONS,
        requirement="With a ReceiveTimeout of 0 a read for which there is no message is answered "
        "MQ_ERROR_MESSAGE_NOT_FOUND, which the document prints with the value of another error: both are right, and "
        "success without a message is held against nobody.",
        members=q.TIMED,
        check=_now,
    ),
    of_server(
        "mqac-timeout-kept",
        "A read ended before its timeout, or with the error of one that was not to wait",
        section=f"3.11.2, {_SECTIONS}",
        requirement="A read with a ReceiveTimeout that ends without a message is answered MQ_ERROR_IO_TIMEOUT, and not "
        "before that time. A tenth and 50 ms are granted; success without a message is held against nobody.",
        members=q.TIMED,
        check=_in_time,
        settings={"early_margin_seconds": 15},
        undecidable_when="it ended less than early_margin_seconds before that time: the request may have been sent "
        "twice, and the first not captured; or clocks differ",
    ),
    of_server(
        "mqac-lookup-found",
        "A read by position ended with neither a message nor the error for none",
        section="3.11.4.1.21, 3.11.4.1.22, 3.11.4.1.23, 3.11.4.1.24, 3.11.4.1.25, 3.11.4.1.26, 3.11.4.1.27, "
        "3.11.4.1.28, 3.11.4.1.29, 3.11.4.1.30, 3.11.4.1.33",
        requirement="A read by LookupId, or of the first or last message, has a message where it succeeds, and is "
        "answered MQ_ERROR_MESSAGE_NOT_FOUND where there is none.",
        members=q.BY_POSITION,
        check=_found,
    ),
)
