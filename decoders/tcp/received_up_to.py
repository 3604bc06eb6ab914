"""How much of the other side's stream a side had received when it sent each of its bytes."""

from __future__ import annotations

from collections import deque
from typing import Final

MAX_STEPS: Final = 4_096
"""Not asked for yet. Behind a hole a search holds back 64 KB of small packets."""


class ReceivedUpTo:
    """Of one side. What is told is never less than it was."""

    __slots__ = ("_now", "_steps")

    def __init__(self) -> None:
        self._now = 0
        self._steps: deque[tuple[int, int]] = deque()
        """(offset, bytes received when that was sent), where the second changes."""

    def note(self, offset: int, heard: int) -> None:
        """The next bytes of this side came out."""
        steps = self._steps
        if heard == (steps[-1][1] if steps else self._now):
            return
        if len(steps) >= MAX_STEPS:
            steps.clear()
            self._now = heard
        steps.append((offset, heard))

    def at(self, offset: int) -> int:
        """Of the byte at `offset`. Asked for in order."""
        steps = self._steps
        while steps and steps[0][0] <= offset:
            self._now = steps.popleft()[1]
        return self._now
