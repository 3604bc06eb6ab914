"""What a run is doing, for somebody who watches: on a terminal only, so that logs of nightly runs stay free of it."""

from __future__ import annotations

import shutil
import sys
import threading
import time
from typing import TYPE_CHECKING, Final, Self, TextIO

from pipelines.engine.forked import DRAWING
from pipelines.report.words import size

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark import SparkContext

    from pipelines.captures.meter import Meter

_EVERY_SECONDS: Final = 0.5
_LONG_ENOUGH: Final = 3
"""Seconds after which a rate means something."""
_CLEAR: Final = "\r\x1b[K"


class Progress:
    """Called with what begins; as a context manager it redraws one line until the run is over."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._shown = self._stream.isatty()
        self._clock = clock
        self._began = self._stage_began = clock()
        self._stage = ""
        self._spark: SparkContext | None = None
        self._meter: Meter | None = None
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._drawing = threading.Thread(target=self._draw_often, name=DRAWING, daemon=True)

    def __call__(self, what: str) -> None:
        with self._lock:
            if self._stage and self._shown:
                self._write(f"{_CLEAR}{self._line('')}\n")
            self._stage, self._stage_began, self._meter = what, self._clock(), None

    def __enter__(self) -> Self:
        if self._shown:
            self._drawing.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._shown:
            self._drawing.join()
            self("")
            self._write(_CLEAR)

    def watch(self, spark: SparkContext | None) -> None:
        """From now on there are tasks to count, or none any more."""
        with self._lock:
            self._spark = spark

    def measure(self, meter: Meter) -> None:
        """Of the stage at hand."""
        self._meter = meter

    def _draw_often(self) -> None:
        while not self._over.wait(_EVERY_SECONDS):
            with self._lock:
                self._write(_CLEAR + self._line(self._detail()))

    def _line(self, detail: str) -> str:
        line = f"[{self._clock() - self._began:6.1f} s] {self._stage}{detail and ': '}{detail}"
        return line[: shutil.get_terminal_size().columns - 1]

    def _detail(self) -> str:
        if self._meter is not None:
            return reading(self._meter, self._clock() - self._stage_began)
        return tasks(self._spark) if self._spark is not None else ""

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def reading(meter: Meter, seconds: float) -> str:
    """How far, how fast, and how much longer at that pace."""
    reached, captures = meter.reached, len(meter.splits)
    told = [f"{reached.captures} of {captures} captures", f"{size(reached.bytes)} of {size(meter.bytes)}"]
    if seconds >= _LONG_ENOUGH and reached.bytes:
        told += [f"{reached.packets / seconds:,.0f} packets/s", f"{size(round(reached.bytes / seconds))}/s"]
        left = seconds * (meter.bytes - reached.bytes) / reached.bytes
        told.append(f"{duration(left)} left")
    return ", ".join(told)


def tasks(spark: SparkContext) -> str:
    tracker = spark.statusTracker()
    found = [info for stage in tracker.getActiveStageIds() if (info := tracker.getStageInfo(stage)) is not None]
    total = sum(info.numTasks for info in found)
    return f"{sum(info.numCompletedTasks for info in found)} of {total} tasks" if total else ""


def duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"
