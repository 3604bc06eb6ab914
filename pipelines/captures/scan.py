"""The scan of all captures, one job: splits read wide, files hashed, IP fragments put together.

What a split saw goes to files of the exchange; the driver is told where they are, what was counted and where the split
began and ended. docs/adr/0002 says how the chain of splits is proven.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa

from decoders.net.model import PacketOutcome
from ingest.containers.model import DamageNote, Position
from ingest.defragment import GROUP, ORDER, Defragmenter
from ingest.scan import scan_split
from ingest.splits import Split, SplitReport, exact, first_frames, size_of
from pipelines.captures.inventory import Hashed, Input, hashed
from pipelines.engine.model import Exchange, Receipt, packed
from pipelines.store.files import Stored
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
    from pipelines.store.files import Written
    from pipelines.store.places import Place, Places
    from pipelines.store.renumbering import Renumbering

Row = dict[str, Any]
MAX_ISSUES_OF_A_KIND: Final = 10_000
"""Of one capture. A file of zeros is a packet with a cut header every 16 bytes; counters stay exact."""
_TABLES: Final = {table.name: table for table in (CONVERSATIONS, SYNS, SCAN_ISSUES, FRAGMENTS, *DEFRAGMENTED)}
_SCHEMAS: Final = {name: table.arrow for name, table in _TABLES.items()}


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


@dataclass(frozen=True, slots=True)
class SplitSeen:
    """What a split says of itself."""

    report: SplitReport
    facts: Row
    counts: dict[str, int]

    @property
    def place(self) -> tuple[int, int]:
        return self.report.file, self.report.index


@dataclass(frozen=True, slots=True)
class TaskSeen:
    """What the splits of one task saw, and its files."""

    splits: list[SplitSeen]
    written: list[Written]
    unlisted: Counter[tuple[int, int, str]]
    """(file, split, code): issues beyond those that are listed."""


@dataclass(frozen=True, slots=True)
class Met:
    """What one part made of fragments."""

    written: list[Written]
    counts: Counter[tuple[int, str]]
    void: set[tuple[int, int | None, str]]


@dataclass(frozen=True)
class SeenFile:
    """A file of the exchange, with the splits in it that count."""

    stored: Stored
    splits: frozenset[tuple[int, int]] | None = None
    """None: all of them."""


@dataclass(frozen=True)
class Scan:
    splits: list[ReadSplit]
    files: dict[str, list[SeenFile]]
    """By table."""
    met: list[Met] = field(default_factory=list)
    unlisted: Counter[tuple[int, str]] = field(default_factory=Counter)
    hashed: list[Hashed] = field(default_factory=list)
    ignored: frozenset[int] = frozenset()
    """Captures as if they had not been given."""

    def without(self, files: set[int]) -> Scan:
        if not files:
            return self
        kept = [one for one in self.splits if one.split.file not in files]
        return replace(self, splits=kept, ignored=self.ignored | files)

    @property
    def has_fragments(self) -> bool:
        return any(one.counts.get(PacketOutcome.IP_FRAGMENT.counter) for one in self.splits)

    def batches(self, table: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        """Of the splits that count; frames count from 0 within them. `schema` has `file` and `split`."""
        for one in self.files.get(table, ()):
            for batch in batches_of(one.stored, schema, rows=1 << 17):
                yield counted_rows(batch, one.splits, self.ignored)


def counted_rows(
    batch: pa.RecordBatch, splits: frozenset[tuple[int, int]] | None, ignored: frozenset[int]
) -> pa.RecordBatch:
    if splits is None and not ignored:
        return batch
    file, split = (batch.column(name).to_numpy().astype(np.int64) for name in ("file", "split"))
    mask = ~np.isin(file, sorted(ignored))
    if splits is not None:
        mask &= (split == NO_SPLIT) | np.isin(file << 32 | split, [one << 32 | number for one, number in splits])
    return batch.filter(pa.array(mask))


def scan_captures(
    engine: Engine,
    places: Places,
    splits: Sequence[Split],
    to_hash: Sequence[Input] = (),
    earlier: Sequence[Stored] = (),
    to_ordinals: Renumbering | None = None,
    meter: Meter | None = None,
    *,
    keep_fragments: bool = False,
) -> Scan:
    """Every split once; those that began at the wrong place once more, from the right one.

    `earlier`: fragments that earlier runs left. `keep_fragments`: write those of this one for the next.
    """
    first = _Job(engine, places, earlier, to_ordinals, keep_fragments)
    said = first.run(splits, to_hash, meter)
    seen = {one.place: one for task in said.tasks for one in task.splits}
    proven = _chained(splits, seen)
    wrong = [replace(split, start=report.start) for split, report, _ in proven if _began_wrong(seen, split, report)]
    right = {(split.file, split.index) for split, _, _ in proven} - {(split.file, split.index) for split in wrong}
    tasks, met = said.tasks, said.met
    again: set[tuple[int, int]] = set()
    # Fragments of a split that does not count met those of others: all that have some are read again.
    tainted = any(_has_fragments(seen, split) for split in splits if (split.file, split.index) not in right)
    if wrong or tainted:
        others = [split for split in splits if (split.file, split.index) in right and _has_fragments(seen, split)]
        others = [replace(split, start=seen[split.file, split.index].report.start) for split in others]
        again = {(split.file, split.index) for split in (*wrong, *others)}
        repeated = first.run([*wrong, *others], (), None)
        for task in repeated.tasks:
            seen |= {one.place: one for one in task.splits}
        right -= again
        tasks, met = [*tasks, *repeated.tasks], repeated.met
    files: dict[str, list[SeenFile]] = {}
    unlisted: Counter[tuple[int, str]] = Counter()
    whole = len(right) == len(splits)
    for number, task in enumerate(tasks):
        true = frozenset(right if number < len(said.tasks) else again)
        for written in task.written:
            one = SeenFile(Stored(places.root, written), None if whole else true)
            files.setdefault(written.table, []).append(one)
        for (file, split, code), more in task.unlisted.items():
            if (file, split) in true:
                unlisted[file, code] += more
    for part in met:
        for written in part.written:
            files.setdefault(written.table, []).append(SeenFile(Stored(places.root, written)))
    read = [_read(seen[split.file, split.index], split, report, frame) for split, report, frame in proven]
    return Scan(read, files, met, unlisted, said.hashed)


def _chained(splits: Sequence[Split], seen: dict[tuple[int, int], SplitSeen]) -> list[tuple[Split, SplitReport, int]]:
    proven: list[tuple[Split, SplitReport, int]] = []
    for _, group in groupby(splits, key=lambda split: split.file):
        chain = list(group)
        reports = exact(chain, [seen[split.file, split.index].report for split in chain])
        proven += zip(chain, reports, first_frames(reports), strict=False)
    return proven


def _began_wrong(seen: dict[tuple[int, int], SplitSeen], split: Split, report: SplitReport) -> bool:
    return seen[split.file, split.index].report.start != report.start


def _has_fragments(seen: dict[tuple[int, int], SplitSeen], split: Split) -> bool:
    return bool(seen[split.file, split.index].counts.get(PacketOutcome.IP_FRAGMENT.counter))


def _read(seen: SplitSeen, split: Split, report: SplitReport, first_frame: int) -> ReadSplit:
    facts = seen.facts
    # Whoever reads it again reads these records: a capture that is still written has more at its end by then.
    end = min(split.end, report.end.offset) if report.end else split.end
    times = facts["first_ts_ns"], facts["last_ts_ns"], facts["back_ns"]
    place = replace(split, start=report.start, end=end)
    return ReadSplit(place, report, first_frame, *times, list(facts["link_types"]), seen.counts)


@dataclass(frozen=True)
class _Said:
    tasks: list[TaskSeen]
    hashed: list[Hashed]
    met: list[Met]


@dataclass(frozen=True)
class _Job:
    engine: Engine
    places: Places
    earlier: Sequence[Stored]
    to_ordinals: Renumbering | None
    keep_fragments: bool

    def run(self, splits: Sequence[Split], to_hash: Sequence[Input], meter: Meter | None) -> _Said:
        """Hashing first: one file is one task, however large it is."""
        tasks = [
            *packed(to_hash, lambda one: one.size),
            *packed(splits, size_of),
            *packed(self.earlier, lambda file: file.written.bytes),
        ]
        places = {name: self.places.exchange(table) for name, table in _TABLES.items()}
        read = partial(
            _reading, places=places, to_ordinals=self.to_ordinals, meter=meter, keep_fragments=self.keep_fragments
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
        return _Said(
            [one for one in said if isinstance(one, TaskSeen)],
            [one for one in said if isinstance(one, Hashed)],
            [one for one in said if isinstance(one, Met)],
        )


def _reading(
    part: str,
    items: Sequence[Any],
    places: dict[str, Place],
    to_ordinals: Renumbering | None,
    meter: Meter | None,
    *,
    keep_fragments: bool,
) -> Iterator[pa.RecordBatch | Receipt]:
    splits = [one for one in items if isinstance(one, Split)]
    for one in items:
        if isinstance(one, Input):
            yield from map(Receipt, hashed(one))
        elif isinstance(one, Stored):
            for batch in batches_of(one, FRAGMENTS.arrow):
                yield _meeting_rows(to_ordinals.batch(batch, FRAGMENTS) if to_ordinals else batch, is_new=False)
    if splits:
        yield from _scanned(part, splits, places, meter, keep_fragments=keep_fragments)


def _scanned(
    part: str, splits: Sequence[Split], places: dict[str, Place], meter: Meter | None, *, keep_fragments: bool
) -> Iterator[pa.RecordBatch | Receipt]:
    seen: list[SplitSeen] = []
    unlisted: Counter[tuple[int, int, str]] = Counter()
    with TablesWriter(places, _SCHEMAS, part) as writer:
        for split in splits:
            facts: Row = {}
            counts: Counter[str] = Counter()
            listed = _Listed(split, unlisted)
            for table, batch in scan_split(split):
                if table.name == SPLIT_REPORTS.name:
                    facts = batch.to_pylist()[0]
                elif table.name == COUNTS.name:
                    for row in batch.to_pylist():
                        counts[row["counter"]] += row["value"]
                elif table.name == FRAGMENTS.name:
                    if keep_fragments:
                        writer.add(table.name, batch)
                    yield _meeting_rows(batch, is_new=True)
                else:
                    writer.add(table.name, listed.of(batch) if table.name == SCAN_ISSUES.name else batch)
            seen.append(SplitSeen(_report(facts), facts, dict(counts)))
            if meter is not None:
                meter.note(split, facts["packets"])
        written = writer.close()
    yield Receipt(TaskSeen(seen, written, unlisted))


class _Listed:
    """The first issues of each kind that a split meets, which it meets in order."""

    def __init__(self, split: Split, unlisted: Counter[tuple[int, int, str]]) -> None:
        self._place, self._unlisted = (split.file, split.index), unlisted
        self._listed: Counter[str] = Counter()

    def of(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        mask = []
        for code in batch.column("code").to_pylist():
            self._listed[code] += 1
            mask.append(self._listed[code] <= MAX_ISSUES_OF_A_KIND)
            if not mask[-1]:
                self._unlisted[*self._place, code] += 1
        return batch.filter(pa.array(mask, pa.bool_())) if not all(mask) else batch


def _report(row: Row) -> SplitReport:
    damage = DamageNote(row["damage_code"], row["damage_detail"], row["damage_offset"]) if row["damage_code"] else None
    start, end = (Position.from_json(text) if text else None for text in (row["start"], row["end"]))
    return SplitReport(row["file"], row["split"], start, end, row["packets"], damage)


def _meeting_rows(batch: pa.RecordBatch, *, is_new: bool) -> pa.RecordBatch:
    columns = list(batch.columns)
    if not is_new:
        columns[batch.schema.get_field_index("split")] = pa.array([NO_SPLIT] * len(batch), pa.int32())
    return pa.RecordBatch.from_arrays([*columns, pa.array([is_new] * len(batch))], schema=MEETING_FRAGMENTS.arrow)


def _meeting(part: str, batches: Iterator[pa.RecordBatch], places: dict[str, Place]) -> Iterator[Met]:
    rows = (row for batch in batches for row in batch.to_pylist())
    fragments = Defragmenter()
    with TablesWriter(places, _SCHEMAS, part) as writer:
        for table, made in fragments.run(rows):
            writer.add(table.name, made)
        written = writer.close()
    if written or fragments.counts or fragments.void:
        yield Met(written, fragments.counts, fragments.void)
