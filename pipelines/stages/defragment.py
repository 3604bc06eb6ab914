"""IP fragments of all captures, put together in Spark."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from ingest.defragment import GROUP, defragment
from pipelines.stages.envelopes import unwrapped
from schemas.envelope import envelope_schema, wrap
from schemas.internal import CONVERSATIONS, COUNTS, DEFRAGMENTED, FRAGMENTS, SCAN_ISSUES, SEGMENTS
from schemas.model import ddl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from pipelines.dataset.carried import Carried
    from schemas.model import Table


class Fragments:
    """What the fragments of a run make, together with those that earlier runs had left of the same datagrams."""

    def __init__(self, fragments: DataFrame, carried: Carried | None = None) -> None:
        self._before: DataFrame | None = None
        if carried is not None and carried.files.get(FRAGMENTS.name):
            groups = F.broadcast(fragments.select(*GROUP).distinct())
            earlier = carried.frame(FRAGMENTS).join(groups, list(GROUP), "left_semi").select(*FRAGMENTS.names)
            self._before = _defragmented(earlier)
            fragments = fragments.unionByName(earlier)
        self._made = _defragmented(fragments)

    def table(self, table: Table) -> DataFrame:
        """What is new: the other packets were passed on by an earlier run."""
        rows = unwrapped(self._made, table)
        if self._before is None:
            return rows
        if table.name == CONVERSATIONS.name:
            packets = self.table(SEGMENTS).select("file", "key").distinct()
            return rows.join(packets, ["file", "key"], "left_semi").select(*table.names)
        same = list(table.names) if table.name == SCAN_ISSUES.name else ["file", "frame"]
        return rows.join(unwrapped(self._before, table), same, "left_anti").select(*table.names)

    def counts(self) -> Counter[tuple[int, str]]:
        """(file, counter); of earlier captures, what changes."""
        found: Counter[tuple[int, str]] = Counter()
        for sign, envelope in ((1, self._made), (-1, self._before)):
            if envelope is not None:
                rows = unwrapped(envelope, COUNTS).groupBy("file", "counter").agg(F.sum("value").alias("n")).collect()
                for row in rows:
                    found[row.file, row.counter] += sign * row.n
        return found

    def void_issues(self) -> list[Any]:
        """Rows (file, frame, code) that earlier runs told and that are not true any more."""
        if self._before is None:
            return []
        told, names = unwrapped(self._before, SCAN_ISSUES), list(SCAN_ISSUES.names)
        gone = told.join(unwrapped(self._made, SCAN_ISSUES), names, "left_anti")
        found: list[Any] = gone.select("file", "frame", "code").collect()
        return found


def _defragmented(fragments: DataFrame) -> DataFrame:
    """Envelope of schemas.internal.DEFRAGMENTED."""

    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for table, made in defragment(row for batch in batches for row in batch.to_pylist()):
            yield wrap(made, table, DEFRAGMENTED)

    ordered = fragments.repartition(*GROUP).sortWithinPartitions(*GROUP, "ts_ns", "file", "frame")
    return ordered.mapInArrow(run, ddl(envelope_schema(DEFRAGMENTED))).persist()
