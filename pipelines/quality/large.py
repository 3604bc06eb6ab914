"""A table too large for one process, as a batch of the Spark engine: what is worked out is part of its one job."""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import TYPE_CHECKING

import pyarrow as pa
from pyarrow import parquet
from pyspark.sql import Window
from pyspark.sql import functions as F

from ingest.files import open_input
from pipelines.quality.batches import batch_name, measure_name
from pipelines.quality.checks import Key, Twins
from pipelines.stages.tasks import packed, run_tasks
from schemas.model import TIMESTAMP
from schemas.relations import AtLeast, Balance, Counted, NotAbove, Reference, Sum
from schemas.tables.accounting import IN

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from pyspark.sql import Column, DataFrame, SparkSession

    from pipelines.quality.checks import Check, Measure
    from pipelines.quality.stored import Stored
    from schemas.model import Table


def large_batch(
    spark: SparkSession,
    table: Table,
    paths: Sequence[str],
    checks: Sequence[Check],
    others: Mapping[str, tuple[Table, Stored]],
) -> DataFrame:
    nested = {column.name for column in table.columns if pa.types.is_nested(column.type)}
    heads = {path.partition(".")[0] for path in paths}
    rows = _read(spark, *others[table.name], heads).select(*(_column(path, nested) for path in paths))
    for number, check in enumerate(checks):
        name, measure = measure_name(number), check.measure
        if isinstance(measure, Reference):
            keys = (
                _read(spark, *others[measure.table], (measure.to,))
                .select(F.col(measure.to).alias(f"{name}_key"))
                .distinct()
            )
            rows = rows.join(keys, rows[measure.column] == keys[f"{name}_key"], "left")
            there = F.when(F.col(measure.column).isNotNull(), F.col(f"{name}_key").isNotNull())
            rows = rows.withColumn(name, there).drop(f"{name}_key")
        elif isinstance(measure, Counted):
            on = {"capture_id": "capture_id", measure.column: "counter"}
            source = (
                _read(spark, *others[measure.table], tuple(on)).groupBy(*on).agg(F.count("*").alias(f"{name}_rows"))
            )
            counts = source.select(*(F.col(old).alias(f"{name}_{new}") for old, new in on.items()), f"{name}_rows")
            same = [rows[new].eqNullSafe(counts[f"{name}_{new}"]) for new in on.values()]
            rows = rows.join(counts, reduce(lambda one, other: one & other, same), "left")
            concerned = (F.col("stage") == measure.stage) & (F.col("counter") != IN)
            missing = F.col("value") - F.coalesce(f"{name}_rows", F.lit(0))
            rows = rows.withColumn(name, F.when(concerned, missing)).drop(*counts.columns)
        elif measure is not None:
            rows = rows.withColumn(name, _measured(table, measure))
    return rows


def _column(path: str, nested: Collection[str]) -> Column:
    """Of a list or structure only whether it is there."""
    value = F.when(F.col(path).isNotNull(), F.lit(True)) if path in nested else F.col(path)
    return value.alias(batch_name(path))


def _read(spark: SparkSession, table: Table, stored: Stored, columns: Collection[str]) -> DataFrame:
    """Through our own tasks: Spark's reader would need another way to every file system."""
    schema = pa.schema([field for field in table.arrow if field.name in columns])

    def work(file: str) -> Iterator[pa.RecordBatch]:
        with parquet.ParquetFile(open_input(file)) as opened:
            for batch in opened.iter_batches(columns=schema.names):
                yield batch.select(schema.names).cast(schema)

    return run_tasks(spark, packed(stored.files, stored.sizes.__getitem__), work, schema)


def _number(table: Table, name: str) -> Column:
    is_time = any(column.name == name and column.type == TIMESTAMP for column in table.columns)
    return F.unix_micros(F.col(name)) if is_time else F.col(name)


def _measured(table: Table, measure: Measure) -> Column:
    match measure:
        case Key(columns):
            return F.count(F.lit(1)).over(Window.partitionBy(*columns))
        case Twins(micros, nanos):
            return F.col(nanos) - F.unix_micros(F.col(micros)) * 1000
        case NotAbove(lower, upper):
            return _number(table, upper) - _number(table, lower)
        case AtLeast(column, _, where, equals, _):
            return F.when(F.col(where) == equals, F.col(column))
        case Sum(total, parts):
            return reduce(add, (F.col(part) for part in parts)) - F.col(total)
        case Balance(value, by, name, total):
            signed = F.when(F.col(name) == total, F.col(value)).otherwise(-F.col(value))
            first = F.row_number().over(Window.partitionBy(*by).orderBy(name)) == 1
            return F.when(first, F.sum(signed).over(Window.partitionBy(*by)))
        case _:
            raise TypeError(measure)
