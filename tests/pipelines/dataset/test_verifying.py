"""verify names the file that changed, whatever changed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from ingest.files import sha256
from pipelines.cli import main
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.verifying import verify
from tests.pipelines.dataset.test_folder import grow, written

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def data(tmp_path: Path) -> Path:
    grow(tmp_path / "data", "one")
    capture = tmp_path / "in.pcap"
    capture.write_bytes(b"packets")
    with DatasetFolder(str(tmp_path / "data")) as folder:
        kept = [file for files in folder.base.tables.values() for file in files]
        new = written(folder, "two")
        folder.assemble(new, kept)
        inputs = [{"path": str(capture), "sha256": sha256(str(capture), 7)[0], "bytes": 7}]
        folder.seal({"inputs": inputs}, new, kept)
        folder.publish()
    return tmp_path / "data"


def test_untouched(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(data)]) == 0
    said = capsys.readouterr().out
    assert "2 runs, 3 files, 1 capture" in said
    assert "sha256 of run.json: " in said


def flip(path: Path) -> None:
    """One bit, at the same size."""
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def forge(path: Path) -> None:
    manifest = json.loads(path.read_text())
    manifest["case"] = "another"
    path.write_text(json.dumps(manifest))


FIRST = "tables/verdicts/r000001-part-00000.parquet"


@pytest.mark.parametrize(
    ("name", "change", "words"),
    [
        (FIRST, flip, "has changed since the run"),
        (FIRST, lambda path: path.write_bytes(path.read_bytes() + b"x"), "has changed since the run"),
        (FIRST, lambda path: path.unlink(), "is gone"),
        ("tables/verdicts/extra.parquet", lambda path: path.write_bytes(b"x"), "belongs to no run"),
        ("runs/000001.json", forge, "has changed since the run"),
        ("runs/000001.json", lambda path: path.unlink(), "the chain of runs ends there"),
        ("runs/000002.json", forge, "is not the manifest of the last run"),
        ("../in.pcap", lambda path: path.write_bytes(b"Packets"), "the capture has changed since it was analysed"),
    ],
)
def test_change_is_named(
    data: Path, capsys: pytest.CaptureFixture[str], name: str, change: Callable[[Path], object], words: str
) -> None:
    change(data / name)
    assert main(["verify", str(data)]) == 15
    said = capsys.readouterr().err
    assert words in said
    assert name.rpartition("/")[2] in said


def test_capture_that_was_rotated_away_is_told_and_no_failure(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (data.parent / "in.pcap").unlink()
    assert main(["verify", str(data)]) == 0
    assert "not there any more; not checked" in capsys.readouterr().err


def test_no_run_and_no_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(str(tmp_path)) is None
    assert main(["verify", str(tmp_path)]) == 10
    (tmp_path / "run.json").write_text("{")
    assert main(["verify", str(tmp_path)]) == 15
    assert "is no JSON" in capsys.readouterr().err
