"""Runs of the whole analysis, and their tables as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyarrow import parquet

from ingest.choice import Choice, Scope
from ingest.files import expand
from ingest.splits import SPLIT_BYTES
from pipelines.analyze import Job, analyze
from pipelines.inventory import take_stock
from pipelines.tables import SMALL_BYTES
from schemas.tables.issues import ISSUE_CODES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def run(
    spark: SparkSession,
    paths: list[Path],
    out: Path,
    scope: Scope = Scope.MSMQ,
    split_bytes: int = SPLIT_BYTES,
    *,
    keep_payload: bool = False,
    small_bytes: int = SMALL_BYTES,
) -> Tables:
    inputs = take_stock(expand(str(path) for path in paths))
    job = Job(
        spark, Choice(scope), str(out), split_bytes=split_bytes, keep_payload=keep_payload, small_bytes=small_bytes
    )
    finished = analyze(job, inputs)
    assert finished.imbalances == []
    tables = read(out / "tables")
    assert {issue["code"] for issue in tables["issues"]} <= set(ISSUE_CODES)
    assert finished.row_counts == {name: len(rows) for name, rows in tables.items()}
    return tables


def read(tables: Path) -> Tables:
    return {folder.name: parquet.read_table(folder).to_pylist() for folder in sorted(tables.iterdir())}


def counters(tables: Tables, stage: str) -> dict[str, int]:
    """Counters other than zero, over all captures."""
    found: dict[str, int] = {}
    for row in tables["accounting"]:
        if row["stage"] == stage and row["value"]:
            found[row["counter"]] = found.get(row["counter"], 0) + row["value"]
    return found
