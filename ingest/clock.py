"""Whether the packets of a capture are in order of time: where a clock went back, times do not tell what came first."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy.typing as npt

JITTER_NS: Final = 50_000
"""Receive queues of one machine disagree by less than this; calls that depend on each other are further apart."""


class Clock:
    """Of one split. A packet without a time among others counts as one long ago."""

    def __init__(self) -> None:
        self._latest: int | None = None
        self.back_ns = 0
        """The most that a packet lies before one in front of it."""

    def note(self, ts_ns: npt.NDArray[np.int64]) -> None:
        if not len(ts_ns):
            return
        latest = np.maximum.accumulate(ts_ns)
        if self._latest is not None:
            latest = np.maximum(latest, self._latest)
        self.back_ns = max(self.back_ns, int((latest - ts_ns).max()))
        self._latest = int(latest[-1])


class Timed(Protocol):
    """A split that was read."""

    @property
    def file(self) -> int: ...

    @property
    def first_ts_ns(self) -> int | None: ...

    @property
    def last_ts_ns(self) -> int | None: ...

    @property
    def back_ns(self) -> int: ...


def steps_back(splits: Iterable[Timed]) -> dict[int, int]:
    """File to the most that its time goes back, of files in which that is more than jitter. Splits are in order."""
    found: dict[int, int] = {}
    for file, group in groupby(splits, key=lambda one: one.file):
        worst, latest = 0, None
        for one in group:
            worst = max(worst, one.back_ns)
            if latest is not None and one.first_ts_ns is not None:
                worst = max(worst, latest - one.first_ts_ns)
            if one.last_ts_ns is not None:
                latest = one.last_ts_ns if latest is None else max(latest, one.last_ts_ns)
        if worst > JITTER_NS:
            found[file] = worst
    return found
