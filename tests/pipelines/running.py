"""Runs of the whole analysis, and their tables as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyarrow import parquet

from ingest.choice import Choice, Scope
from ingest.files import expand
from ingest.splits import SPLIT_BYTES
from pipelines.captures.inventory import take_stock
from pipelines.engine.local import LocalEngine
from pipelines.engine.spark import SparkEngine
from pipelines.run.job import Job
from pipelines.run.plan import analyze
from schemas.tables.issues import ISSUE_CODES

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

Row = dict[str, Any]
Tables = dict[str, list[Row]]


def run(
    spark: SparkSession | None,
    paths: list[Path],
    out: Path,
    scope: Scope = Scope.MSMQ,
    split_bytes: int = SPLIT_BYTES,
    *,
    keep_payload: bool = False,
    parts: int = 1,
) -> Tables:
    """In this process where no Spark is given; dealt out to so many parts at least."""
    engine = SparkEngine(spark, parts) if spark is not None else LocalEngine(parts)
    inputs = take_stock(expand(str(path) for path in paths))
    job = Job(engine, Choice(scope), str(out), split_bytes=split_bytes, keep_payload=keep_payload)
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
