"""A program run to its end: how long it took, by the clock and of processors, and how much memory its workers had."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PROC: Final = Path("/proc")
_LOOK_SECONDS: Final = 0.25
_WORKERS: Final = "mqtrail.daemon"
"""Name of the process that forks workers, and of theirs."""
_PEAK: Final = re.compile(r"^VmHWM:\s+(\d+) kB", re.MULTILINE)
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_USER_TIME: Final = 11
"""Place behind the name; the system's time is behind it."""


@dataclass(frozen=True, slots=True)
class Ran:
    seconds: float
    worker_mb: float = 0.0
    """The most that one worker had, of those that were seen."""
    busy_seconds: float = 0.0
    """Of processors, for all its processes as far as they were seen: others on the machine hardly change it."""


def run(command: Sequence[str]) -> Ran:
    """Raises CalledProcessError with what it said."""
    environment = os.environ | {"PYSPARK_PYTHON": sys.executable, "PYSPARK_DRIVER_PYTHON": sys.executable}
    began = time.perf_counter()
    quiet = subprocess.DEVNULL
    with subprocess.Popen(command, stdout=quiet, stderr=subprocess.PIPE, env=environment) as process:
        peak = 0
        busy: dict[int, float] = {}
        while True:
            try:
                _, said = process.communicate(timeout=_LOOK_SECONDS)
                break
            except subprocess.TimeoutExpired:
                of_it = descendants(process.pid, parents())
                peak = max(peak, _largest_worker(of_it))
                busy |= _busy({process.pid, *of_it})
    seconds = time.perf_counter() - began
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, stderr=said)
    return Ran(seconds, peak / 1_000, sum(busy.values()))


def _busy(processes: Iterable[int]) -> dict[int, float]:
    found = {}
    for process in processes:
        try:
            told = (_PROC / str(process) / "stat").read_text().rpartition(")")[2].split()
            found[process] = sum(map(int, told[_USER_TIME : _USER_TIME + 2])) / _TICKS
        except OSError:  # it has ended
            continue
    return found


def _largest_worker(processes: Iterable[int]) -> int:
    """In thousands of bytes, 0 where there is none."""
    found = 0
    for process in processes:
        try:
            if (_PROC / str(process) / "comm").read_text().strip() == _WORKERS:
                peak = _PEAK.search((_PROC / str(process) / "status").read_text())
                found = max(found, int(peak[1]) * 1_024 // 1_000 if peak else 0)
        except OSError:  # it has ended
            continue
    return found


def parents() -> dict[int, int]:
    """Of every process on this machine."""
    found = {}
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if entry.name.isdecimal():
            try:
                # The name in brackets may have blanks in it.
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    return found


def descendants(root: int, parent: Mapping[int, int]) -> set[int]:
    found = {root}
    while more := {child for child, of in parent.items() if of in found} - found:
        found |= more
    return found - {root}
