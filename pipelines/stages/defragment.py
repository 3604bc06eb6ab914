"""IP fragments of all captures, put together in Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.defragment import GROUP, defragment
from schemas.envelope import envelope_schema, wrap
from schemas.internal import DEFRAGMENTED
from schemas.model import ddl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame


def defragmented(fragments: DataFrame) -> DataFrame:
    """Envelope of schemas.internal.DEFRAGMENTED."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table, made in defragment(row for batch in batches for row in batch.to_pylist()):
            yield wrap(made, table, DEFRAGMENTED)

    ordered = fragments.repartition(*GROUP).sortWithinPartitions(*GROUP, "ts_ns", "file", "frame")
    return ordered.mapInArrow(run, ddl(envelope_schema(DEFRAGMENTED))).persist()
