"""The program that Spark starts hands over to a process that waits, or does the work itself."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from typing import TYPE_CHECKING

from mqtrail.taking_over import PLACE
from tests.conftest import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PROGRAM = "from mqtrail.taking_over import handed_over; import sys; sys.exit(7 if handed_over() else 8)"
WAITING = """
import os, socket, sys
from mqtrail.taking_over import take_over
listener = socket.socket(fileno=int(sys.argv[1]))
program = take_over(listener)
print(os.environ["OF_SPARK"], "BEFORE" in os.environ, sys.stdin.readline(), end="", flush=True)
"""


def program(place: Path | None) -> subprocess.Popen[str]:
    given = {"OF_SPARK": "ää=b"} | ({PLACE: str(place)} if place else {})
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"} | given,
        text=True,
    )


def test_who_waits_gets_environment_and_files(tmp_path: Path) -> None:
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(str(tmp_path / "ready"))
    listener.listen(1)
    waiting = subprocess.Popen(
        [sys.executable, "-c", WAITING, str(listener.fileno())],
        pass_fds=[listener.fileno()],
        env={"PYTHONPATH": str(ROOT), "BEFORE": "1", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    listener.close()
    with program(tmp_path / "ready") as started:
        said, _ = started.communicate("a line from Spark\n", timeout=60)
    assert said == "ää=b False a line from Spark\n"
    assert started.returncode == 7
    assert waiting.wait(60) == 0


def test_where_nobody_waits_the_program_goes_on(tmp_path: Path) -> None:
    gone = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    gone.bind(str(tmp_path / "gone"))
    gone.close()
    for place in (None, tmp_path / "never", tmp_path / "gone"):
        with program(place) as started:
            assert started.wait(60) == 8


def test_if_who_waits_ends_before_the_program_goes_on(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(tmp_path / "ready"))
        listener.listen(1)
        with program(tmp_path / "ready") as started:
            listener.accept()[0].close()
            assert started.wait(60) == 8
