"""Running one case several times."""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True, slots=True)
class Work:
    """What one run went through."""

    packets: int
    octets: int


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    says: str
    capture: str | None
    prepare: Callable[[Inputs], Callable[[], Work]]
    """What it does before it returns the function is not measured."""


@dataclass(frozen=True, slots=True)
class Inputs:
    path: str
    """The case's capture, read once already; empty where it has none."""
    packets: int
    """As many as were asked for, where the case makes its own."""


@dataclass(frozen=True, slots=True)
class Result:
    case: Case
    work: Work
    cpu: list[float]
    """Seconds of time.process_time: all threads of this process, user and system."""
    wall: list[float]
    """Seconds of time.perf_counter."""

    @property
    def best(self) -> float:
        return min(self.cpu)

    @property
    def median(self) -> float:
        return statistics.median(self.cpu)

    @property
    def ns_per_packet(self) -> float:
        return self.best / self.work.packets * 1e9

    @property
    def mb_per_second(self) -> float:
        return self.work.octets / 1e6 / self.best


def measure(case: Case, inputs: Inputs, repeat: int) -> Result:
    run = case.prepare(inputs)
    cpu, wall = [], []
    for _ in range(repeat):
        gc.collect()
        wall_start, cpu_start = time.perf_counter(), time.process_time()
        work = run()
        cpu.append(time.process_time() - cpu_start)
        wall.append(time.perf_counter() - wall_start)
    return Result(case, work, cpu, wall)
