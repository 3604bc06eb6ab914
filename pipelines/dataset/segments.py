"""Segments of conversations that may go on: stored when they are first taken, so that later runs need no capture."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from ingest.segments import contains
from pipelines.stored import Stored, read_frame
from pipelines.writing import write_frames
from schemas.internal import SEGMENTS
from schemas.model import ddl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from pipelines.dataset.carried import Carried
    from pipelines.dataset.renumbering import Renumbering
    from pipelines.stages.select import Keys
    from pipelines.writing import Shelf


@dataclass(frozen=True)
class Earlier:
    """The conversations of earlier runs."""

    carried: Carried
    store: SegmentStore

    @cached_property
    def streamed(self) -> Keys:
        return self.carried.streamed

    @cached_property
    def undecided(self) -> Keys:
        return self.carried.undecided


class SegmentStore:
    """Those of earlier runs and of this one. Files name captures by number, frames by ordinal."""

    def __init__(self, spark: SparkSession, earlier: list[Stored], shelf: Shelf, ordinals: Renumbering) -> None:
        self._spark, self._shelf, self._ordinals = spark, shelf, ordinals
        self.files = list(earlier)

    def add(self, rows: DataFrame) -> None:
        numbers = self._ordinals.reversed()
        if not numbers.changes_nothing:

            def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
                return (numbers.batch(batch, SEGMENTS) for batch in batches)

            rows = rows.mapInArrow(run, ddl(SEGMENTS.arrow))
        written = write_frames({SEGMENTS.name: (self._shelf, rows, (), SEGMENTS.arrow)})
        self.files += [Stored(self._shelf.root, one) for one in written]

    def rows(self, keys: Keys) -> DataFrame:
        """Of these conversations."""
        wanted = self._spark.sparkContext.broadcast(keys)
        ordinals = self._ordinals

        def change(batch: pa.RecordBatch) -> pa.RecordBatch:
            found = contains(wanted.value, batch.column("key").to_numpy())
            return ordinals.batch(batch.filter(found), SEGMENTS)

        return read_frame(self._spark, self.files, SEGMENTS.arrow, change)

    def packets(self, keys: Keys) -> dict[int, int]:
        """Of these conversations, by capture."""
        if not len(keys):
            return {}
        return {row.file: row.n for row in self.rows(keys).groupBy("file").agg(F.count("*").alias("n")).collect()}

    @property
    def bytes(self) -> int:
        return sum(file.written.bytes for file in self.files)
