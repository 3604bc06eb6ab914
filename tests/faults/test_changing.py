"""Captures that change or disappear while a run reads them: told, counted, and all others complete."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import pipelines.run.plan
from ingest.choice import Scope
from pipelines.captures.inventory import take_stock
from pipelines.engine.spark import SparkEngine
from pipelines.rules.catalogue import SETTINGS
from pipelines.run.command import CommandResult, RunOrder, add_to_dataset
from pipelines.store.dataset_folder import DatasetFolder
from pipelines.store.verifying import verify
from soak.captures import write_talk
from soak.changing import CHANGES, SIZE, TOLD
from tests.pipelines.running import run

if TYPE_CHECKING:
    from pathlib import Path
    from types import ModuleType

    from pyspark.sql import SparkSession

    from tests.pipelines.running import Tables

NAMES = tuple(CHANGES)


@pytest.fixture
def captures(tmp_path: Path) -> list[Path]:
    """One that stays, and one for each way to change."""
    paths = [tmp_path / f"{name}.pcap" for name in ("good", *NAMES)]
    for number, path in enumerate(paths):
        write_talk(path, number, SIZE, 20_000)
    with (tmp_path / "finished.pcap").open("r+b") as file:
        file.truncate(SIZE // 2)
    return paths


@pytest.fixture(scope="module")
def calm(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Tables:
    """Of a run over the one that stays."""
    folder = tmp_path_factory.mktemp("calm")
    write_talk(folder / "good.pcap", 0, SIZE, 20_000)
    return run(spark, [folder / "good.pcap"], folder / "out")


def change_before(
    what: str, captures: list[Path], monkeypatch: pytest.MonkeyPatch, module: ModuleType = pipelines.run.plan
) -> None:
    """All change at once, just before a function of the run is called."""
    function = getattr(module, what)

    def changed(*arguments: Any, **named: Any) -> Any:  # noqa: ANN401
        for path in captures:
            if path.stem in CHANGES:
                CHANGES[path.stem](path)
        monkeypatch.undo()
        return function(*arguments, **named)

    monkeypatch.setattr(module, what, changed)


def of_the_good(tables: Tables) -> dict[str, list[str]]:
    (capture,) = (row["capture_id"] for row in tables["captures"] if row["path"].endswith("good.pcap"))
    uids = {row["uid"] for row in tables["flows"] if row["capture_id"] == capture}
    return {
        name: sorted(
            str(row | {"path": "good.pcap"})
            for row in rows
            if row.get("uid") in uids or row.get("capture_id") == capture
        )
        for name, rows in tables.items()
    }


@pytest.mark.parametrize("moment", ["scan_captures", "steps_back"])
def test_told_and_the_rest_complete(
    spark: SparkSession,
    tmp_path: Path,
    captures: list[Path],
    moment: str,
    calm: Tables,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`steps_back` is what comes right after the scan. That the accounting adds up is asserted with every run."""
    change_before(moment, captures, monkeypatch)
    tables = run(spark, captures, tmp_path / "out")
    for path in captures:
        codes = {row["code"] for row in tables["issues"] if row["path"] == str(path)}
        assert bool(codes & set(TOLD)) is (path.stem in CHANGES), path
    states = {row["path"]: row["state"] for row in tables["captures"]}
    assert {path.stem for path in captures if states[str(path)] == "complete"} == {"good"}
    assert of_the_good(tables) == of_the_good(calm)


def test_dataset_leaves_them_for_a_later_run(
    spark: SparkSession, tmp_path: Path, captures: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = RunOrder(lambda: SparkEngine(spark), Scope.MSMQ, dict(SETTINGS), check=False)
    change_before("steps_back", captures, monkeypatch)
    with DatasetFolder(str(tmp_path / "data")) as folder:
        done = add_to_dataset(wanted, take_stock([str(path) for path in captures]), folder)
        assert isinstance(done, CommandResult)
        assert done.sorted_out is not None
        folder.publish()
    assert {one.path for one, _ in done.sorted_out.unready} == {str(path) for path in captures[1:]}
    assert [row["path"] for row in done.finished.captures] == [str(captures[0])]
    assert done.finished.imbalances == []
    found = verify(str(tmp_path / "data"))
    assert found is not None
    assert (found.problems, found.inputs) == ([], 1)
