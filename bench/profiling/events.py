"""Spark's own log of a run: jobs, and what their tasks took."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SETTINGS: Final = {
    "spark.eventLog.enabled": "true",
    "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false",
}


@dataclass(slots=True)
class SparkJob:
    number: int
    began: float
    """Unix time."""
    ended: float = 0.0
    stages: frozenset[int] = frozenset()
    tasks: int = 0
    task_seconds: float = 0.0
    longest_seconds: float = 0.0
    jvm_seconds: float = 0.0
    """CPU of the tasks' threads in the JVM; Python's comes on top."""
    gc_seconds: float = 0.0
    shuffled_bytes: int = 0
    python_seconds: float = field(default=0.0)
    """CPU of workers while it ran."""

    @property
    def wall(self) -> float:
        return self.ended - self.began


def jobs(folder: Path) -> list[SparkJob]:
    lines = [line for path in sorted(folder.iterdir()) for line in path.read_text().splitlines()]
    return read(json.loads(line) for line in lines)


def read(events: Iterable[dict[str, Any]]) -> list[SparkJob]:
    found: dict[int, SparkJob] = {}
    for event in events:
        match event["Event"]:
            case "SparkListenerJobStart":
                number = event["Job ID"]
                found[number] = SparkJob(number, event["Submission Time"] / 1e3, stages=frozenset(event["Stage IDs"]))
            case "SparkListenerJobEnd":
                found[event["Job ID"]].ended = event["Completion Time"] / 1e3
            case "SparkListenerTaskEnd":
                for job in found.values():
                    if event["Stage ID"] in job.stages:
                        _count(job, event)
    return [job for job in found.values() if job.ended]


def _count(job: SparkJob, event: dict[str, Any]) -> None:
    info, metrics = event["Task Info"], event.get("Task Metrics") or {}
    seconds = (info["Finish Time"] - info["Launch Time"]) / 1e3
    job.tasks += 1
    job.task_seconds += seconds
    job.longest_seconds = max(job.longest_seconds, seconds)
    job.jvm_seconds += metrics.get("Executor CPU Time", 0) / 1e9
    job.gc_seconds += metrics.get("JVM GC Time", 0) / 1e3
    job.shuffled_bytes += metrics.get("Shuffle Write Metrics", {}).get("Shuffle Bytes Written", 0)
