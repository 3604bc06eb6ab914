"""The engine on Spark: one job an exchange, or several exchanges in one job."""

from __future__ import annotations

import pickle
from collections import Counter
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyspark.accumulators import AccumulatorParam
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import StructField, StructType

from mqtrail.garbage import seldom_collect
from pipelines.engine.model import Receipt
from pipelines.engine.sealed_secrets import sealed
from schemas.model import BINARY

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import SparkSession

    from decoders.security.accounts import Secret
    from pipelines.engine.model import Exchange, Read, Work
    from pipelines.engine.sealed_secrets import Secrets

_SAID: Final = pa.field("receipt", BINARY)
_RECEIPTS: Final = pa.schema([_SAID])


LEAST_PARTS: Final = 1
"""Of what is brought together: tests make it larger."""


class SparkEngine:
    def __init__(self, spark: SparkSession, least_parts: int = 0) -> None:
        self._spark, self._least_parts = spark, least_parts or LEAST_PARTS

    @property
    def parallelism(self) -> int:
        return self._spark.sparkContext.defaultParallelism

    def run(self, *exchanges: Exchange) -> list[Any]:
        frames = [self._frame(one, number) for number, one in enumerate(exchanges) if one.tasks]
        if not frames:
            return []
        return [pickle.loads(row.receipt) for row in reduce(DataFrame.unionAll, frames).collect()]  # noqa: S301 - ours

    def tally(self) -> SparkTally:
        return SparkTally(self._spark)

    def sealed(self, secrets: Sequence[Secret]) -> Secrets:
        return sealed(self._spark.sparkContext, secrets)

    def _frame(self, exchange: Exchange, number: int) -> DataFrame:
        """Of receipts."""
        schema = pa.schema([*exchange.schema, _SAID])
        items = self._spark.range(0, len(exchange.tasks), 1, len(exchange.tasks))
        read = items.mapInArrow(_reading(exchange, schema, 2 * number), _struct(schema))
        if exchange.work is None:
            return read.select(_SAID.name)
        # Receipts have no values to be brought together by, and so meet in one part.
        met = read.repartition(max(exchange.parts, self._least_parts), *exchange.by)
        ordered = met.sortWithinPartitions(*dict.fromkeys((*exchange.by, *exchange.order)))
        return ordered.mapInArrow(_working(exchange.work, exchange.schema, 2 * number + 1), _struct(_RECEIPTS))


def _struct(schema: pa.Schema) -> StructType:
    """Not as text: Spark would load its grammar of SQL, which nothing else here needs.

    Receipts have no values: so any column may be null.
    """
    return StructType([StructField(field.name, from_arrow_type(field.type)) for field in schema])


class _Sums(AccumulatorParam[Any]):
    def zero(self, value: Any) -> Counter[Any]:  # noqa: ANN401, ARG002 - as Spark declares it
        return Counter()

    def addInPlace(self, value1: Counter[Any], value2: Counter[Any]) -> Counter[Any]:  # noqa: N802
        value1.update(value2)
        return value1


class SparkTally:
    def __init__(self, spark: SparkSession) -> None:
        self._sums = spark.sparkContext.accumulator(Counter(), _Sums())

    def add(self, counts: Counter[Any]) -> None:
        self._sums.add(counts)

    @property
    def value(self) -> Counter[Any]:
        found: Counter[Any] = self._sums.value
        return found


def _reading(exchange: Exchange, schema: pa.Schema, stage: int) -> Any:  # noqa: ANN401 - what mapInArrow takes
    tasks: Any = exchange.tasks
    read: Read = exchange.read
    nothing = pa.schema(list(schema)[:-1])

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        seldom_collect()
        part = _part(stage)
        for number in (number for batch in batches for number in batch.column(0).to_pylist()):
            for one in read(part, tasks[number]):
                if isinstance(one, Receipt):
                    yield _receipt(one.said, schema, nothing)
                elif len(one):
                    yield pa.RecordBatch.from_arrays([*one.columns, pa.nulls(len(one), _SAID.type)], schema=schema)

    return run


def _receipt(said: Any, schema: pa.Schema, nothing: pa.Schema) -> pa.RecordBatch:  # noqa: ANN401
    columns = [pa.nulls(1, field.type) for field in nothing]
    return pa.RecordBatch.from_arrays([*columns, pa.array([pickle.dumps(said)], _SAID.type)], schema=schema)


def _working(work: Work, schema: pa.Schema, stage: int) -> Any:  # noqa: ANN401
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        seldom_collect()
        passed: list[bytes] = []

        def rows() -> Iterator[pa.RecordBatch]:
            for batch in batches:
                said = batch.column(_SAID.name)
                if said.null_count < len(said):
                    passed.extend(one for one in said.to_pylist() if one is not None)
                    batch = batch.filter(said.is_null())
                if len(batch):
                    yield pa.RecordBatch.from_arrays(batch.columns[:-1], schema=schema)

        for said in work(_part(stage), rows()):
            yield pa.RecordBatch.from_arrays([pa.array([pickle.dumps(said)], _SAID.type)], schema=_RECEIPTS)
        if passed:
            yield pa.RecordBatch.from_arrays([pa.array(passed, _SAID.type)], schema=_RECEIPTS)

    return run


def _part(stage: int) -> str:
    from pyspark import TaskContext  # noqa: PLC0415 - in a worker

    task = TaskContext.get()
    # An attempt that failed, or ran twice, leaves files that nobody tells of.
    return f"{stage}-{task.partitionId():05d}-{task.taskAttemptId()}" if task else str(stage)
