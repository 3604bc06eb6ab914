"""tcpdump on the loopback interface, started before the first packet and ended by its pid after the last."""

from __future__ import annotations

import re
import select
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

START_S = 10
SETTLE_S = 0.5


class CaptureError(Exception):
    """Packets cannot be captured here, or some were lost."""


class Capture:
    """Writes only what goes to or from the given ports of the server."""

    def __init__(self, path: Path, server: str, ports: tuple[int, ...]) -> None:
        self.path = path
        ends = " or ".join(
            f"(dst host {server} and dst port {port}) or (src host {server} and src port {port})" for port in ports
        )
        self.filter = f"tcp and ({ends})"

    def __enter__(self) -> Self:
        tool = shutil.which("tcpdump")
        if tool is None:
            raise CaptureError("tcpdump is not installed")
        with self.path.open("wb") as out:
            # To stdout: as root tcpdump gives up its rights before it opens a file of its own.
            self.process = subprocess.Popen(
                [tool, "-i", "lo", "-n", "-p", "-U", "--immediate-mode", "-s", "0", "-w", "-", self.filter],
                stdout=out,
                stderr=subprocess.PIPE,
            )
        self.said = b""
        deadline = time.monotonic() + START_S
        while b"listening on" not in self.said:
            if not self._read(deadline - time.monotonic()):
                self.process.kill()
                self.process.wait()
                raise CaptureError(f"tcpdump cannot capture on lo: {self.said.decode(errors='replace').strip()}")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        time.sleep(SETTLE_S)
        self.process.send_signal(signal.SIGINT)
        try:
            _, rest = self.process.communicate(timeout=START_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, rest = self.process.communicate()
        dropped = re.search(rb"(\d+) packets? dropped by kernel", self.said + rest)
        if error is None and (dropped is None or dropped[1] != b"0"):
            raise CaptureError("tcpdump lost packets; run it again")

    def _read(self, seconds: float) -> bool:
        """More of what tcpdump says; False when it has ended or time is up."""
        if self.process.stderr is None:
            return False
        ready, _, _ = select.select([self.process.stderr], [], [], max(seconds, 0))
        more = self.process.stderr.read1(4096) if ready else b""  # type: ignore[attr-defined]
        self.said += more
        return bool(more)
