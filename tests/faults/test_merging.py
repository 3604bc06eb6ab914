"""A run that dies while it makes one of many files: the dataset is the old one, and the next run does it all."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipelines.store import merging
from pipelines.store.verifying import verify
from tests.faults.committing import DIED, dies_at, run_number
from tests.pipelines.dataset.crowd import crowd, cut
from tests.pipelines.dataset.growing import add, read

if TYPE_CHECKING:
    from pathlib import Path

NEVER = 1 << 60


@pytest.mark.parametrize("after", [1, 12])
def test_it_dies_while_files_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    monkeypatch.setattr(merging, "FEW_FILES", 1)
    packets = crowd(8, 8)
    captures = cut(packets, [len(packets) // 3, 2 * len(packets) // 3], tmp_path)
    place = tmp_path / "place"
    place.mkdir()
    data = place / "data"
    for capture in captures[:2]:
        add(None, data, [capture])
    manifest, before = (data / "run.json").read_bytes(), read(data)
    files = sorted(file.stat().st_ino for file in data.rglob("*.parquet"))

    def killed() -> None:
        done = 0
        merged = merging._merged

        def dying(*arguments: object) -> merging.MergeResult:
            nonlocal done
            found = merged(*arguments)  # type: ignore[arg-type]
            done += 1
            if done == after:
                os._exit(DIED)
            return found

        merging._merged = dying  # type: ignore[assignment]
        add(None, data, captures[2:])

    assert dies_at(NEVER, killed)
    assert (data / "run.json").read_bytes() == manifest
    assert sorted(file.stat().st_ino for file in data.rglob("*.parquet")) == files
    assert read(data) == before
    assert len(list(place.iterdir())) > 1
    add(None, data, captures[2:])
    found = verify(str(data))
    assert found is not None
    assert (found.problems, run_number(data)) == ([], 3)
    assert [one.name for one in place.iterdir()] == ["data"]
    add(None, tmp_path / "whole", captures)
    assert read(data) == read(tmp_path / "whole")
