"""What the protocols of one server share: who has what open, how things end, and what ties protocols together."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from pipelines.sessions.ending import EndingSteps
from pipelines.sessions.links import Links
from pipelines.sessions.reading import Reading
from pipelines.sessions.references import References
from pipelines.sessions.registry import Registry
from pipelines.sessions.transactions import Transactions

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipelines.facts.model import Method, Moment
    from pipelines.sessions.steps import CallStep

OnAsked: TypeAlias = "dict[Method, Callable[[CallStep], None]]"
"""By operation: finds what the call refers to, and notes what it begins."""
OnAnswered: TypeAlias = "dict[Method, Callable[[CallStep, Moment], None]]"
"""By operation: what the answer, or its absence, changes."""


class SharedState:
    def __init__(self) -> None:
        self.registry = Registry()
        self.links = Links()
        self.ending = EndingSteps(self.registry, self.links)
        self.references = References(self.registry, self.ending)
        self.reading = Reading(self.ending)
        self.transactions = Transactions(self.ending)
