"""The scan of all captures, one job: splits read wide, files hashed, IP fragments put together.

What a split saw goes to files of the exchange; the driver is told where they are, what was counted and where the split
began and ended. docs/adr/0002 says how the chain of splits is proven.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from decoders.net.model import PacketOutcome
from ingest.splits import Split, SplitReport, exact, first_frames
from pipelines.captures.inventory import FileHashes, HashedFile, Input, duplicates
from pipelines.captures.scan_job import Defragmentation, ScanJob, SplitResult
from pipelines.store.files import StoredFile
from pipelines.store.reading import batches_of
from schemas.internal import NO_SPLIT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.captures.meter import Meter
    from pipelines.engine.model import Engine
    from pipelines.store.places import Places
    from pipelines.store.renumbering import Renumbering


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
class ExchangeFile:
    """A file of the exchange, with the splits in it that count."""

    stored: StoredFile
    splits: frozenset[tuple[int, int]] | None = None
    """None: all of them."""


@dataclass(frozen=True)
class Scan:
    splits: list[ReadSplit]
    files: dict[str, list[ExchangeFile]]
    """By table."""
    met: list[Defragmentation] = field(default_factory=list)
    unlisted: Counter[tuple[int, str]] = field(default_factory=Counter)
    hashed: list[HashedFile] = field(default_factory=list)
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
    earlier: Sequence[StoredFile] = (),
    to_ordinals: Renumbering | None = None,
    meter: Meter | None = None,
    *,
    keep_fragments: bool = False,
) -> Scan:
    """Every split once; those that began at the wrong place once more, from the right one.

    `earlier`: fragments that earlier runs left. `keep_fragments`: write those of this one for the next. Captures that
    have the bytes of another are scanned as well, but their fragments meet nobody's.
    """
    first = ScanJob(engine, places, earlier, to_ordinals, keep_fragments)
    said = first.run(splits, to_hash, meter)
    seen = {one.place: one for task in said.tasks for one in task.splits}
    proven = _chained(splits, seen)
    wrong = [replace(split, start=report.start) for split, report, _ in proven if _began_wrong(seen, split, report)]
    right = {(split.file, split.index) for split, _, _ in proven} - {(split.file, split.index) for split in wrong}
    tasks, met = said.tasks, said.met
    again: set[tuple[int, int]] = set()
    # Fragments of a split that does not count met those of others: all that have some are read again.
    alone = _without_a_part(to_hash, said.hashed)
    met_wrongly = [split for split in splits if (split.file, split.index) not in right or split.file in alone]
    if wrong or any(_has_fragments(seen, split) for split in met_wrongly):
        apart = {(split.file, split.index) for split in met_wrongly}
        others = [split for split in splits if (split.file, split.index) not in apart and _has_fragments(seen, split)]
        others = [replace(split, start=seen[split.file, split.index].report.start) for split in others]
        again = {(split.file, split.index) for split in (*wrong, *others)}
        repeated = first.run([*wrong, *others], alone=alone)
        for task in repeated.tasks:
            seen |= {one.place: one for one in task.splits}
        right -= again
        tasks, met = [*tasks, *repeated.tasks], repeated.met
    files: dict[str, list[ExchangeFile]] = {}
    unlisted: Counter[tuple[int, str]] = Counter()
    whole = len(right) == len(splits)
    for number, task in enumerate(tasks):
        true = frozenset(right if number < len(said.tasks) else again)
        for written in task.written:
            one = ExchangeFile(StoredFile(places.root, written), None if whole else true)
            files.setdefault(written.table, []).append(one)
        for (file, split, code), more in task.unlisted.items():
            if (file, split) in true:
                unlisted[file, code] += more
    for part in met:
        for written in part.written:
            files.setdefault(written.table, []).append(ExchangeFile(StoredFile(places.root, written)))
    read = [_read(seen[split.file, split.index], split, report, frame) for split, report, frame in proven]
    return Scan(read, files, met, unlisted, said.hashed)


def _without_a_part(inputs: Sequence[Input], hashed: Sequence[HashedFile]) -> frozenset[int]:
    """Captures that turned out to have the bytes of another, or to be there no more when they were hashed."""
    digests = FileHashes.of(hashed).digests
    return frozenset({one.file for one in inputs if one.file not in digests} | duplicates(inputs, digests).keys())


def _chained(splits: Sequence[Split], seen: dict[tuple[int, int], SplitResult]) -> list[tuple[Split, SplitReport, int]]:
    proven: list[tuple[Split, SplitReport, int]] = []
    for _, group in groupby(splits, key=lambda split: split.file):
        chain = list(group)
        reports = exact(chain, [seen[split.file, split.index].report for split in chain])
        proven += zip(chain, reports, first_frames(reports), strict=False)
    return proven


def _began_wrong(seen: dict[tuple[int, int], SplitResult], split: Split, report: SplitReport) -> bool:
    return seen[split.file, split.index].report.start != report.start


def _has_fragments(seen: dict[tuple[int, int], SplitResult], split: Split) -> bool:
    return bool(seen[split.file, split.index].counts.get(PacketOutcome.IP_FRAGMENT.counter))


def _read(seen: SplitResult, split: Split, report: SplitReport, first_frame: int) -> ReadSplit:
    facts = seen.facts
    # Whoever reads it again reads these records: a capture that is still written has more at its end by then.
    end = min(split.end, report.end.offset) if report.end else split.end
    times = facts["first_ts_ns"], facts["last_ts_ns"], facts["back_ns"]
    place = replace(split, start=report.start, end=end)
    return ReadSplit(place, report, first_frame, *times, list(facts["link_types"]), seen.counts)
