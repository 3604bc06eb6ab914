"""Messages that a purge had to remove, and that are given again: what [MS-MQRR] and [MS-MQMP] have in common."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.rules.copies import Copies
from pipelines.rules.model import BOTH, Detected, Subject, Undecided, Watcher
from pipelines.rules.plans import unreadable
from pipelines.rules.stale import own
from pipelines.sessions.memory import Recent
from pipelines.sessions.readers import EXCLUSIVE
from pipelines.sessions.steps import CallStep, SessionStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import CallFact, Method, Moment
    from pipelines.rules.model import Judged, Settings
    from pipelines.sessions.model import Session

_PURGES: Final = (v.REMOTE_PURGE, v.AC_PURGE)
_READS: Final = (*v.REMOTE_STARTS, v.AC_RECEIVE)
_MAX_QUEUES: Final = 1_024
_MAX_MESSAGES: Final = 512
"""Peeked at in one session; what is forgotten is not reported."""


@dataclass(slots=True)
class _Queue:
    """An open one, and what was seen in it."""

    peeked: Recent[str, Moment] = field(default_factory=lambda: Recent(_MAX_MESSAGES))
    purged: CallFact | None = None


class PurgedGone(Watcher):
    """Only what was peeked at counts: a message that somebody was receiving may outlive the purge."""

    subjects: ClassVar = frozenset((Subject.SESSION,))

    def __init__(self, _: Settings, operations: tuple[Method, ...]) -> None:
        self._operations = operations
        self._queues: Recent[str, _Queue] = Recent(_MAX_QUEUES)
        self._copies = Copies()

    def sees_calls_of(self, method: Method) -> bool:
        return method in self._operations

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if isinstance(step, SessionStep):
            self._queues.drop(step.session.session_uid)
            return ()
        if not isinstance(step, CallStep) or step.call.method not in self._operations or not step.succeeded:
            return ()
        session = step.session
        if session is None or session.opened is None or not own(step, session) or unreadable(step.call, BOTH):
            return ()
        if step.call.method == v.AC_SEND:
            self._copies.sent(step)
            return ()
        queue = self._queues.get(session.session_uid) or _Queue()
        self._queues.put(session.session_uid, queue)
        if step.call.method in _PURGES:
            queue.purged = slim(step.call)
            return ()
        return self._read(step, session, queue)

    def _read(self, step: CallStep, session: Session, queue: _Queue) -> Iterable[Detected | Undecided | bool]:
        message = _message(step)
        if message is None:
            return ()
        before, purged = queue.peeked.get(message), queue.purged
        if step.read is not None and step.read.is_peek:
            queue.peeked.put(message, step.call.until)
        if purged is None:
            return ()
        if before is None or before >= purged.began or session.opened is None:
            return (True,)
        reason = step.blind_since(session.opened.until) or _doubt(step, session, purged)
        if reason is None and _place(step) is None:
            reason = self._copies.doubt(message)
        if reason is not None:
            return (Undecided(step, reason),)
        return (Detected(step, {"message": message, "purged by": purged.call_uid}),)


def _doubt(step: CallStep, session: Session, purged: CallFact) -> Reason | None:
    if step.call.began <= purged.until or step.soon_after(purged.until):
        return Reason.TIMES_CROSS
    # It may have been in a subqueue meanwhile, moved there and back by somebody who has the queue open as well.
    return None if session.share_mode == EXCLUSIVE else Reason.OTHERS_NOT_SEEN


def _message(step: CallStep) -> str | None:
    """Its own identifier, with that of its place in the queue where the protocol has it."""
    told, place = (step.call.message or {}).get("id"), _place(step)
    return told and (told if place is None else f"{told} at 0x{place:x}")


def _place(step: CallStep) -> int | None:
    found: int | None = step.response.get("pSequenceId")
    return found
