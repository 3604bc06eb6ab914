"""A command that is told to end cleans up behind itself, as after Ctrl-C."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING, Final

from pipelines.cli.printable import warn

if TYPE_CHECKING:
    from types import FrameType

_ASKED: Final = (signal.SIGTERM, signal.SIGHUP)


def end_when_asked() -> None:
    for number in _ASKED:
        # `nohup` has the end of a terminal ignored, which goes before.
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _end)


def say_interrupted() -> None:
    """The terminal may be gone, which is why the command ends."""
    try:
        warn("interrupted; nothing was written")
        sys.stderr.flush()
        sys.stdout.flush()
    except OSError:
        be_silent()


def be_silent() -> None:
    """Nobody is there to read: Python would write once more at its end, and complain."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            os.dup2(nothing, stream.fileno())


def _end(number: int, frame: FrameType | None) -> None:
    # A shell passes the end of its terminal on, so that it comes twice; cleaning up goes on.
    for one in _ASKED:
        signal.signal(one, signal.SIG_IGN)
    signal.default_int_handler(number, frame)
