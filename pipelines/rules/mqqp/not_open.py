"""When a queue is known not to be open: the server says that there is no such thing, and no opening was missed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from pipelines.sessions.steps import CallStep

_NOT_OPEN_CODES: Final = frozenset((v.MQ_ERROR_INVALID_HANDLE, v.MQ_ERROR_INVALID_PARAMETER, v.CONTEXT_MISMATCH))


def denied(step: CallStep) -> Reason | None:
    """None: the server says that there is no such thing, and nothing was missed."""
    if not step.failed or step.code not in _NOT_OPEN_CODES:
        return Reason.OPEN_NOT_SEEN
    return step.association_incomplete()


def queue_not_open(step: CallStep) -> Reason | None:
    """Of a call whose queue nobody was seen to open. None: it is not open."""
    return denied(step) or step.pair_incomplete() or (Reason.OPEN_NOT_SEEN if _other_cause(step) else None)


def queue_named(step: CallStep) -> int | None:
    """The plain number by which a call names its queue."""
    if step.call.method in v.STARTS:
        return (step.desc or {}).get("hRemoteQueue")
    return step.request.get("hQueue")


def _other_cause(step: CallStep) -> bool:
    """The code is also that of other bad arguments: then it proves nothing."""
    desc = step.desc
    if step.call.method in v.STARTS:
        if desc is None or desc.get("dwQueue") != desc.get("hRemoteQueue") or not desc.get("hRemoteQueue"):
            return True
        return step.call.method == v.BY_LOOKUP and bool(desc.get("ulTimeout") or desc.get("hCursor"))
    return step.call.method == v.CANCEL and step.request.get("pQueue") != step.request.get("hQueue")
