"""Datasets grown run by run, and their tables as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyarrow import parquet

from ingest.choice import Choice, Scope
from ingest.files import expand
from pipelines.analyze import Job
from pipelines.dataset.carried import Carried
from pipelines.dataset.extend import extend, sort_out
from pipelines.dataset.folder import DatasetFolder
from pipelines.inventory import hashes, take_stock
from pipelines.tables import SMALL_BYTES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from pyspark.sql import SparkSession

Row = dict[str, Any]
Tables = dict[str, list[str]]


def add(
    spark: SparkSession,
    folder: Path,
    captures: Sequence[Path],
    scope: Scope = Scope.MSMQ,
    small_bytes: int = SMALL_BYTES,
) -> bool:
    """One run. False: nothing was new."""
    inputs = take_stock(expand(str(path) for path in captures))
    with DatasetFolder(str(folder)) as output:
        hashed = hashes(spark, inputs)
        base = output.base
        sorted_out = sort_out(inputs, hashed, {one.capture_id for one in Carried(spark, base.state).known})
        if not sorted_out.fresh:
            return False
        extended = extend(Job(spark, Choice(scope), output.staging, small_bytes=small_bytes), sorted_out, hashed, base)
        assert extended.finished.imbalances == []
        output.assemble(extended.finished.written, extended.kept)
        output.seal({}, extended.finished.written, extended.kept)
        output.publish()
    rows = read(folder)
    assert {name: len(found) for name, found in rows.items()} == extended.finished.row_counts
    return True


def read(folder: Path) -> Tables:
    """Rows as text, sorted: order and files are not part of the contract."""
    return {
        table.name: sorted(
            str(row)
            for file in sorted(table.rglob("*.parquet"))
            for row in parquet.ParquetFile(file).read().to_pylist()
        )
        for table in sorted((folder / "tables").iterdir())
    }
