"""[MC-MQAC] 2.2.2.2, 2.2.2.3: a queue that is open exclusively is open once.

That the first one was still open is known only where it was read or purged afterwards: 3.11.4.1.10 resets the cursor
also of a queue that was deleted meanwhile, under whose name there may be another.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import QueueInfoState, QueueState
from pipelines.rules.model import BOTH, Detected, Level, Party, Undecided
from pipelines.rules.mqac import queue_members as q
from pipelines.rules.mqac.demands import mqac_rule
from pipelines.rules.object_members import asked, methods
from pipelines.rules.watching import MqacWatcher
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Need, Settings

_OPEN: Final = methods("MSMQQueueInfo", "Open")
_OF_OPEN: Final = (*q.READS, *q.PURGE)
_RECEIVE: Final = 0x01
_READING: Final = frozenset((_RECEIVE, 0x20))
"""Not MQ_SEND_ACCESS, whose holders get nothing; not MQ_ADMIN_ACCESS, which opens another queue."""
_MAX_QUEUES: Final = 1_024
_MAX_OPEN: Final = 16
"""Of one name; others are not judged."""


@dataclass(slots=True)
class _Opened:
    uid: str
    step: MqacStep
    conflicts: list[MqacStep] = field(default_factory=list)
    """Opens that succeeded later, and must not have if this one was still open."""


class ExclusiveKept(MqacWatcher):
    needs: ClassVar[Mapping[Meaning, frozenset[Need]]] = dict.fromkeys((*_OPEN, *_OF_OPEN, *q.CLOSE), BOTH)

    def __init__(self, _: Settings) -> None:
        self._by_name: dict[str, dict[str, _Opened]] = {}
        self._by_uid: Recent[str, _Opened] = Recent(_MAX_QUEUES * _MAX_OPEN)

    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        if step.member in _OPEN:
            return self._opened(step)
        one = self._by_uid.get(step.state.object.object_uid)
        if one is None:
            return ()
        if step.member in q.CLOSE:
            self._forget(one)
            return [Undecided(two, Reason.ENDING_UNKNOWN) for two in one.conflicts]
        return self._proven(step, one) if step.succeeded and step.member in _OF_OPEN else ()

    def _opened(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        info = step.state
        name = info.queue.name if isinstance(info, QueueInfoState) and info.queue.doubt is None else None
        if not name or step.number("Access") not in _READING:
            return ()
        if len(self._by_name) >= _MAX_QUEUES and name.lower() not in self._by_name:
            return ()
        others = self._by_name.setdefault(name.lower(), {})
        alone = [one for one in others.values() if _is_exclusive(one.step) or _is_exclusive(step)]
        met = [one for one in alone if _is_refused(one.step, step)]
        if not step.succeeded:
            return (True,) if alone else ()
        made = step.made
        if isinstance(made, QueueState) and len(others) < _MAX_OPEN:
            one = _Opened(made.object.object_uid, step)
            others[one.uid] = one
            self._by_uid.put(one.uid, one)
        for one in met:
            if len(one.conflicts) < _MAX_OPEN:
                one.conflicts.append(step)
        if alone and not met:
            return (Undecided(step, Reason.TEXTS_CONTRADICT),)
        return () if met else (True,)

    def _proven(self, step: MqacStep, one: _Opened) -> Iterable[Detected | Undecided | bool]:
        """An open queue answered: so those came too early."""
        opened = one.step.call.until
        early = [two for two in one.conflicts if opened < two.call.began and two.call.until < step.call.began]
        one.conflicts = [two for two in one.conflicts if two not in early]
        for two in early:
            shown = {"opened before by": one.step.call.call_uid, "still open at": step.call.call_uid}
            yield Detected(two, {**asked(two), **shown})

    def _forget(self, one: _Opened) -> None:
        for opened in self._by_name.values():
            opened.pop(one.uid, None)

    def finish(self) -> Iterable[Undecided]:
        for opened in self._by_name.values():
            for one in opened.values():
                for two in one.conflicts:
                    yield Undecided(two, Reason.ENDING_UNKNOWN)


def _is_exclusive(step: MqacStep) -> bool:
    return bool(step.number("ShareMode"))


def _is_refused(before: MqacStep, step: MqacStep) -> bool:
    """By [MS-MQDMPR] 3.1.7.1.5 too, which lets in who does not receive: that is not held against a server."""
    receives = step.number("Access") == _RECEIVE
    if before.number("Access") == _RECEIVE:
        return _is_exclusive(step) or (_is_exclusive(before) and receives)
    return _is_exclusive(before) and receives


RULES: Final = (
    mqac_rule(
        "mqac-exclusive-kept",
        "A queue was opened while it was open exclusively, or exclusively while it was open",
        party=Party.SERVER,
        section="2.2.2.2, 2.2.2.3",
        requirement="Open fails while somebody has the queue open exclusively, and exclusive Open while anybody has "
        "it open. Opens to receive and to peek are compared, under the same name.",
        keyword="MUST NOT",
        level=Level.MEDIUM,
        members=_OPEN,
        watch=ExclusiveKept,
        undecidable_when="the first one was not read or purged afterwards: the server may have ended it; or one of "
        "them only peeks, which [MS-MQDMPR] 3.1.7.1.5 allows",
    ),
)
