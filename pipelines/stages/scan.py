"""The scan of all captures in Spark, with the chain of splits verified."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from ingest.containers.model import Note, Position
from ingest.scan import scan_split
from ingest.splits import SplitReport, exact, first_frames
from pipelines.stages.envelopes import unwrapped
from pipelines.stages.tasks import packed, run_tasks
from schemas.envelope import envelope_schema, wrap
from schemas.internal import SCAN, SPLIT_REPORTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from ingest.splits import Split
    from schemas.model import Table


@dataclass(frozen=True, slots=True)
class ReadSplit:
    """A split whose place in its capture is proven."""

    split: Split
    report: SplitReport
    first_frame: int
    attempt: int
    first_ts_ns: int | None
    last_ts_ns: int | None
    link_types: list[int]


@dataclass(frozen=True)
class Scan:
    splits: list[ReadSplit]
    rows: DataFrame
    """Envelope of schemas.internal.SCAN plus `attempt`; only rows of `splits` count."""

    def table(self, spark: SparkSession, table: Table, ranks: dict[int, int]) -> DataFrame:
        """One table of the scan: rows of proven splits, frames from 1 within the capture, `file` as rank.

        `ranks` maps the ordinals of the captures to be used to their rank; rows of other captures are left out.
        """
        true = [
            (one.split.file, one.split.index, one.attempt, one.first_frame, ranks[one.split.file])
            for one in self.splits
            if one.split.file in ranks
        ]
        places = spark.createDataFrame(
            true or [(-1, -1, -1, 0, 0)], "file int, split int, attempt int, first_frame long, rank int"
        )
        rows = unwrapped(self.rows, table, "attempt")
        placed = rows.join(F.broadcast(places), ["file", "split", "attempt"], "inner")
        frames = [name for name in ("frame", "first_low", "first_high") if name in table.names]
        return (
            placed.withColumns({name: F.col(name) + F.col("first_frame") for name in frames})
            .withColumn("file", F.col("rank"))
            .select(*table.names)
        )


def scan_captures(spark: SparkSession, splits: Sequence[Split]) -> Scan:
    """Every split once; those that began at the wrong place once more, from the right one."""
    guessed_rows = _scan(spark, splits, attempt=0)
    seen = _reports(guessed_rows)
    true: list[tuple[Split, SplitReport, int]] = []
    for _, group in groupby(splits, key=lambda split: split.file):
        chain = list(group)
        reports = exact(chain, [seen[split.file, split.index][0] for split in chain])
        true += zip(chain, reports, first_frames(reports), strict=False)
    wrong = [
        replace(split, start=report.start)
        for split, report, _ in true
        if seen[split.file, split.index][0].start != report.start
    ]
    rows, again = guessed_rows, {}
    if wrong:
        repeated = _scan(spark, wrong, attempt=1)
        again = _reports(repeated)
        rows = guessed_rows.unionByName(repeated)
    read = []
    for split, report, first_frame in true:
        place = split.file, split.index
        row = again[place][1] if place in again else seen[place][1]
        proven = replace(split, start=report.start)
        read.append(
            ReadSplit(
                proven, report, first_frame, int(place in again), row.first_ts_ns, row.last_ts_ns, list(row.link_types)
            )
        )
    return Scan(read, rows)


def _scan(spark: SparkSession, splits: Sequence[Split], attempt: int) -> DataFrame:
    def work(split: Split) -> Iterator[pa.RecordBatch]:
        for table, batch in scan_split(split):
            if len(batch):
                yield wrap(batch, table, SCAN)

    tasks = packed(splits, split_bytes)
    return run_tasks(spark, tasks, work, envelope_schema(SCAN)).withColumn("attempt", F.lit(attempt)).persist()


def split_bytes(split: Split) -> int:
    return min(split.end, split.capture.size) - split.begin


def _reports(rows: DataFrame) -> dict[tuple[int, int], tuple[SplitReport, Any]]:
    return {(row.file, row.split): (_report(row), row) for row in unwrapped(rows, SPLIT_REPORTS).collect()}


def _report(row: Any) -> SplitReport:  # noqa: ANN401 - a Row
    damage = Note(row.damage_code, row.damage_detail, row.damage_offset) if row.damage_code else None
    start, end = (Position.from_json(text) if text else None for text in (row.start, row.end))
    return SplitReport(row.file, row.split, start, end, row.packets, damage)
