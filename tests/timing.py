"""How long something takes, on a machine that does other things too."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

TIMES = 5


class Stopwatch:
    """CPU seconds of this process since it was made."""

    def __init__(self) -> None:
        self._begun = time.process_time()

    @property
    def seconds(self) -> float:
        return time.process_time() - self._begun


def quickest(work: Callable[[], T], enough: float = 0.0, times: int = TIMES) -> tuple[T, float]:
    """What it gave first, and the fewest CPU seconds it took; once below `enough` is enough.

    A collection of garbage, a cold cache or a neighbour on the machine only ever add time, and do so by chance:
    a single measurement proves that something is fast, several that it is slow.
    """
    watch = Stopwatch()
    given = work()
    best = watch.seconds
    for _ in range(times - 1):
        if best < enough:
            break
        watch = Stopwatch()
        work()
        best = min(best, watch.seconds)
    return given, best
