"""Two processes at one dataset: the second waits, and begins where the first ended."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.dataset.folder import DatasetFolder
from tests.faults.committing import commit, run_number

if TYPE_CHECKING:
    import pytest

PATIENCE_SECONDS = 30.0


def wait_for(path: Path) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not path.exists():
        assert time.monotonic() < until, path
        time.sleep(0.01)


def in_a_child(final: Path, told: Path) -> int:
    child = os.fork()
    if child:
        return child
    try:
        with DatasetFolder(str(final), lambda holder: Path(told).write_text(holder) and None) as folder:
            before = (folder.manifest or {"run": 0})["run"]
        os._exit(int(before))
    except BaseException:  # noqa: BLE001 - pytest's own handlers must not run twice
        os._exit(99)


def test_the_second_waits(tmp_path: Path, recwarn: pytest.WarningsRecorder) -> None:
    final, told = tmp_path / "data", tmp_path / "told"
    commit(final, "first")
    with DatasetFolder(str(final)):
        child = in_a_child(final, told)
        wait_for(told)
        assert told.read_text().startswith(f"process {os.getpid()} on ")
        assert os.waitpid(child, os.WNOHANG) == (0, 0)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 1
    assert run_number(final) == 1


def test_a_dead_holder_holds_nothing(tmp_path: Path) -> None:
    final = tmp_path / "data"
    child = os.fork()
    if child == 0:
        DatasetFolder(str(final)).__enter__()
        os._exit(0)
    os.waitpid(child, 0)
    commit(final, "first")
    assert sorted(one.name for one in tmp_path.iterdir()) == [".data.lock", "data"]
