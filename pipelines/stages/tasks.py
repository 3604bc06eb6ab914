"""Splits to Spark tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ingest.splits import SPLIT_BYTES
from schemas.model import ddl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


def packed(items: Sequence[Any], size: Callable[[Any], int], task_bytes: int = SPLIT_BYTES) -> list[list[Any]]:
    """Neighbours together up to the size of a task: a thousand small files must not cost a thousand tasks."""
    tasks: list[list[Any]] = []
    room = 0
    for item in items:
        if not tasks or size(item) > room:
            tasks.append([])
            room = task_bytes
        tasks[-1].append(item)
        room -= size(item)
    return tasks


def run_tasks(
    spark: SparkSession,
    tasks: Sequence[Sequence[Any]],
    work: Callable[[Any], Iterator[pa.RecordBatch]],
    schema: pa.Schema,
) -> DataFrame:
    """One Spark task an entry of `tasks`; `work` turns each of its items into batches."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                for item in tasks[number]:
                    yield from work(item)

    return spark.range(0, len(tasks), 1, max(1, len(tasks))).mapInArrow(run, ddl(schema))
