"""Small files of a table become one in the last job: the same rows, sorted, counted and hashed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from pipelines.store import merging
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.files import Stored, Written
from pipelines.store.merging import FEW_FILES, MERGED_BYTES, SMALL_BYTES, merges
from pipelines.store.places import SORT_KEYS, Places
from pipelines.store.writing import write_rows
from schemas.tables import CALLS, ISSUES, MESSAGES, PDUS
from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.dataset.growing import add, read
from tests.pipelines.quality.folders import clean_rows
from tests.pipelines.running import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PARTS = 2 * FEW_FILES


def stored(number: int, size: int, folder: str = "tables/calls", table: str = "calls") -> Stored:
    return Stored("/out", Written(table, f"{folder}/part-{number:05d}.parquet", 1, 100, "", [], size))


def test_few_files_and_large_ones_stay() -> None:
    assert merges(stored(number, 100) for number in range(FEW_FILES)) == []
    assert merges(stored(number, SMALL_BYTES + 1) for number in range(PARTS)) == []
    dates = [stored(number, 100, f"tables/calls/date=2026-01-{1 + number % 3:02d}") for number in range(PARTS)]
    assert merges(dates) == []


def test_what_is_merged_is_bounded() -> None:
    found = merges(stored(number, SMALL_BYTES) for number in range(40))
    assert sum(len(one.files) for one in found) == 40
    assert max(sum(file.written.arrow_bytes for file in one.files) for one in found) <= MERGED_BYTES


def test_rows_are_sorted_hashed_and_counted(tmp_path: Path) -> None:
    place = Places(str(tmp_path)).table(PDUS)
    row = clean_rows()["pdus"][0]
    files = [
        Stored(str(tmp_path), one)
        for number in range(5)
        for one in write_rows(
            place,
            pa.Table.from_pylist([row | {"ts_ns": (7 * at + number) % 10} for at in range(3)], schema=PDUS.arrow),
            SORT_KEYS[PDUS.name],
            f"{number:05d}",
        )
    ]
    assert all(file.written.arrow_bytes > 100 for file in files)
    found = merging.merge(merging.Merge(tuple(files)), str(tmp_path), "r000001-", "2-00000-9-0")
    rows = parquet.ParquetFile(tmp_path / found.written.path).read()
    assert rows.column("ts_ns").to_pylist() == sorted((7 * at + number) % 10 for number in range(5) for at in range(3))
    assert found.gone == {file.written.path for file in files}
    assert found.written.sha256 == hashlib.sha256((tmp_path / found.written.path).read_bytes()).hexdigest()
    assert [count["value"] for count in found.written.counts] == [15]
    assert found.written.path.startswith("tables/pdus/r000001-merged-")


def test_a_run_of_many_parts_leaves_few_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`run` compares the rows that are there with those that were told, and the accounts."""
    captures = cut(crowd(4, 12), [], tmp_path)
    many = run(None, captures, tmp_path / "many", parts=PARTS)
    files = {table.name: list(table.glob("*.parquet")) for table in (tmp_path / "many" / "tables").iterdir()}
    # The last job itself makes these, in as many parts as they are large, or as a test wants.
    assert max(len(found) for name, found in files.items() if name not in (MESSAGES.name, ISSUES.name)) <= FEW_FILES
    assert any("merged" in file.name for file in files[CALLS.name])
    one = parquet.ParquetFile(files[CALLS.name][0]).read()
    assert one.take(pc.sort_indices(one, [(name, "ascending") for name in SORT_KEYS[CALLS.name]])).equals(one)
    monkeypatch.setattr(merging, "FEW_FILES", 10_000)
    apart = run(None, captures, tmp_path / "apart", parts=PARTS)
    assert {name: sorted(map(str, rows)) for name, rows in many.items()} == {
        name: sorted(map(str, rows)) for name, rows in apart.items()
    }
    assert len(list((tmp_path / "apart" / "tables" / "calls").iterdir())) > FEW_FILES


def test_a_dataset_grown_by_many_parts_has_few_files_a_run(tmp_path: Path) -> None:
    data = tmp_path / "data"
    for capture in cut(crowd(5, 10), [60], tmp_path):
        add(None, data, [capture], parts=PARTS)
        add(None, tmp_path / "plain", [capture])
    assert read(data) == read(tmp_path / "plain")
    with DatasetFolder(str(data)) as folder:
        base = folder.base
    assert 0 < len(base.state["facts"]) <= 2 * FEW_FILES
    told = {file.written.path for kind in (base.tables, base.state) for files in kind.values() for file in files}
    assert told == {str(file.relative_to(data)) for file in data.rglob("*.parquet")}
