"""What detections have in common: nobody is accused, and memories are bounded."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from pipelines.rules.model import Party, Rule, Undecided, Watcher
from pipelines.rules.plans import is_moot, unreadable
from pipelines.sessions.steps import CallStep

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.facts.reasons import Reason
    from pipelines.rules.model import Detected, Need
    from pipelines.sessions.steps import Judged

detection: Final = partial(Rule, keyword="", party=Party.NOBODY)

MAX_CLIENTS: Final = 4_096
"""Of one server, kept in mind by a watcher. One that was forgotten begins anew: it may be reported twice, never
wrongly."""


class CallWatcher(Watcher, ABC):
    """Of some operations; calls that cannot be read never reach `look`."""

    needs: ClassVar[Mapping[str, frozenset[Need]]]
    """By operation."""

    def sees_calls_of(self, operation: str | None) -> bool:
        return operation in self.needs

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if not isinstance(step, CallStep) or (needs := self.needs.get(step.call.operation or "")) is None:
            return ()
        if is_moot(step.call, needs):
            return ()
        if (reason := unreadable(step.call, needs)) is not None:
            return (self.missed(step, reason),)
        return self.look(step)

    @abstractmethod
    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        """A call that could be read."""

    def missed(self, step: CallStep, reason: Reason) -> Undecided:
        return Undecided(step, reason)
