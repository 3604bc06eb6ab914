"""Exit codes that scripts rely on."""

from __future__ import annotations

import enum


class ExitCode(enum.IntEnum):
    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    NO_INPUT = 10
    NO_CAPTURE_READABLE = 11
    INPUT_DAMAGED = 13
    """Done; what could be read was, and the damage is in the table `issues`."""
    FINDINGS = 14
    """Done; there are findings at or above --fail-on."""
    DATA_QUALITY = 15


class Stop(Exception):
    """Ends the command with a sentence for the user, and a line for each detail."""

    def __init__(self, code: ExitCode, sentence: str, *details: str) -> None:
        super().__init__(sentence)
        self.code = code
        self.details = details
