"""Small files of a table become one in the last job: the same rows, sorted, counted and hashed."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from pipelines.store import merging
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.files import StoredFile, WrittenFile
from pipelines.store.merging import FEW_FILES, MERGED_BYTES, SMALL_BYTES, merges
from pipelines.store.places import SORT_KEYS, Places
from pipelines.store.removal import NotAmong, RemovalResult
from pipelines.store.writing import write_rows
from schemas.tables import CALLS, ISSUES, MESSAGES, PDUS
from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.dataset.growing import add, read
from tests.pipelines.quality.folders import clean_rows
from tests.pipelines.running import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from pipelines.store.removal import Held

PARTS = 2 * FEW_FILES


def stored(number: int, size: int, folder: str = "tables/calls", *, file_bytes: int = 100) -> Held:
    return StoredFile(
        "/out", WrittenFile("calls", f"{folder}/part-{number:05d}.parquet", 1, file_bytes, "", [], size)
    ), None


def test_few_files_and_large_ones_stay() -> None:
    assert merges(stored(number, 100) for number in range(FEW_FILES)) == []
    assert merges(stored(number, SMALL_BYTES + 1) for number in range(PARTS)) == []
    dates = [stored(number, 100, f"tables/calls/date=2026-01-{1 + number % 3:02d}") for number in range(PARTS)]
    assert merges(dates) == []


def test_without_a_word_in_the_manifest_the_file_itself_says_whether_it_is_small() -> None:
    assert len(merges(stored(number, 0) for number in range(PARTS))) == 1
    assert merges(stored(number, 0, file_bytes=SMALL_BYTES) for number in range(PARTS)) == []


def test_what_is_merged_is_bounded() -> None:
    found = merges(stored(number, SMALL_BYTES) for number in range(40))
    assert sum(len(one.files) for one in found) == 40
    assert max(sum(file.written.arrow_bytes for file, _ in one.files) for one in found) <= MERGED_BYTES


def test_rows_are_sorted_hashed_and_counted(tmp_path: Path) -> None:
    place = Places(str(tmp_path)).table(PDUS)
    row = clean_rows()["pdus"][0]
    files = [
        StoredFile(str(tmp_path), one)
        for number in range(5)
        for one in write_rows(
            place,
            pa.Table.from_pylist([row | {"ts_ns": (7 * at + number) % 10} for at in range(3)], schema=PDUS.arrow),
            SORT_KEYS[PDUS.name],
            f"{number:05d}",
        )
    ]
    assert all(file.written.arrow_bytes > 100 for file in files)
    (found,) = merging.merge(merging.Merge(tuple((one, None) for one in files)), str(tmp_path), "r000001-", "2-0-9-0")
    assert isinstance(found, merging.MergeResult)
    assert found.written is not None
    rows = parquet.ParquetFile(tmp_path / found.written.path).read()
    assert rows.column("ts_ns").to_pylist() == sorted((7 * at + number) % 10 for number in range(5) for at in range(3))
    assert found.gone == {file.written.path for file in files}
    assert found.written.sha256 == hashlib.sha256((tmp_path / found.written.path).read_bytes()).hexdigest()
    assert [count["value"] for count in found.written.counts] == [15]
    assert found.written.path.startswith("tables/pdus/r000001-merged-")


def pdus(folder: Path, number: int, uids: str, schema: pa.Schema = PDUS.arrow) -> StoredFile:
    row = clean_rows()["pdus"][0]
    rows = pa.Table.from_pylist([row | {"uid": uid, "ts_ns": number} for uid in uids], schema=schema)
    (one,) = write_rows(Places(str(folder)).table(PDUS), rows, SORT_KEYS[PDUS.name], f"{number:05d}")
    return StoredFile(str(folder), one)


def test_rows_that_hold_no_longer_are_left_out_and_counted(tmp_path: Path) -> None:
    keeps = NotAmong("uid", frozenset("b"))
    held: tuple[Held, ...] = ((pdus(tmp_path, 1, "abc"), keeps), (pdus(tmp_path, 2, "ab"), None))
    (found,) = merging.merge(merging.Merge(held), str(tmp_path / "new"), "r000002-", "0")
    assert isinstance(found, merging.MergeResult)
    assert found.written is not None
    rows = parquet.ParquetFile(tmp_path / "new" / found.written.path).read()
    assert rows.select(["ts_ns", "uid"]).to_pylist() == [
        {"ts_ns": ts_ns, "uid": uid} for ts_ns, uid in ((1, "a"), (1, "c"), (2, "a"), (2, "b"))
    ]
    assert [count for _, count in found.went] == [1]
    nothing = tuple((file, NotAmong("uid", frozenset("abc"))) for file, _ in held)
    (found,) = merging.merge(merging.Merge(nothing), str(tmp_path / "none"), "r000002-", "0")
    assert isinstance(found, merging.MergeResult)
    assert (found.written, [count for _, count in found.went]) == (None, [5])
    assert not (tmp_path / "none").exists()


def test_files_of_different_versions_stay_apart(tmp_path: Path) -> None:
    """Columns that this version does not know are not lost, those that an older one did not have are not made up."""
    newer = PDUS.arrow.append(pa.field("shade", pa.string()))
    older = pa.schema([one for one in PDUS.arrow if one.name != "auth_level"])
    kinds = (newer, PDUS.arrow, older, newer, PDUS.arrow)
    files = [pdus(tmp_path, number, "ab", schema) for number, schema in enumerate(kinds)]
    held: tuple[Held, ...] = tuple((file, None) for file in files)
    found = list(merging.merge(merging.Merge(held), str(tmp_path / "new"), "r000002-", "0"))
    assert [one.file for one in found if isinstance(one, RemovalResult) and one.kept] == [files[2]]
    written = [one.written for one in found if isinstance(one, merging.MergeResult) and one.written]
    schemas = [parquet.read_schema(tmp_path / "new" / one.path) for one in written]
    assert [(one.rows, names.equals(kind)) for one, names, kind in zip(written, schemas, kinds[:2], strict=True)] == [
        (4, True),
        (4, True),
    ]
    lone = ((files[2], NotAmong("uid", frozenset("a"))), held[1])
    again = list(merging.merge(merging.Merge(lone), str(tmp_path / "again"), "r000002-", "0"))
    assert [(one.kept, one.written and one.written.rows) for one in again if isinstance(one, RemovalResult)] == [
        (False, 1),
        (True, None),
    ]


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
