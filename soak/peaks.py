"""The most memory that each kind of process ever held."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Self

from soak.processes import below, command_line, is_worker

_EVERY_SECONDS = 0.1


class Peaks:
    """As a context manager it watches, from a thread, what descends from a process."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._enough = threading.Event()
        self._watching = threading.Thread(target=self._watch, daemon=True)
        self.resident: dict[str, int] = {}
        """Kind to bytes; of several processes of a kind, the largest."""
        self.address_space: dict[str, int] = {}

    def __enter__(self) -> Self:
        self._watching.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._enough.set()
        self._watching.join()

    def _watch(self) -> None:
        while not self._enough.wait(_EVERY_SECONDS):
            for pid in below(self._root):
                kind = self._kind(pid)
                for name, peaks in (("VmHWM", self.resident), ("VmPeak", self.address_space)):
                    peaks[kind] = max(peaks.get(kind, 0), _told(pid, name))

    def _kind(self, pid: int) -> str:
        if is_worker(pid):
            return "worker"
        program = command_line(pid).partition(" ")[0]
        return "JVM" if program.endswith("java") else "driver" if pid == self._root else "other"


def _told(pid: int, name: str) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    found = re.search(rf"^{name}:\s+(\d+) kB", status, re.MULTILINE)
    return int(found[1]) * 1024 if found else 0
