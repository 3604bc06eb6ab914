"""Copies of the driver: what they hold, and that they end with it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.conftest import ROOT

_LIMIT = 60
LOCKED = """
import fcntl, os, sys, time
from pipelines.engine.forked import fork, is_quiet
assert is_quiet()
lock = os.open(sys.argv[1], os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
ours, theirs = os.pipe()
if not fork(lambda: (os.write(theirs, b"x"), time.sleep(600)), (theirs,)):
    raise SystemExit("a copy never comes here")
os.read(ours, 1)
os.close(lock)
again = os.open(sys.argv[1], os.O_RDWR)
fcntl.flock(again, fcntl.LOCK_EX | fcntl.LOCK_NB)
os.killpg(0, 9)
"""
BUSY = """
import threading
from pipelines.engine.forked import DRAWING, is_quiet
over = threading.Event()
threading.Thread(target=over.wait, name=DRAWING).start()
assert is_quiet()
threading.Thread(target=over.wait).start()
assert not is_quiet()
over.set()
"""
WAITING = """
import os, pathlib, sys, time
from pipelines.engine.ready_workers import ready_workers
assert ready_workers({"spark.executorEnv.PYTHONPATH": "elsewhere"}, pathlib.Path(sys.argv[1])) == {}
print(ready_workers({}, pathlib.Path(sys.argv[1])), flush=True)
time.sleep(600)
"""


def start(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
        text=True,
        start_new_session=True,
    )


def children(process: int) -> list[int]:
    return [int(one) for one in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_over(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def comes_to_an_end(process: int) -> bool:
    until = time.monotonic() + _LIMIT
    while not is_over(process) and time.monotonic() < until:
        time.sleep(0.05)
    return is_over(process)


def test_a_copy_lets_go_of_locks(tmp_path: Path) -> None:
    with start(LOCKED, tmp_path / "lock") as driver:
        assert driver.wait(_LIMIT) == -signal.SIGKILL, "the lock is still held"


def test_threads_are_noticed() -> None:
    with start(BUSY) as driver:
        assert driver.wait(_LIMIT) == 0


def test_workers_that_wait_for_spark_end_with_the_driver(tmp_path: Path) -> None:
    with start(WAITING, tmp_path) as driver:
        assert driver.stdout is not None
        assert driver.stdout.readline() == f"{{'spark.executorEnv.MQTRAIL_READY': '{tmp_path / 'ready'}'}}\n"
        [waiting] = children(driver.pid)
        driver.kill()
        driver.stdout.read()
    assert comes_to_an_end(waiting)
