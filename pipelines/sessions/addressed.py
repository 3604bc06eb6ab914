"""The queues that the messages read in a session were addressed to: evidence of which queue it has open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from pipelines.facts.queue_names import may_lie_at, queue_names

MAX_NAMES: Final = 16
"""Different queues that are told apart; with more nothing is proven any more."""


class _Named(NamedTuple):
    shown: str
    keys: frozenset[str]
    messages: int


@dataclass(slots=True, eq=False)
class Addressed:
    named: list[_Named] = field(default_factory=list)
    """The first that was seen comes first."""

    def note(self, name: str | None, server: str) -> None:
        """`server` has the queue open, so that a name with its own address or with any computer's name may mean it."""
        known = queue_names(name, server, owned=True)
        if name is None or known is None or not may_lie_at(name, server):
            return
        for place, one in enumerate(self.named):
            if one.keys & known.keys:
                self.named[place] = _Named(one.shown, one.keys | known.keys, one.messages + 1)
                return
        if len(self.named) < MAX_NAMES:
            self.named.append(_Named(name, known.keys, 1))

    @property
    def names(self) -> list[str]:
        return [one.shown for one in self.named]

    @property
    def only(self) -> _Named | None:
        """The queue that all of them were addressed to."""
        return self.named[0] if len(self.named) == 1 else None
