"""A disk that fills while a run writes: an error that says so, and the dataset as before."""

from __future__ import annotations

import errno
import os
import shutil
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pipelines.cli import analyze, main
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.places import Place
from pipelines.store.tables_writer import TablesWriter
from pipelines.store.verifying import verify
from soak.full import small_disk
from soak.report import Skipped
from tests.faults.committing import commit, run_number

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SCHEMA = pa.schema([("data", pa.binary())])


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    try:
        with small_disk(place, 1 << 20):
            yield place
    except Skipped as reason:
        pytest.skip(str(reason))


def fill(folder: DatasetFolder) -> None:
    places = {"data": Place(folder.staging, "tables/flows", "flows")}
    writer = TablesWriter(places, {"data": SCHEMA}, "00000")
    for _ in range(100):
        writer.add("data", pa.RecordBatch.from_pydict({"data": [os.urandom(1 << 20)]}, SCHEMA))
    writer.close()


def test_the_dataset_stays_as_it_was(disk: Path) -> None:
    final = disk / "data"
    commit(final, "first")
    with pytest.raises(OSError, match="No space left on device") as told, DatasetFolder(str(final)) as folder:
        fill(folder)
    assert told.value.errno == errno.ENOSPC
    found = verify(str(final))
    assert found is not None
    assert (found.problems, run_number(final)) == ([], 1)
    assert sorted(one.name for one in disk.iterdir()) == ["data"]
    commit(final, "second")
    assert run_number(final) == 2


def test_no_room_for_the_manifest(disk: Path) -> None:
    final = disk / "data"
    commit(final, "first")
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(shutil.disk_usage(disk).free - 3 * 4096))
    with pytest.raises(OSError, match="No space left on device"):
        commit(final, "second")
    ballast.unlink()
    found = verify(str(final))
    assert found is not None
    assert (found.problems, run_number(final)) == ([], 1)
    commit(final, "second")
    assert sorted(one.name for one in disk.iterdir()) == ["data"]


def test_one_sentence(
    sample: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def run_out(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "part-0.parquet")

    monkeypatch.setattr(analyze, "_folder", run_out)
    assert main(["analyze", str(sample), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("mqtrail: a disk is full: ")
    assert said.count("\n") == 1
