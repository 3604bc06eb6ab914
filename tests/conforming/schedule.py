"""Who acts next: by chance, but nobody whose time has come waits for others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Generator

    from tests.conforming.stage import Stage

_IDLE: Final = 0.06
_LONGEST_IDLE_US: Final = 4_000_000


@dataclass(frozen=True, slots=True)
class Until:
    """What an actor waits for: a condition, a time, or whichever is first."""

    ready: Callable[[], bool] = lambda: False
    deadline_us: int | None = None


Acting = "Generator[Until | None, None, Any]"


@dataclass(slots=True, eq=False)
class Actor:
    steps: Generator[Until | None, None, Any]
    owner: object
    """Who dies with it."""
    until: Until | None = None


class Schedule:
    def __init__(self, stage: Stage, chance: random.Random) -> None:
        self._stage, self._chance = stage, chance
        self._actors: list[Actor] = []

    def add(self, steps: Generator[Until | None, None, Any], owner: object = None) -> None:
        self._actors.append(Actor(steps, owner))

    def kill(self, owner: object) -> None:
        """Whoever acts now ends by returning."""
        for actor in [one for one in self._actors if one.owner is owner]:
            self._actors.remove(actor)

    def run(self, most: int) -> None:
        """Until nobody has anything to do, or so many steps."""
        for _ in range(most):
            actor = self._next()
            if actor is None:
                return
            try:
                actor.until = next(actor.steps)
            except StopIteration:
                if actor in self._actors:
                    self._actors.remove(actor)

    def _next(self) -> Actor | None:
        now = self._stage.now_us
        late = [one for one in self._actors if self._is_late(one, now)]
        if late:
            return min(late, key=lambda one: one.until.deadline_us or 0 if one.until else 0)
        ready = [one for one in self._actors if one.until is None or one.until.ready()]
        times = [one.until.deadline_us for one in self._actors if one.until and one.until.deadline_us is not None]
        if not ready:
            if not times:
                return None
            self._stage.wait(min(times) - now)
            return self._next()
        if self._chance.random() < _IDLE:
            room = min((*(time - now for time in times), _LONGEST_IDLE_US))
            self._stage.wait(self._chance.randint(1, max(1, room)))
        return self._chance.choice(ready)

    @staticmethod
    def _is_late(actor: Actor, now: int) -> bool:
        deadline = actor.until.deadline_us if actor.until else None
        return deadline is not None and deadline <= now
