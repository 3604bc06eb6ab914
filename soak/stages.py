"""What Spark says of a run: its REST API while it runs, its event log afterwards."""

from __future__ import annotations

import contextlib
import json
import socket
import urllib.request
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Interface:
    """Of a run that has these settings; nothing while it is not up."""

    def __init__(self, events: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self._port = free.getsockname()[1]
        events.mkdir(parents=True)
        self._events = events
        self._application = ""

    @property
    def options(self) -> list[str]:
        settings = {
            "spark.ui.enabled": "true",
            "spark.ui.port": str(self._port),
            "spark.eventLog.enabled": "true",
            "spark.eventLog.dir": self._events.as_uri(),
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
        }
        return [word for key, value in settings.items() for word in ("--spark-conf", f"{key}={value}")]

    def active(self) -> list[int]:
        """Stages with a task at work."""
        with contextlib.suppress(OSError, ValueError, LookupError):
            if not self._application:
                self._application = self._get("applications")[0]["id"]
            stages = self._get(f"applications/{self._application}/stages?status=active")
            return [stage["stageId"] for stage in stages if stage["numActiveTasks"]]
        return []

    def _get(self, path: str) -> Any:  # noqa: ANN401 - JSON
        # Loopback, whatever proxies the machine has.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(f"http://127.0.0.1:{self._port}/api/v1/{path}", timeout=2) as answer:
            return json.load(answer)


@dataclass(slots=True)
class Told:
    tasks: int = 0
    jobs: int = 0
    names: dict[int, str] = field(default_factory=dict)
    """Of stages that had tasks: number, and that of the job that asked for it."""
    with_python: set[int] = field(default_factory=set)
    """Stages whose tasks had Python at work."""
    failed: Counter[int] = field(default_factory=Counter)
    """Attempts that failed, by stage."""

    @property
    def done(self) -> str:
        return f"{self.tasks} tasks in {len(self.names)} stages of {self.jobs} jobs"

    def named(self, stages: Iterable[int]) -> str:
        return ", ".join(self.names[stage] for stage in sorted(stages)) or "none"


def event_log(folder: Path) -> Told:
    told, asked_by = Told(), dict[int, int]()
    for line in (line for path in sorted(folder.iterdir()) for line in path.read_text("utf-8").splitlines()):
        event = json.loads(line)
        if event["Event"] == "SparkListenerJobStart":
            told.jobs += 1
            asked_by |= dict.fromkeys(event["Stage IDs"], event["Job ID"])
        elif event["Event"] == "SparkListenerTaskEnd":
            stage = event["Stage ID"]
            told.tasks += 1
            told.names[stage] = f"{stage} (job {asked_by[stage]})"
            if any("Python workers" in one.get("Name", "") for one in event["Task Info"]["Accumulables"]):
                told.with_python.add(stage)
            if event["Task End Reason"]["Reason"] not in ("Success", "TaskKilled"):
                told.failed[stage] += 1
    return told
