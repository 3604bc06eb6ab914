"""A dataset that gets a run every night has few files all the same, and the rows of one run over everything."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from pyarrow import parquet

from pipelines.quality import check_tables
from pipelines.store import merging
from pipelines.store.merging import FEW_FILES
from pipelines.store.verifying import verify
from schemas.dates import date_of
from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.dataset.growing import add, read
from tests.pipelines.dataset.test_equals_one_run import differences, grow

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

NIGHTS = 20


def files_by_folder(data: Path) -> Counter[str]:
    return Counter(
        str(file.parent.relative_to(data)) for kind in ("tables", "state") for file in (data / kind).rglob("*.parquet")
    )


def test_twenty_nights(tmp_path: Path) -> None:
    packets = crowd(9, 8, services=True)
    captures = cut(packets, [night * len(packets) // NIGHTS for night in range(1, NIGHTS)], tmp_path)
    data, whole = tmp_path / "data", tmp_path / "whole"
    add(None, whole, captures)
    most: Counter[str] = Counter()
    for capture in captures:
        add(None, data, [capture])
        most |= files_by_folder(data)
    assert differences(read(whole), read(data)) == []
    # What the last job itself makes, and what the driver adds after it, is merged by the run after.
    assert {folder: count for folder, count in most.items() if count > FEW_FILES + 2} == {}
    # Later nights may have taken rows out of what was merged, and written it again.
    written = [
        entry["path"]
        for one in (data / "runs").iterdir()
        for entry in json.loads(one.read_bytes())["outputs"]
        if "-merged-" in entry["path"]
    ]
    assert {"state/facts", "state/segments", "tables/captures", "tables/calls"} <= {
        "/".join(path.split("/")[:2]) for path in written
    }
    found = verify(str(data))
    assert found is not None
    assert (found.problems, found.runs) == ([], NIGHTS)
    assert check_tables(str(data / "tables")).success


@pytest.mark.parametrize("seed", [3, 5])
def test_merged_every_night_where_rows_are_corrected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """No row is lost or doubled when files that lose rows become one in the same job."""
    monkeypatch.setattr(merging, "FEW_FILES", 1)
    grow(None, tmp_path, seed, 5, in_order=seed == 5, parts=2)
    assert max(files_by_folder(tmp_path / "grown").values()) <= 5
    assert check_tables(str(tmp_path / "grown" / "tables")).success


def test_workers_merge_too(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "FEW_FILES", 1)
    packets = crowd(6, 6)
    captures = cut(packets, [len(packets) // 3, 2 * len(packets) // 3], tmp_path)
    for capture in captures:
        add(spark, tmp_path / "data", [capture])
    add(None, tmp_path / "whole", captures)
    assert differences(read(tmp_path / "whole"), read(tmp_path / "data")) == []
    assert any("-merged-" in file.name for file in (tmp_path / "data").rglob("*.parquet"))


def test_a_file_that_is_large_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a night costs does not grow with the nights before."""
    monkeypatch.setattr(merging, "FEW_FILES", 1)
    monkeypatch.setattr(merging, "SMALL_BYTES", 1_500)
    packets = crowd(9, 3)
    date = date_of(packets[len(packets) // 2][0] * 1_000)
    of_a_day = [one for one in packets if date_of(one[0] * 1_000) == date][:NIGHTS]
    data = tmp_path / "data"
    folder = data / "tables" / "captures" / f"date={date}"
    before: dict[str, int] = {}
    written = 0
    for capture in cut(of_a_day, range(1, NIGHTS), tmp_path):
        add(None, data, [capture])
        files = {file.name: parquet.read_metadata(file).num_rows for file in folder.iterdir()}
        written += sum(rows for name, rows in files.items() if name not in before)
        before = files
    assert sum(before.values()) == NIGHTS
    assert 2 <= len(before) <= NIGHTS // 2
    # Each capture was written when it came, and again while its file was small.
    assert written <= NIGHTS + NIGHTS * max(before.values())
