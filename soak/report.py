"""What a case did, measured and promises, line by line."""

from __future__ import annotations

import sys
import time


class Skipped(Exception):
    """The case cannot run here; the text says why."""


class Broken(Exception):
    """The case cannot go on: something that it rests on did not happen."""


class Report:
    """Lines of one case. A promise that is not kept is told and counted, and the case goes on."""

    def __init__(self, case: str) -> None:
        self.broken = 0
        self._began = time.monotonic()
        print(f"== {case}")

    def say(self, line: str) -> None:
        print(f"   {line}")
        sys.stdout.flush()

    def promise(self, sentence: str, *, kept: bool) -> None:
        self.broken += not kept
        self.say(f"{'kept' if kept else 'BROKEN'}: {sentence}")

    def end(self) -> None:
        self.say(f"{time.monotonic() - self._began:.0f} s altogether")


def megabytes(count: int) -> str:
    return f"{count / 1e6:,.0f} MB"
