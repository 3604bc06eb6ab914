"""Races of whole runs: who takes part, what is made of their times, and what is aimed at."""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from bench.processes import Ran


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one runner, from all its runs."""

    seconds: list[float] = field(default_factory=list)
    worker_mb: list[float] = field(default_factory=list)
    busy_seconds: list[float] = field(default_factory=list)
    calls: int = 0
    """That mqtrail found."""

    @classmethod
    def of(cls, runs: Sequence[Ran], calls: int = 0) -> Figures:
        return cls(
            [one.seconds for one in runs], [one.worker_mb for one in runs], [one.busy_seconds for one in runs], calls
        )

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    def __str__(self) -> str:
        memory = max(self.worker_mb, default=0)
        with_memory = f", a worker at most {memory:,.0f} MB" if memory else ""
        median = statistics.median(self.busy_seconds)
        busy = f", {median:.1f} s of processors" if median else ""
        return f"{self.median:.1f} s ({', '.join(f'{one:.1f}' for one in self.seconds)}){busy}{with_memory}"


@dataclass(frozen=True, slots=True)
class Runner:
    name: str
    command: Callable[[Path, Path], list[str] | None]
    """Given its capture and a folder for what it writes. None: it is not installed."""
    recipe: str = ""
    """Of its capture; empty: the sample."""
    size: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    says: str
    value: Callable[[Mapping[str, Figures]], float]
    bound: float
    kind: Literal["at most", "at least"] = "at most"
    needs: tuple[str, ...] = ()
    """Runners that may not be installed."""

    def verdict(self, figures: Mapping[str, Figures]) -> str:
        missing = [name for name in self.needs if name not in figures]
        if missing:
            return f"{self.says} (target: {self.kind} {self.bound:,g}): not measured, no {', '.join(missing)} here"
        value = self.value(figures)
        met = value <= self.bound if self.kind == "at most" else value >= self.bound
        shown = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
        return f"{shown} {self.says} (target: {self.kind} {self.bound:,g}): {'met' if met else 'missed'}"


@dataclass(frozen=True, slots=True)
class Race:
    name: str
    runners: tuple[Runner, ...]
    targets: tuple[Target, ...]
    large: bool = False
    """Takes long, and is run only when asked for."""


OURS, START = "mqtrail", "mqtrail, sample"
"""Names of runners: our run of the capture, and our run of the sample, which is what starting and ending costs."""


def times(ours: str, theirs: str) -> Callable[[Mapping[str, Figures]], float]:
    return lambda figures: figures[ours].median / figures[theirs].median


def seconds(runner: str) -> Callable[[Mapping[str, Figures]], float]:
    return lambda figures: figures[runner].median


def above_start(figures: Mapping[str, Figures], runner: str) -> float:
    """Never nothing, so that it can be divided by."""
    return max(1e-3, figures[runner].median - figures[START].median)


def busy_above_start(ours: str, theirs: str) -> Callable[[Mapping[str, Figures]], float]:
    """The same of processors' time, which tells something on a machine that does other things too."""

    def of(figures: Mapping[str, Figures], runner: str) -> float:
        start, all_of_it = (statistics.median(figures[name].busy_seconds) for name in (START, runner))
        return max(1e-3, all_of_it - start)

    return lambda figures: of(figures, ours) / of(figures, theirs)


def times_above_start(ours: str, theirs: str) -> Callable[[Mapping[str, Figures]], float]:
    return lambda figures: above_start(figures, ours) / above_start(figures, theirs)


def calls_a_second(runner: str) -> Callable[[Mapping[str, Figures]], float]:
    return lambda figures: figures[runner].calls / above_start(figures, runner)


def memory_times(one: str, other: str) -> Callable[[Mapping[str, Figures]], float]:
    return lambda figures: max(figures[one].worker_mb) / max(1e-3, *figures[other].worker_mb)
