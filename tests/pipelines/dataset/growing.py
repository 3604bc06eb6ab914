"""Datasets grown run by run, and their tables as plain values."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pyarrow import parquet

from ingest.choice import Choice, Scope
from ingest.files import expand
from pipelines.captures.inventory import hashes, take_stock
from pipelines.dataset.carried_state import CarriedState
from pipelines.dataset.sorted_inputs import sort_out
from pipelines.engine.local import LocalEngine
from pipelines.engine.spark import SparkEngine
from pipelines.run.job import Job
from pipelines.run.plan import extend
from pipelines.store.dataset_folder import DatasetFolder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from pipelines.engine.model import Engine

Row = dict[str, Any]
Tables = dict[str, list[str]]


def add(
    spark: SparkSession | LocalEngine | None,
    folder: Path,
    captures: Sequence[Path],
    scope: Scope = Scope.MSMQ,
    parts: int = 1,
) -> bool:
    """One run, in this process where no Spark is given. False: nothing was new."""
    engine: Engine
    if isinstance(spark, LocalEngine):
        engine = spark
    else:
        engine = SparkEngine(spark, parts) if spark is not None else LocalEngine(parts)
    inputs = take_stock(expand(str(path) for path in captures))
    with DatasetFolder(str(folder)) as output:
        hashed = hashes(engine, inputs)
        base = output.base
        sorted_out = sort_out(inputs, hashed, {one.capture_id for one in CarriedState(base.state).known})
        if not sorted_out.fresh:
            return False
        finished = extend(Job(engine, Choice(scope), output.staging), sorted_out.fresh, hashed, base)
        assert finished.imbalances == []
        output.assemble(finished.written, finished.kept)
        output.seal({}, finished.written, finished.kept)
        output.publish()
    assert {table: sum(map(len, parts)) for table, parts in _stored(folder)} == finished.row_counts
    return True


def read(folder: Path) -> Tables:
    """Rows as text, sorted: order and files are not part of the contract."""
    return {table: sorted(str(row) for part in parts for row in part.to_pylist()) for table, parts in _stored(folder)}


def _stored(folder: Path) -> Iterator[tuple[str, list[pa.Table]]]:
    """What each file of a table holds. Files are small: to deal them out to threads would take longer than to read."""
    for table in sorted((folder / "tables").iterdir()):
        files = sorted(table.rglob("*.parquet"))
        yield table.name, [_rows(file) for file in files]


def _rows(file: Path) -> pa.Table:
    found = file.stat()
    return _of_file(str(file), found.st_ino, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=10_000)
def _of_file(path: str, *_: int) -> pa.Table:
    """Most files are those of the run before: what has not changed since is not read again."""
    return parquet.ParquetFile(path).read(use_threads=False)
