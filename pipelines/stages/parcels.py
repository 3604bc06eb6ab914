"""Tables out of parcels (see schemas.parcels)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from schemas.model import ddl
from schemas.parcels import PARCELS, opened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from schemas.model import Table


def unpacked(envelope: DataFrame, table: Table) -> DataFrame:
    """The rows of one table."""
    schema = table.arrow

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from opened(batch.column(0).to_pylist(), schema)

    mine = envelope.where(F.col(f"{PARCELS.name}.table") == table.name)
    return mine.select(f"{PARCELS.name}.data").mapInArrow(run, ddl(schema))
