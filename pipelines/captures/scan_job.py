"""The job of the scan: what its tasks do, and what they say to the driver."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from ingest.containers.model import DamageNote, Position
from ingest.defragment import GROUP, ORDER, Defragmenter
from ingest.scan import scan_split
from ingest.splits import Split, SplitReport, size_of
from pipelines.captures.inventory import HashedFile, Input, hashed
from pipelines.engine.model import Exchange, Receipt, packed
from pipelines.store.files import StoredFile
from pipelines.store.reading import batches_of
from pipelines.store.tables_writer import TablesWriter
from schemas.internal import (
    CONVERSATIONS,
    COUNTS,
    DEFRAGMENTED,
    FRAGMENTS,
    MEETING_FRAGMENTS,
    NO_SPLIT,
    SCAN_ISSUES,
    SPLIT_REPORTS,
    SYNS,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.captures.meter import Meter
    from pipelines.engine.model import Engine
    from pipelines.store.files import WrittenFile
    from pipelines.store.places import Place, Places
    from pipelines.store.renumbering import Renumbering

Row = dict[str, Any]
_TABLES: Final = {table.name: table for table in (CONVERSATIONS, SYNS, SCAN_ISSUES, FRAGMENTS, *DEFRAGMENTED)}
_SCHEMAS: Final = {name: table.arrow for name, table in _TABLES.items()}


@dataclass(frozen=True, slots=True)
class SplitResult:
    """What a split says of itself."""

    report: SplitReport
    facts: Row
    counts: dict[str, int]

    @property
    def place(self) -> tuple[int, int]:
        return self.report.file, self.report.index


@dataclass(frozen=True, slots=True)
class ScanTaskResult:
    """What the splits of one task saw, and its files."""

    splits: list[SplitResult]
    written: list[WrittenFile]
    unlisted: Counter[tuple[int, int, str]]
    """(file, split, code): issues beyond those that are listed."""


@dataclass(frozen=True, slots=True)
class Defragmentation:
    """What one part made of fragments."""

    written: list[WrittenFile]
    counts: Counter[tuple[int, str]]
    void: set[tuple[int, int | None, str]]


@dataclass(frozen=True)
class ScanJobResult:
    tasks: list[ScanTaskResult]
    hashed: list[HashedFile]
    met: list[Defragmentation]


@dataclass(frozen=True)
class ScanJob:
    engine: Engine
    places: Places
    earlier: Sequence[StoredFile]
    to_ordinals: Renumbering | None
    keep_fragments: bool

    def run(
        self,
        splits: Sequence[Split],
        to_hash: Sequence[Input] = (),
        meter: Meter | None = None,
        alone: frozenset[int] = frozenset(),
    ) -> ScanJobResult:
        """Hashing first: one file is one task, however large it is. `alone`: captures whose fragments meet nobody's."""
        tasks = [
            *packed(to_hash, lambda one: one.size),
            *packed(splits, size_of),
            *packed(self.earlier, lambda file: file.written.bytes),
        ]
        places = {name: self.places.exchange(table) for name, table in _TABLES.items()}
        read = partial(
            _reading,
            places=places,
            to_ordinals=self.to_ordinals,
            meter=meter,
            alone=alone,
            keep_fragments=self.keep_fragments,
        )
        exchange = Exchange(
            tasks,
            read,
            MEETING_FRAGMENTS.arrow,
            GROUP,
            ORDER,
            self.engine.parallelism,
            partial(_meeting, places=places),
        )
        said = self.engine.run(exchange)
        return ScanJobResult(
            [one for one in said if isinstance(one, ScanTaskResult)],
            [one for one in said if isinstance(one, HashedFile)],
            [one for one in said if isinstance(one, Defragmentation)],
        )


def _reading(
    part: str,
    items: Sequence[Any],
    places: dict[str, Place],
    to_ordinals: Renumbering | None,
    meter: Meter | None,
    alone: frozenset[int],
    *,
    keep_fragments: bool,
) -> Iterator[pa.RecordBatch | Receipt]:
    splits = [one for one in items if isinstance(one, Split)]
    for one in items:
        if isinstance(one, Input):
            yield from map(Receipt, hashed(one))
        elif isinstance(one, StoredFile):
            for batch in batches_of(one, FRAGMENTS.arrow):
                yield _meeting_rows(to_ordinals.batch(batch, FRAGMENTS) if to_ordinals else batch, is_new=False)
    if splits:
        yield from _scanned(part, splits, places, meter, alone, keep_fragments=keep_fragments)


def _scanned(
    part: str,
    splits: Sequence[Split],
    places: dict[str, Place],
    meter: Meter | None,
    alone: frozenset[int],
    *,
    keep_fragments: bool,
) -> Iterator[pa.RecordBatch | Receipt]:
    seen: list[SplitResult] = []
    unlisted: Counter[tuple[int, int, str]] = Counter()
    with TablesWriter(places, _SCHEMAS, part) as writer:
        for split in splits:
            facts: Row = {}
            counts: Counter[str] = Counter()
            for table, batch in scan_split(split):
                if table.name == SPLIT_REPORTS.name:
                    facts = batch.to_pylist()[0]
                    for one in facts.pop("unlisted"):
                        unlisted[split.file, split.index, one["code"]] += one["count"]
                elif table.name == COUNTS.name:
                    for row in batch.to_pylist():
                        counts[row["counter"]] += row["value"]
                elif table.name == FRAGMENTS.name:
                    if keep_fragments:
                        writer.add(table.name, batch)
                    if split.file not in alone:
                        yield _meeting_rows(batch, is_new=True)
                else:
                    writer.add(table.name, batch)
            seen.append(SplitResult(_report(facts), facts, dict(counts)))
            if meter is not None:
                meter.note(split, facts["packets"])
        written = writer.close()
    yield Receipt(ScanTaskResult(seen, written, unlisted))


def _report(row: Row) -> SplitReport:
    damage = DamageNote(row["damage_code"], row["damage_detail"], row["damage_offset"]) if row["damage_code"] else None
    start, end = (Position.from_json(text) if text else None for text in (row["start"], row["end"]))
    return SplitReport(row["file"], row["split"], start, end, row["packets"], damage)


def _meeting_rows(batch: pa.RecordBatch, *, is_new: bool) -> pa.RecordBatch:
    columns = list(batch.columns)
    if not is_new:
        columns[batch.schema.get_field_index("split")] = pa.array([NO_SPLIT] * len(batch), pa.int32())
    return pa.RecordBatch.from_arrays([*columns, pa.array([is_new] * len(batch))], schema=MEETING_FRAGMENTS.arrow)


def _meeting(part: str, batches: Iterator[pa.RecordBatch], places: dict[str, Place]) -> Iterator[Defragmentation]:
    rows = (row for batch in batches for row in batch.to_pylist())
    fragments = Defragmenter()
    with TablesWriter(places, _SCHEMAS, part) as writer:
        for table, made in fragments.run(rows):
            writer.add(table.name, made)
        written = writer.close()
    if written or fragments.counts or fragments.void:
        yield Defragmentation(written, fragments.counts, fragments.void)
