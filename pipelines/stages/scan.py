"""The scan of all captures in Spark, with the chain of splits verified."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as F

from ingest.containers.model import Note, Position
from ingest.scan import scan_split
from ingest.splits import SplitReport, exact, first_frames, size_of
from ingest.stream_bases import NUMBER_BITS
from pipelines.stages.envelopes import unwrapped
from pipelines.stages.tasks import packed, run_tasks
from schemas.envelope import envelope_schema, wrap
from schemas.internal import COUNTS, SCAN, SPLIT_REPORTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from ingest.splits import Split
    from pipelines.stages.meter import Meter
    from schemas.model import Table


@dataclass(frozen=True, slots=True)
class ReadSplit:
    """A split whose place in its capture is proven."""

    split: Split
    report: SplitReport
    first_frame: int
    first_ts_ns: int | None
    last_ts_ns: int | None
    back_ns: int
    link_types: list[int]
    counts: dict[str, int]

    @property
    def file(self) -> int:
        return self.split.file


@dataclass(frozen=True)
class Scan:
    splits: list[ReadSplit]
    rows: DataFrame
    """Envelope of schemas.internal.SCAN: the rows of `splits` and no others."""

    def without(self, files: set[int]) -> Scan:
        """The scan as if these captures had not been given."""
        if not files:
            return self
        kept = [one for one in self.splits if one.split.file not in files]
        of_file = F.coalesce(*(F.col(f"{table.name}.file") for table in SCAN))
        return Scan(kept, self.rows.where(~of_file.isin(*files)))

    def table(self, table: Table) -> DataFrame:
        """Frames count from 0 within the split."""
        return unwrapped(self.rows, table)

    def placed(self, table: Table) -> DataFrame:
        """Frames count from 1 within the capture."""
        places = [(one.split.file, one.split.index, one.first_frame) for one in self.splits]
        known = self.rows.sparkSession.createDataFrame(places, "file int, split int, first_frame long")
        frame = F.col("first_frame")
        shifts = {
            "frame": frame,
            "base_low": F.shiftleft(frame, NUMBER_BITS),
            "base_high": F.shiftleft(frame, NUMBER_BITS),
        }
        return (
            self.table(table)
            .join(F.broadcast(known), ["file", "split"], "inner")
            .withColumns({name: F.col(name) + shift for name, shift in shifts.items() if name in table.names})
            .select(*table.names)
        )


@dataclass(slots=True)
class _Told:
    """What a split's task said about itself."""

    facts: Any = None
    counts: Counter[str] = field(default_factory=Counter)

    @property
    def report(self) -> SplitReport:
        row = self.facts
        damage = Note(row.damage_code, row.damage_detail, row.damage_offset) if row.damage_code else None
        start, end = (Position.from_json(text) if text else None for text in (row.start, row.end))
        return SplitReport(row.file, row.split, start, end, row.packets, damage)


def scan_captures(spark: SparkSession, splits: Sequence[Split], meter: Meter | None = None) -> Scan:
    """Every split once; those that began at the wrong place once more, from the right one."""
    rows = _scan(spark, splits, meter)
    told = _told(rows)
    proven: list[tuple[Split, SplitReport, int]] = []
    for _, group in groupby(splits, key=lambda split: split.file):
        chain = list(group)
        reports = exact(chain, [told[split.file, split.index].report for split in chain])
        proven += zip(chain, reports, first_frames(reports), strict=False)
    wrong = [
        replace(split, start=report.start)
        for split, report, _ in proven
        if told[split.file, split.index].report.start != report.start
    ]
    places = {(split.file, split.index) for split, _, _ in proven}
    if wrong or len(places) < len(splits):
        right = places - {(split.file, split.index) for split in wrong}
        rows = _only(spark, rows, right)
        if wrong:
            repeated = _scan(spark, wrong)
            told |= _told(repeated)
            rows = rows.unionByName(repeated)
    return Scan([_read(told[proof[0].file, proof[0].index], *proof) for proof in proven], rows)


def _read(told: _Told, split: Split, report: SplitReport, first_frame: int) -> ReadSplit:
    facts = told.facts
    # Whoever reads it again reads these records: a capture that is still written has more at its end by then.
    end = min(split.end, report.end.offset) if report.end else split.end
    return ReadSplit(
        replace(split, start=report.start, end=end),
        report,
        first_frame,
        facts.first_ts_ns,
        facts.last_ts_ns,
        facts.back_ns,
        list(facts.link_types),
        dict(told.counts),
    )


def _scan(spark: SparkSession, splits: Sequence[Split], meter: Meter | None = None) -> DataFrame:
    def work(split: Split) -> Iterator[pa.RecordBatch]:
        packets = 0
        for table, batch in scan_split(split):
            if table.name == SPLIT_REPORTS.name:  # pickled, it is another object
                packets += sum(batch.column("packets").to_pylist())
            if len(batch):
                yield wrap(batch, table, SCAN)
        if meter is not None:
            meter.note(split, packets)

    return run_tasks(spark, packed(splits, size_of), work, envelope_schema(SCAN)).persist()


def _told(rows: DataFrame) -> dict[tuple[int, int], _Told]:
    names = (SPLIT_REPORTS.name, COUNTS.name)
    some = F.coalesce(*(F.col(f"{name}.file") for name in names)).isNotNull()
    told: dict[tuple[int, int], _Told] = {}
    for row in rows.where(some).select(*names).collect():
        report, count = row
        if report is not None:
            told.setdefault((report.file, report.split), _Told()).facts = report
        else:
            told.setdefault((count.file, count.split), _Told()).counts[count.counter] += count["value"]
    return told


def _only(spark: SparkSession, rows: DataFrame, places: set[tuple[int, int]]) -> DataFrame:
    """What the splits at these places said; a wrong guess or a split behind damage said nothing true."""
    known = spark.createDataFrame(sorted(places) or [(-1, -1)], "true_file int, true_split int")
    of = {name: F.coalesce(*(F.col(f"{table.name}.{name}") for table in SCAN)) for name in ("file", "split")}
    same = (of["file"] == F.col("true_file")) & (of["split"] == F.col("true_split"))
    return rows.join(F.broadcast(known), same, "left_semi")
