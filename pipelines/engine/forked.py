"""Copies of this process, for work beside it: all that it has imported is there already.

Only the command `mqtrail` makes some, before Spark starts: then nothing else is going on in the process that a copy
could be in the midst of. A copy has what this process has in its memory, secrets too, and nobody can read it who
could not read this process.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

_OPEN: Final = Path("/dev/fd")
_STANDARD: Final = frozenset((0, 1, 2))


DRAWING: Final = "drawing"
"""Name of the one thread that does no harm: it imports nothing, and only its own work needs what it may hold."""


def is_quiet() -> bool:
    """No thread is in the midst of something, importing for one, that a copy could never end."""
    return all(one is threading.main_thread() or one.name == DRAWING for one in threading.enumerate())


def fork(work: Callable[[], None], keep: Collection[int]) -> int:
    """The number of a process that does the work and ends. `keep`: descriptors that it needs; it lets go of all others,
    locks among them, which then end with this process.
    """
    number = os.fork()
    if number:
        return number
    code = 1
    try:
        # Who interrupts the run interrupts this process, and the copy ends when it is gone.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        for number in (signal.SIGTERM, signal.SIGHUP):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, signal.SIG_DFL)
        _let_go(_STANDARD | set(keep))
        work()
        code = 0
    finally:
        # Nothing of what this process does at its end is the copy's to do. An error is the caller's to notice.
        os._exit(code)


def _let_go(keep: Collection[int]) -> None:
    for number in [int(name.name) for name in _OPEN.iterdir()]:
        if number not in keep:
            with contextlib.suppress(OSError):  # the one by which the folder was read
                os.close(number)
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    # New ones, since others may have been in the midst of writing when the copy was made.
    sys.stdin, sys.stdout = os.fdopen(0, closefd=False), os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", closefd=False)
