"""mqtrail report, and the report of a run."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from ingest.choice import Scope
from pipelines.cli import main
from pipelines.run import command
from pipelines.store.manifest import sha256_of

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(family: Path, tmp_path: Path) -> Path:
    shutil.copytree(family, tmp_path / "run")
    (tmp_path / "run" / "report.html").unlink(missing_ok=True)
    return tmp_path / "run"


def test_report_is_written_and_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(folder)]) == 0
    said = capsys.readouterr()
    assert (said.out, said.err) == (f"{folder}/report.html\n", "")
    first = (folder / "report.html").read_bytes()
    assert main(["report", str(folder)]) == 0
    assert (folder / "report.html").read_bytes() == first
    assert main(["report", str(folder), "-o", str(folder / "other.html")]) == 0
    assert (folder / "other.html").read_bytes() == first


def test_report_that_is_not_the_one_of_the_run_says_so(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = json.loads((folder / "run.json").read_text())
    main(["report", str(folder)])
    entry = {"path": "report.html", "sha256": sha256_of((folder / "report.html").read_bytes())}
    (folder / "run.json").write_text(json.dumps(manifest | {"outputs": [entry]}))
    assert main(["report", str(folder)]) == 0
    assert capsys.readouterr().err == ""
    (folder / "run.json").write_text(json.dumps(manifest | {"version": "0.0.1", "outputs": [entry]}))
    assert main(["report", str(folder)]) == 0
    assert "`mqtrail verify` will name it: mqtrail 0.0.1 wrote that" in capsys.readouterr().err


def test_folders_without_tables_or_with_a_damaged_manifest(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(tmp_path)]) == 10
    (tmp_path / "tables").mkdir()
    (tmp_path / "run.json").write_text("{")
    assert main(["report", str(tmp_path)]) == 15
    (tmp_path / "run.json").unlink()
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "new" / "x.html")]) == 0
    (tmp_path / "file").write_text("")
    assert main(["report", str(tmp_path), "-o", str(tmp_path / "file" / "x.html")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_run_writes_the_same_report_as_the_command(folder: Path) -> None:
    wanted = command.RunOrder(lambda: pytest.fail("no Spark"), Scope.MSMQ, {"bulk_messages": 100}, case="C-17")
    facts = {
        "case": "C-17",
        "started": "2026",
        "parameters": json.loads((folder / "run.json").read_text())["parameters"],
    }
    assert command._reported(wanted, str(folder), facts) == ""
    first = (folder / "report.html").read_bytes()
    main(["report", str(folder)])
    assert (folder / "report.html").read_bytes() == first


def test_a_report_that_fails_does_not_cost_the_run(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("ts")

    monkeypatch.setattr(command, "write_report", broken)
    wanted = command.RunOrder(lambda: pytest.fail("no Spark"), Scope.MSMQ, {})
    assert command._reported(wanted, str(folder), {}) == "KeyError: 'ts'"
    unwanted = command.RunOrder(lambda: pytest.fail("no Spark"), Scope.MSMQ, {}, report=False)
    assert command._reported(unwanted, str(folder), {}) == ""
