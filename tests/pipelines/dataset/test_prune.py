"""What is old goes, what is left stays true, and the dataset grows on."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyarrow import parquet

from ingest.choice import Scope
from ingest.files import expand
from pipelines.dataset.folder import DatasetFolder
from pipelines.inventory import take_stock
from pipelines.quality import check_tables
from pipelines.rules.catalogue import SETTINGS
from pipelines.runs import Done, Wanted, add_to_dataset, prune_dataset
from pipelines.verifying import verify
from schemas.dates import date_of
from tests.pipelines.dataset.crowd import crowd, cut

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

Accusation = tuple[Any, ...]


def add(wanted: Wanted, folder: Path, *captures: Path) -> object:
    with DatasetFolder(str(folder)) as output:
        done = add_to_dataset(wanted, take_stock(expand(map(str, captures))), output)
        if isinstance(done, Done):
            assert done.good
            output.publish()
    return done


def accusations(folder: Path) -> set[Accusation]:
    rows = (
        row
        for file in (folder / "tables" / "findings").rglob("*.parquet")
        for row in parquet.ParquetFile(file).read().to_pylist()
    )
    return {(row["rule_id"], row["call_uid"], row["uid"]) for row in rows if row["verdict"] == "violation"}


def test_prune_and_grow_on(spark: SparkSession, tmp_path: Path) -> None:
    wanted = Wanted(lambda: spark, Scope.MSMQ, dict(SETTINGS))
    unchecked = replace(wanted, check=False)
    packets = crowd(5, 12)
    days = sorted({date_of(ts * 1000) for ts, _, _ in packets})
    before = dt.date.fromisoformat(days[1])
    split = next(place for place, (ts, _, _) in enumerate(packets) if date_of(ts * 1000) == days[1])
    parts = cut(packets, [split // 2, split + (len(packets) - split) // 2], tmp_path)
    for part in parts[:2]:
        add(unchecked, tmp_path / "data", part)
    told = accusations(tmp_path / "data")
    with DatasetFolder(str(tmp_path / "data")) as output:
        done = prune_dataset(wanted, output, before)
        assert done.good
        output.publish()
    dates = {path.name for path in (tmp_path / "data" / "tables").rglob("date=*")}
    assert dates
    assert min(dates) >= f"date={before}"
    assert accusations(tmp_path / "data") <= told
    add(unchecked, tmp_path / "data", parts[2])
    whole = tmp_path / "whole"
    add(unchecked, whole, *parts)
    assert accusations(tmp_path / "data") <= accusations(whole)
    assert min(path.name for path in (tmp_path / "data" / "tables").rglob("date=*")) >= f"date={before}"
    found = verify(str(tmp_path / "data"))
    assert found is not None
    assert (found.problems, found.runs) == ([], 4)
    assert check_tables(spark, str(tmp_path / "data" / "tables"), pruned=True).success
    again = add(unchecked, tmp_path / "data", parts[0])
    assert not isinstance(again, Done)
    assert len(again.known) == 1  # type: ignore[attr-defined]
