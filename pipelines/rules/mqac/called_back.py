"""[MC-MQAC] 3.11.4.1.9, 3.16.4.4: sinks that are called back, as often as it was asked for.

The queue's server hears who asks, the sink's host is called: what hands an object of the server to another host is told
to the server as well. How often is judged at the end, since a call back may come before the answer that it belongs to.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from pipelines.facts.reasons import Reason
from pipelines.mqac.machine import CALLED_BACK
from pipelines.mqac.objects import QueueState
from pipelines.mqac.steps import MqacStep
from pipelines.rules.model import REQUEST, Detected, Subject, Undecided, Watcher
from pipelines.rules.mqac import queue_members as q
from pipelines.rules.mqac.demands import of_client
from pipelines.rules.object_members import methods

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.rules.model import Judged, Settings

_ADVISE: Final = methods("ConnectionPoint", "Advise")
_UNADVISE: Final = methods("ConnectionPoint", "Unadvise")
_MAX_QUEUES: Final = 1_024
_MAX_SINKS: Final = 64
"""Of one queue. Of more nobody is judged."""


@dataclass(slots=True)
class _Queue:
    asked: int = 0
    """EnableNotification, whatever came of it."""
    by_sink: dict[str | None, int] = field(default_factory=dict)
    """How often each was called."""
    last: dict[str | None, MqacStep] = field(default_factory=dict)


@dataclass(slots=True)
class _Registered:
    now: int = 0
    most: int = 0

    def see(self, step: MqacStep) -> None:
        if step.member in _ADVISE:
            self.now += not step.failed
            self.most = max(self.most, self.now)
        elif step.succeeded and self.now:
            self.now -= 1


class CalledBack(Watcher):
    subjects: ClassVar = frozenset((Subject.MQAC,))

    def __init__(self, _: Settings) -> None:
        self._queues: dict[str, _Queue] = {}
        self._advised: dict[str, _Registered] = {}
        """By host: one sink may be there several times at once."""

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if not isinstance(step, MqacStep):
            return ()
        if step.member in (*_ADVISE, *_UNADVISE):
            client = step.call.client
            if len(self._advised) < _MAX_QUEUES or client in self._advised:
                self._advised.setdefault(client, _Registered()).see(step)
        elif step.member in (*q.NOTIFY, CALLED_BACK):
            uid = step.state.object.object_uid
            if len(self._queues) < _MAX_QUEUES or uid in self._queues:
                return (True,) if self._note(step, self._queues.setdefault(uid, _Queue())) else ()
        return ()

    @staticmethod
    def _note(step: MqacStep, queue: _Queue) -> bool:
        """Whether a sink was called that somebody had asked to be called."""
        if step.member in q.NOTIFY:
            queue.asked += 1
            return False
        sink = step.com.object
        if len(queue.by_sink) >= _MAX_SINKS and sink not in queue.by_sink:
            return False
        queue.by_sink[sink] = queue.by_sink.get(sink, 0) + 1
        queue.last[sink] = step
        return queue.by_sink[sink] <= queue.asked

    def finish(self) -> Iterable[Detected | Undecided]:
        for queue in self._queues.values():
            for sink, called in queue.by_sink.items():
                step = queue.last[sink]
                registered = self._advised[step.call.server].most if step.call.server in self._advised else 0
                if called > queue.asked * max(1, registered):
                    reason = _doubt(step) or (None if registered else Reason.OPEN_NOT_SEEN)
                    shown = {"called back": called, "asked for": queue.asked, "registered": registered}
                    yield Detected(step, shown) if reason is None else Undecided(step, reason)


def _doubt(step: MqacStep) -> Reason | None:
    """Why somebody may have asked for more."""
    state = step.state
    if (reason := state.unseen or step.pair.within.blind_since(state.first.began)) is not None:
        return reason
    if isinstance(state, QueueState) and state.unnamed:
        return Reason.NOT_DECODED
    return Reason.OTHERS_NOT_SEEN if state.object.holders - {step.call.server} else None


RULES: Final = (
    of_client(
        "mqac-called-back",
        "A sink was called for more events than had been asked for",
        section="3.11.4.1.9",
        requirement="Each EnableNotification fires one event: every sink that is registered is called once. Whoever "
        "calls it is the queue's server.",
        members=q.NOTIFY,
        needs=REQUEST,
        watch=CalledBack,
        undecidable_when="the queue object's history was not captured whole, others have it, or nobody was seen to "
        "register the sink",
    ),
)
