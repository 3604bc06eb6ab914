"""verify names the file that changed, whatever changed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ingest.choice import Scope
from ingest.files import expand, sha256
from pipelines.captures.inventory import take_stock
from pipelines.cli import main
from pipelines.cli.options import thresholds
from pipelines.engine.local import LocalEngine
from pipelines.run.command import RunOrder, run_once
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.output_folder import OutputFolder
from pipelines.store.verifying import verify
from tests.conftest import ROOT
from tests.pipelines.dataset.test_folder import grow, written

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(scope="module")
def run_once_made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("verifying")
    order = RunOrder(LocalEngine, Scope.MSMQ, thresholds([]), check=False, report=False)
    with OutputFolder(str(folder / "run"), force=False) as output:
        run_once(order, take_stock(expand([str(ROOT / "samples" / "msmq-loopback.pcap")])), output)
        output.publish()
    return folder / "run"


@pytest.fixture
def run_of_sample(run_once_made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(run_once_made, tmp_path / "run"))


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


def edited(run: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """As somebody would edit it who leaves every hash as it is."""
    manifest = json.loads((run / "run.json").read_text())
    change(manifest)
    (run / "run.json").write_text(json.dumps(manifest))


def dropped_output(manifest: dict[str, Any], table: str) -> None:
    manifest["outputs"] = [one for one in manifest["outputs"] if one["table"] != table]


def first_of(manifest: dict[str, Any], table: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in manifest["outputs"] if one["table"] == table)
    return found


EDITS: list[tuple[Callable[[dict[str, Any]], object], str]] = [
    (lambda manifest: first_of(manifest, "reads").update(rows=1), "rows; run.json says 1"),
    (lambda manifest: first_of(manifest, "reads").update(table="sends"), "says that it belongs to table sends"),
    (lambda manifest: manifest["rows"].update(findings=0), "says that table findings has 0 rows; its files have"),
    (lambda manifest: manifest["rows"].pop("moves"), "does not name table moves, which every run writes"),
    (lambda manifest: dropped_output(manifest, "findings"), "belongs to no run"),
    (lambda manifest: manifest["inputs"][0].update(path="/another.pcap"), "names the capture /another.pcap otherwise"),
    (lambda manifest: manifest["inputs"].clear(), "does not name the capture"),
    (lambda manifest: manifest["counts"]["reads"].update(removed=0), "counts reads as"),
]


@pytest.mark.parametrize(("change", "words"), EDITS, ids=[words for _, words in EDITS])
def test_manifest_that_was_edited_is_found_out(
    run_of_sample: Path, capsys: pytest.CaptureFixture[str], change: Callable[[dict[str, Any]], object], words: str
) -> None:
    edited(run_of_sample, change)
    assert main(["verify", str(run_of_sample)]) == 15
    assert words in capsys.readouterr().err


def test_hash_that_was_kept_elsewhere_proves_the_manifest(
    run_of_sample: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Parameters and times are in no table: nothing but the hash proves them."""
    assert main(["verify", str(run_of_sample)]) == 0
    kept = capsys.readouterr().out.rpartition(" ")[2].strip()
    assert main(["verify", str(run_of_sample), "--expect", kept.upper()]) == 0
    edited(run_of_sample, lambda manifest: manifest.update(case="another"))
    assert main(["verify", str(run_of_sample)]) == 0
    assert main(["verify", str(run_of_sample), "--expect", kept]) == 15
    assert "is not the manifest of that hash" in capsys.readouterr().err


def test_what_is_no_hash_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["verify", str(tmp_path), "--expect", "abc"])
    assert "64 hexadecimal digits" in capsys.readouterr().err


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
