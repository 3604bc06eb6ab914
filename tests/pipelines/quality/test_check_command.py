"""mqtrail check DIR."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from pyarrow import parquet

from pipelines.cli import main
from pipelines.cli.exit_codes import ExitCode
from pipelines.quality.checking import check_tables
from schemas.tables import CALLS, WRITTEN
from tests.pipelines.quality.folders import clean_rows, link

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def run_folder(whole: Path, tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "tables").symlink_to(whole)
    return tmp_path / "run"


def _spoilt(clean: Path, tmp_path: Path) -> Path:
    rows = clean_rows()
    rows["calls"][1] |= {"outcome": "\x1b[2Jgone\u202e", "uid": "C" * 80}
    (tmp_path / "run").mkdir()
    link(clean, tmp_path / "run" / "tables", rows, "calls")
    return tmp_path / "run"


def test_a_clean_run(run_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(run_folder)]) == ExitCode.DONE
    said = capsys.readouterr()
    assert said.err == ""
    assert "expectations of the tables kept, 0 not" in said.out
    written = json.loads((run_folder / "quality.json").read_text())
    assert written["success"]
    assert {suite["suite"] for suite in written["suites"]} == {"types", *(table.name for table in WRITTEN)}


def test_failures_are_named_and_safe_to_print(clean: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _spoilt(clean, tmp_path)
    assert main(["check", str(folder)]) == ExitCode.DATA_QUALITY
    lines = capsys.readouterr().err.splitlines()
    assert any(
        line.startswith("mqtrail: calls: outcome is one of 9 declared names: not so in 1 row, e.g. call_uid=call_uid-1")
        and line.endswith("outcome=\\u001b[2Jgone\\u202e")
        for line in lines
    )
    assert any("calls: uid stands in flows.uid: not so in 1 row" in line and "CCC..." in line for line in lines)
    assert all(line.isprintable() and len(line) < 300 for line in lines)
    suites = json.loads((folder / "quality.json").read_text())["suites"]
    failed = [one for suite in suites for one in suite["expectations"] if not one["success"]]
    assert {one["table"] for one in failed} >= {"calls"}
    assert all(one["unexpected"] >= 1 and one["examples"] for one in failed)


def test_the_same_tables_give_the_same_file(clean: Path) -> None:
    assert check_tables(str(clean)).text() == check_tables(str(clean)).text()


def test_a_dataset_with_a_folder_a_date(clean: Path, tmp_path: Path) -> None:
    """The date is in the folder's name only; tables without rows have a file without one."""
    tables = link(clean, tmp_path / "tables", {})
    (tables / "calls").unlink()
    rows = clean_rows()["calls"]
    for date, part in (("2026-11-15", rows[:2]), ("2026-11-16", rows[2:])):
        folder = tables / "calls" / f"date={date}"
        folder.mkdir(parents=True)
        parquet.write_table(pa.Table.from_pylist(part, schema=CALLS.arrow), folder / "part-00000.parquet")
    result = check_tables(str(tables))
    assert [failure.sentence for failure in result.failures] == []
    assert {suite.name: suite.rows for suite in result.suites}["calls"] == len(rows)


def test_a_folder_without_tables(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path)]) == ExitCode.NO_INPUT
    assert "has no folder tables" in capsys.readouterr().err


def test_nothing_is_left_in_the_users_home(clean: Path, tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "run"
    home.mkdir()
    shutil.copytree(clean, folder / "tables")
    code = "import sys; from pipelines.cli import main; sys.exit(main(sys.argv[1:]))"
    environment = os.environ | {"HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", code, "check", str(folder)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert list(home.iterdir()) == []
