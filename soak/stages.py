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
            # A worker that is there is at work.
            "spark.python.worker.reuse": "false",
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
    stages: set[int] = field(default_factory=set)
    with_python: dict[int, str] = field(default_factory=dict)
    """Stages whose tasks need a worker, with what they do."""
    failed: Counter[int] = field(default_factory=Counter)
    """Attempts that failed, by stage."""


def event_log(folder: Path) -> Told:
    told = Told()
    for line in (line for path in sorted(folder.iterdir()) for line in path.read_text("utf-8").splitlines()):
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd":
            told.tasks += 1
            told.stages.add(event["Stage ID"])
            if event["Task End Reason"]["Reason"] not in ("Success", "TaskKilled"):
                told.failed[event["Stage ID"]] += 1
        elif event["Event"] == "SparkListenerStageSubmitted":
            info = event["Stage Info"]
            scopes = [json.loads(rdd["Scope"])["name"] for rdd in info["RDD Info"] if "Scope" in rdd]
            if any("InArrow" in scope or "Python" in scope for scope in scopes):
                told.with_python[info["Stage ID"]] = info["Stage Name"]
    return told
