"""A Spark standalone cluster on loopback: a master and two workers, each a process of its own."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyspark

from tests.java import java_tool_options

if TYPE_CHECKING:
    from collections.abc import Iterator

SPARK_HOME: Final = Path(pyspark.__file__).parent
WORKERS: Final = 2
_PATIENCE_SECONDS: Final = 60


class NoCluster(Exception):
    """A process of it did not come up; the text is what it said."""


@contextlib.contextmanager
def cluster(folder: Path, settings: str = "") -> Iterator[str]:
    """URL of the master. Whatever happens, the processes are gone afterwards. `settings`: as in spark-defaults.conf."""
    with contextlib.ExitStack() as running:
        master = _start(running, folder / "master", settings, "master.Master", "--host", "127.0.0.1", "--port", "0")
        url = _said(master, r"Starting Spark master at (spark://\S+)")
        workers = []
        for number in range(WORKERS):
            place = folder / f"worker-{number}"
            sizes = ("--cores", "1", "--memory", "1g", "--work-dir", str(place / "work"))
            workers.append(_start(running, place, settings, "worker.Worker", "--host", "127.0.0.1", *sizes, url))
        for worker in workers:
            _said(worker, r"Successfully registered with master (\S+)")
        yield url


class _Process:
    def __init__(self, process: subprocess.Popen[bytes], log: Path) -> None:
        self.process = process
        self.log = log

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(15)


def _start(running: contextlib.ExitStack, folder: Path, settings: str, name: str, *arguments: str) -> _Process:
    """spark-class replaces itself by Java, so that the process we started is the one to end."""
    folder.mkdir(parents=True)
    properties = folder / "properties"
    properties.write_text(settings)
    command = [str(SPARK_HOME / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", "--webui-port", "0"]
    command += ["--properties-file", str(properties)]
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_", "PYTHON"))},
        "SPARK_HOME": str(SPARK_HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "scratch"),
        "SPARK_DAEMON_MEMORY": "256m",
        "JAVA_TOOL_OPTIONS": java_tool_options(),
        "SPARK_MASTER_OPTS": "-Dspark.master.rest.enabled=false",  # it would want a port of its own
        # So that the log below has the lines that are waited for, whatever the machine's own Spark settings are.
        "SPARK_CONF_DIR": str(folder / "no settings"),
    }
    log = folder / "log"
    with log.open("wb") as said:
        process = subprocess.Popen([*command, *arguments], stdout=said, stderr=said, env=environment, cwd=folder)
    started = _Process(process, log)
    running.callback(started.stop)
    return started


def _said(process: _Process, pattern: str) -> str:
    until = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < until and process.process.poll() is None:
        if found := re.search(pattern, process.log.read_text("utf-8", "replace")):
            return found[1]
        time.sleep(0.1)
    raise NoCluster(f"waited for {pattern}:\n{process.log.read_text('utf-8', 'replace')}")
