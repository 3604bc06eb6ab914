"""What detections have in common: nobody is accused, and memories are bounded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from pipelines.com.steps import ComStep
from pipelines.facts.reasons import Reason
from pipelines.mqac.steps import MqacStep
from pipelines.rules.model import Party, Rule, Subject, Undecided, Watcher
from pipelines.rules.plans import is_moot, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.facts.model import CallFact, Method
    from pipelines.rules.model import Detected, Judged, Look, Need
    from pipelines.sessions.steps import CallStep

detection: Final = partial(Rule, keyword="", party=Party.NOBODY)

MAX_CLIENTS: Final = 4_096
"""Of one server, kept in mind by a watcher. One that was forgotten begins anew: it may be reported twice, never
wrongly."""


class CallWatcher(Watcher, ABC):
    """Of some operations; calls that cannot be read never reach `look`."""

    needs: ClassVar[Mapping[Method, frozenset[Need]]]

    def look_at(self, call: CallFact) -> Look | None:
        needs = self.needs.get(call.method)
        if needs is None or is_moot(call, needs):
            return None
        reason = unreadable(call, needs)
        return self.look if reason is None else lambda step: (self.missed(step, reason),)

    @abstractmethod
    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        """A call that could be read."""

    def missed(self, step: CallStep, reason: Reason) -> Undecided:
        return Undecided(step, reason)


class MqacWatcher(Watcher, ABC):
    """The same of calls of MSMQ's objects, by opnum or by Invoke."""

    subjects: ClassVar = frozenset((Subject.MQAC,))
    needs: ClassVar[Mapping[Meaning, frozenset[Need]]]

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if not isinstance(step, MqacStep):
            return ()
        needs = self.needs.get(step.member)
        if needs is None or is_moot(step.call, needs):
            return ()
        reason = unreadable(step.call, needs) or step.hole or (Reason.TIMES_CROSS if step.answered_late else None)
        return self.look(step) if reason is None else (Undecided(step, reason),)

    @abstractmethod
    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        """A call that could be read."""


class ComWatcher(Watcher, ABC):
    """The same of DCOM's calls."""

    subjects: ClassVar = frozenset((Subject.COM,))
    needs: ClassVar[Mapping[Method, frozenset[Need]]]

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if not isinstance(step, ComStep):
            return ()
        needs = self.needs.get(step.call.method)
        if needs is None or is_moot(step.call, needs):
            return ()
        reason = unreadable(step.call, needs)
        return self.look(step) if reason is None else (Undecided(step, reason),)

    @abstractmethod
    def look(self, step: ComStep) -> Iterable[Detected | Undecided | bool]:
        """A call that could be read."""
