"""Stacks of this process, taken every few milliseconds and written at once: workers are killed, not ended.

Workers load this file by its path, before anything else: it needs the standard library only.
"""

from __future__ import annotations

import atexit
import opcode
import os
import signal
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FrameType

EVERY_SECONDS: Final = 0.005
SUFFIX: Final = ".samples"
_RESUME: Final = opcode.opmap.get("RESUME", -1)
_CLOCKS: Final[dict[str, tuple[int, int, Callable[[], float]]]] = {
    "cpu": (signal.ITIMER_PROF, signal.SIGPROF, time.process_time),
    "wall": (signal.ITIMER_REAL, signal.SIGALRM, time.perf_counter),
}


class Sampler:
    """A stack is written out when it is first seen, `=number stack`; then its number, weight and moment."""

    def __init__(self, folder: str, role: str, clock: str) -> None:
        self._timer, self._signal, self._clock = _CLOCKS[clock]
        path = os.path.join(folder, f"{role}-{os.getpid()}{SUFFIX}")  # noqa: PTH118 - pathlib takes long to import
        self._file = os.open(path, os.O_CREAT | os.O_APPEND | os.O_WRONLY, 0o600)
        self._numbers: dict[tuple[CodeType, ...], int] = {}
        self._last = self._clock()

    def start(self) -> None:
        signal.signal(self._signal, self._take)
        # System calls of C libraries go on; those of Python do so anyway.
        signal.siginterrupt(self._signal, False)
        signal.setitimer(self._timer, EVERY_SECONDS, EVERY_SECONDS)

    def stop(self) -> None:
        signal.setitimer(self._timer, 0)
        signal.signal(self._signal, signal.SIG_IGN)
        os.close(self._file)

    def _take(self, _: int, frame: FrameType | None) -> None:
        # Signals that come while C code runs are one signal: what passed since the last counts, not their number.
        now = self._clock()
        weight, self._last = now - self._last, now
        while frame is not None and frame.f_code is Sampler._take.__code__:
            # The next signal came before the last one was dealt with.
            frame = frame.f_back
        if frame is not None and frame.f_back is not None and _just_entered(frame):
            frame = frame.f_back
        codes, top = [], frame
        while frame is not None:
            codes.append(frame.f_code)
            frame = frame.f_back
        key = tuple(codes)
        number = self._numbers.get(key)
        text = ""
        if number is None:
            number = self._numbers[key] = len(self._numbers)
            text = f"={number} {';'.join(_names(top))}\n"
        os.write(self._file, f"{text}{number} {weight:.6f} {time.time():.3f}\n".encode())


def _just_entered(frame: FrameType) -> bool:
    """Python sees signals when a function begins: what passed before was its caller's, or that of C code between."""
    code, at = frame.f_code.co_code, frame.f_lasti
    return at < 0 or code[at] == _RESUME


def _names(frame: FrameType | None) -> list[str]:
    """From the root on."""
    names = []
    while frame is not None:
        module = frame.f_globals.get("__name__", "?")
        names.append(f"{module}.{frame.f_code.co_qualname}".replace(";", ",").replace(" ", "_"))
        frame = frame.f_back
    return names[::-1]


def in_workers(folder: str) -> None:
    """From now on in this process, which forks workers, and in each of those."""
    daemon = Sampler(folder, "daemon", "cpu")
    daemon.start()
    # A fork has no timer, and must not write to its parent's file.
    os.register_at_fork(after_in_child=lambda: Sampler(folder, "worker", "cpu").start())
    # A signal that comes after Python has put its handlers away ends the process; this stops the timer of a fork, too.
    atexit.register(daemon.stop)


def site(folder: str) -> str:
    """A `sitecustomize.py` that starts it in every Python process that finds it."""
    return (
        "import importlib.util\n"
        f"spec = importlib.util.spec_from_file_location('mqtrail_sampler', {__file__!r})\n"
        "sampler = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(sampler)\n"
        f"sampler.in_workers({folder!r})\n"
    )
