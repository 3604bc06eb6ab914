"""A run that dies at any step of its commit: readers see the dataset whole, and the next run cleans up."""

from __future__ import annotations

import itertools
import shutil
from typing import TYPE_CHECKING

import pytest

from ingest.files import swap
from pipelines.store.output_folder import OutputFolder
from pipelines.store.verifying import verify
from tests.faults.committing import commit, dies_at, publish, run_number

if TYPE_CHECKING:
    from pathlib import Path

MOST_STEPS = 300


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "base" / "data"
    commit(folder, "first")
    return folder


@pytest.fixture(params=["exchange", "renames"])
def can_exchange(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if request.param == "renames":
        monkeypatch.setattr(swap, "_exchanged", lambda *_: False)
    return bool(request.param == "exchange")


def whole(data: Path) -> int:
    """Number of the run that a reader sees; 0: there is no dataset at this moment."""
    found = verify(str(data))
    if found is None:
        assert not data.exists(), "a folder without a manifest is half a dataset"
        return 0
    assert found.problems == []
    return run_number(data)


def beside(data: Path) -> list[str]:
    return sorted(one.name for one in data.parent.iterdir())


def test_adding_a_run(tmp_path: Path, base: Path, can_exchange: bool) -> None:
    seen = set()
    for step in itertools.count():
        data = tmp_path / str(step) / "data"
        shutil.copytree(base, data)
        died = dies_at(step, lambda data=data: commit(data, "second"))  # type: ignore[misc]
        seen.add(number := whole(data))
        # Without an exchange there is a moment between two renames; the next run puts the old folder back.
        assert number in ((1, 2) if can_exchange else (0, 1, 2))
        commit(data, "third")
        assert whole(data) == (2 if number < 2 else 3)
        assert beside(data) == ["data"]
        if not died:
            break
    assert seen >= {1, 2}
    assert 20 < step < MOST_STEPS


def test_the_first_run(tmp_path: Path) -> None:
    for step in itertools.count():
        data = tmp_path / str(step) / "data"
        died = dies_at(step, lambda data=data: commit(data, "first"))  # type: ignore[misc]
        number = whole(data)
        commit(data, "second")
        assert whole(data) == number + 1
        assert beside(data) == ["data"]
        if not died:
            break
    assert (number, step > 15) == (1, True)


def test_staging_and_publishing(tmp_path: Path, base: Path, can_exchange: bool) -> None:
    for work in (lambda data: commit(data, "second", stage=True), publish):
        for step in itertools.count():
            data = tmp_path / f"{work.__name__}-{step}" / "data"
            shutil.copytree(base, data)
            if work is publish:
                commit(data, "second", stage=True)
            died = dies_at(step, lambda data=data, work=work: work(data))  # type: ignore[misc]
            number = whole(data)
            assert number in ((1, 2) if can_exchange else (0, 1, 2))
            commit(data, "third")
            publish(data)
            assert whole(data) == max(number, 1) + 1
            assert [name for name in beside(data) if "partial" in name or "replaced" in name] == []
            if not died:
                break


def test_half_files_of_tasks_that_died_are_not_published(tmp_path: Path) -> None:
    with OutputFolder(str(tmp_path / "out"), force=False) as output:
        tables = tmp_path / output.staging.rpartition("/")[2] / "tables" / "flows"
        tables.mkdir(parents=True)
        for name in ("part-1.parquet", "part-0.parquet"):
            (tables / name).touch()
        output.remove_strays({"tables/flows/part-1.parquet"})
        output.publish()
    assert [path.name for path in (tmp_path / "out" / "tables").rglob("*.parquet")] == ["part-1.parquet"]
