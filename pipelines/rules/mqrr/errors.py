"""[MS-MQRR], the server: the error demanded where what came before makes a call wrong."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.demanded import demanded
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqrr.endings import nothing_to_end
from pipelines.rules.mqrr.handles import NOT_OPEN_CODES, is_destination
from pipelines.rules.mqrr.transactions import surely_unrelated
from pipelines.rules.queue_access import opened_here, unopened
from pipelines.rules.shown import hexadecimal

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_NOTHING_PENDING: Final = (v.MQ_ERROR_INVALID_HANDLE, v.MQ_ERROR_INVALID_PARAMETER)


def _error_access(step: CallStep) -> Answer:
    session = opened_here(step)
    if session is None or session.opened is None or session.access != v.PEEK_ACCESS or is_destination(session):
        return None
    shown = {"dwAccess at open": hexadecimal(session.access)}
    if step.call.method == v.REMOTE_PURGE:
        if step.code in NOT_OPEN_CODES:
            return None
        return step.blind_since(session.opened.until) or demanded(step, (v.STATUS_ACCESS_DENIED,), shown)
    action = step.request.get("ulAction", 0)
    if action not in v.RECEIVING:
        return None
    if not step.succeeded:
        return True
    return step.blind_since(session.opened.until) or Broken(shown | {"ulAction": v.ACTIONS[action]})


def _error_end_unknown(step: CallStep) -> Answer:
    session, past = opened_here(step), step.past_read
    known = step.waiting_read is not None or (step.read is not None and step.read.start is not None)
    if known or step.call.fault is not None:
        return None
    if session is None:
        return unopened(step)
    if past is not None and not past.is_peek:
        return None
    if step.code in _NOTHING_PENDING:
        return True
    if not step.failed:
        return Reason.OPEN_NOT_SEEN
    shown = {"dwRequestId": step.request.get("dwRequestId")}
    return nothing_to_end(step, session) or demanded(step, _NOTHING_PENDING, shown)


def _error_move(step: CallStep) -> Answer:
    source = opened_here(step)
    if source is None or source.opened is None or is_destination(source):
        return None
    if step.request.get("ullContextTo", 0):
        return _moved_elsewhere(step, source)
    shown = {"ullContextTo": 0}
    return step.blind_since(source.opened.until) or demanded(step, (v.MQ_ERROR_INVALID_HANDLE,), shown)


def _moved_elsewhere(step: CallStep, source: Session) -> Answer:
    target = step.target
    if source.opened is None or target is None or target.opened is None or not surely_unrelated(source, target):
        return None
    if not step.succeeded:
        return True if step.failed else None
    shown = {"from": source.queue_name, "to": target.queue_name, "answer": "moved"}
    return step.blind_since(min(source.opened.until, target.opened.until)) or Broken(shown)


_server = partial(Rule, document="MS-MQRR", keyword="MUST", party=Party.SERVER, level=Level.LOW, needs=BOTH)
_SINCE_OPEN: Final = "the opening was not seen, or anything was missed since"

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqrr-error-access",
        "A handle opened for peeking was served more than peeks",
        section="3.1.4.2, 3.1.4.6",
        requirement="On a handle opened with PEEK_ACCESS a purge gets STATUS_ACCESS_DENIED, and a receive fails.",
        level=Level.MEDIUM,
        operations=(v.REMOTE_PURGE, *v.REMOTE_STARTS),
        check=_error_access,
        undecidable_when=_SINCE_OPEN,
    ),
    _server(
        "mqrr-error-end-unknown",
        "An end of nothing got another answer than the one demanded",
        section="3.1.4.9, 3.1.4.15",
        requirement="Where no receive is pending on the handle an end gets MQ_ERROR_INVALID_HANDLE, where only that "
        "dwRequestId is not, MQ_ERROR_INVALID_PARAMETER.",
        operations=v.REMOTE_ENDS,
        check=_error_end_unknown,
        undecidable_when=f"the server accepts it, {_SINCE_OPEN}",
    ),
    _server(
        "mqrr-error-move",
        "A move to nowhere, or to a queue that has nothing to do with its own, was not refused as it must",
        section="3.1.4.10",
        requirement="A destination that was not opened for moving, as 0 is, is answered with MQ_ERROR_INVALID_HANDLE; "
        "one that belongs to another queue than the source fails.",
        level=Level.MEDIUM,
        operations=(v.MOVE,),
        check=_error_move,
        undecidable_when=_SINCE_OPEN,
    ),
)
