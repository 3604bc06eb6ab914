"""Two processes at one dataset: the second waits, and begins where the first ended."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from pipelines.store.dataset_folder import DatasetFolder
from tests.conftest import ROOT
from tests.faults.committing import commit, run_number

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE_SECONDS = 60.0
ENTERS = """
import sys
from pipelines.store.dataset_folder import DatasetFolder
with DatasetFolder(sys.argv[1], lambda holder: print(holder, flush=True)) as folder:
    print("run", (folder.manifest or {"run": 0})["run"], flush=True)
    sys.stdin.read()
"""


def entering(final: Path) -> subprocess.Popen[str]:
    """Another process; not a fork, which would share our lock."""
    command = [sys.executable, "-c", ENTERS, str(final)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=ROOT)


def test_the_second_waits(tmp_path: Path) -> None:
    final = tmp_path / "data"
    commit(final, "first")
    with DatasetFolder(str(final)):
        other = entering(final)
        assert other.stdout is not None
        assert other.stdout.readline().startswith(f"process {os.getpid()} on ")
        assert other.poll() is None
    assert other.communicate("", timeout=PATIENCE_SECONDS)[0] == "run 1\n"
    assert (other.returncode, run_number(final)) == (0, 1)


def test_a_dead_holder_holds_nothing(tmp_path: Path) -> None:
    final = tmp_path / "data"
    with entering(final) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "run 0\n"
        other.kill()
    commit(final, "first")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["data"]
