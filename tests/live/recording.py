"""The conversations while tcpdump listens: a capture, and what the programs say they sent."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Timer
from typing import TYPE_CHECKING

from samples.capture import Capture, CaptureError
from tests.conftest import ROOT
from tests.live.report import HOST, Told
from tests.tools import cannot, need

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

AT_MOST_S = 60


@dataclass(frozen=True)
class Recording:
    path: Path
    told: dict[str, Told]


@contextmanager
def capture(path: Path, ports: tuple[int, ...]) -> Iterator[None]:
    one = Capture(path, HOST, ports)
    try:
        with one:
            yield
    finally:
        # Where tcpdump refuses to start, its pipe is left open.
        if one.process.stderr:
            one.process.stderr.close()


def record(path: Path, module: str = "tests.live.talk") -> Recording:
    """`module`: who talks."""
    need("tcpdump")
    with (
        path.with_suffix(".log").open("w+b") as log,
        subprocess.Popen(
            [sys.executable, "-m", module],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
        ) as process,
    ):
        assert process.stdin
        assert process.stdout
        watchdog = Timer(AT_MOST_S, process.kill)
        watchdog.start()
        try:
            ports = tuple(json.loads(process.stdout.readline() or "[]"))
            assert ports, path.with_suffix(".log").read_text(errors="replace")
            with capture(path, ports):
                process.stdin.write(b"\n")
                process.stdin.close()
                said = process.stdout.readline()
                process.wait()
        except CaptureError as error:
            process.kill()
            cannot(str(error))
        finally:
            watchdog.cancel()
    assert process.returncode == 0, path.with_suffix(".log").read_text(errors="replace")
    return Recording(path, {name: Told(**one) for name, one in json.loads(said).items()})
