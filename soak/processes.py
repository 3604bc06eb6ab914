"""Programs in a session of their own, so that all of them can be found, measured and ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self

from soak.report import Broken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ROOT: Final = Path(__file__).parents[1]
PATIENCE_SECONDS: Final = 300.0
"""For one run on a busy machine; alone most take fifteen."""
DAEMONS: Final = ("-m mqtrail.daemon", "-m pyspark.daemon")
"""What forks Python workers: ours on the machine of a run, Spark's own on a cluster. A JVM names it as a setting."""
_NAME: Final = "mqtrail.daemon"
"""Of a process that took over from ours, and of its workers: by their command lines they are the driver."""
QUICK_JAVA: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""Most runs are too short for the optimising compiler to pay."""


@dataclass(frozen=True, slots=True)
class Process:
    pid: int
    parent: int
    session: int
    state: str


def processes() -> Iterator[Process]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, ValueError):
                # The name, in brackets, may hold anything.
                state, parent, _, session = (entry / "stat").read_text().rpartition(")")[2].split()[:4]
                yield Process(int(entry.name), int(parent), int(session), state)


def below(root: int) -> set[int]:
    """The process and all that descend from it."""
    found, everyone = {root}, [one for one in processes() if one.state != "Z"]
    while more := {one.pid for one in everyone if one.parent in found} - found:
        found |= more
    return found


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
    except OSError:
        return ""


def _name(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def is_worker(pid: int) -> bool:
    """Or the daemon that forks them, which looks like them."""
    command = command_line(pid)
    return any(daemon in command for daemon in DAEMONS) or _name(pid) == _NAME


def python_workers(root: int) -> list[int]:
    """Processes below this one that run tasks: children of the daemon."""
    daemons = {pid for pid in below(root) if is_worker(pid)}
    return sorted(one.pid for one in processes() if one.parent in daemons and one.state != "Z")


class Program:
    """As a context manager nothing of it is left afterwards."""

    def __init__(self, command: list[str], folder: Path, settings: Mapping[str, str] | None = None) -> None:
        self._command, self._folder = command, folder
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("SPARK_", "PYSPARK_"))}
        self._environment = kept | {"SPARK_LOCAL_IP": "127.0.0.1", "PYTHONPATH": str(ROOT)} | dict(settings or {})
        self._log = folder / f"said-{time.monotonic_ns()}"
        self._process: subprocess.Popen[bytes] | None = None
        self.began = time.monotonic()

    def __enter__(self) -> Self:
        self._folder.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as said:
            self._process = subprocess.Popen(
                self._command, stdout=said, stderr=said, env=self._environment, cwd=ROOT, start_new_session=True
            )
        self.began = time.monotonic()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        # pyspark's daemon has a process group of its own, but the same session.
        for one in list(processes()):
            if one.session == self.pid:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(one.pid, signal.SIGKILL)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def said(self) -> str:
        lines = self._log.read_text("utf-8", "replace").splitlines()
        return "\n".join(line for line in lines if not line.startswith("Picked up JAVA_TOOL_OPTIONS"))

    @property
    def running(self) -> bool:
        assert self._process is not None
        return self._process.poll() is None

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def kill(self) -> None:
        """The whole group at once, as the system does it: nothing can clean up."""
        assert self._process is not None
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)
        self._process.wait(PATIENCE_SECONDS)

    def wait(self, patience: float = PATIENCE_SECONDS, meanwhile: Callable[[], None] = lambda: None) -> int:
        """Exit code. `meanwhile` is called again and again."""
        assert self._process is not None
        while self.running:
            if self.seconds > patience:
                raise Broken(f"not done after {patience:.0f} s: {' '.join(self._command[2:])}\n{self.said}")
            meanwhile()
            time.sleep(0.02)
        return int(self._process.returncode)


def mqtrail(folder: Path, *arguments: str, quick: bool = True, steps: Path | None = None) -> Program:
    """The command, with bounds so low that small captures go the way of large ones (see soak.as_if_large)."""
    settings = {"JAVA_TOOL_OPTIONS": QUICK_JAVA} if quick else {}
    if steps:
        settings["SOAK_STEPS"] = str(steps)
    module = "soak.as_if_large" if quick else "soak.as_it_is"
    return Program([sys.executable, "-m", module, *arguments], folder, settings)


def run(folder: Path, *arguments: str) -> str:
    """What it printed; it has to end well."""
    with mqtrail(folder, *arguments) as program:
        code = program.wait()
        if code:
            raise Broken(f"mqtrail {' '.join(arguments)} ended with {code}:\n{program.said}")
        return program.said
