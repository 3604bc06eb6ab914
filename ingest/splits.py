"""Exact splitting of one capture among many tasks.

A classic pcap has no marks to split at. Each split guesses its first record boundary, reads to its end and reports
both. The chain is then verified: a split counts only if it began exactly where the one before it ended; any other is
read again from the true boundary. A wrong guess costs time, never a packet.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from ingest.containers.model import DamageNote, Position
from ingest.inflate import InflatedFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ingest.captures import ByteSource, Capture
    from ingest.containers.model import Records

SPLIT_BYTES: Final = 64 * 1024 * 1024
CHUNK_BYTES: Final = 16 * 1024 * 1024
"""Read at once; larger than any record or block that is looked into."""
GUESS_BYTES: Final = 4 * 1024 * 1024
"""Searched for a first boundary: more than CHAIN records of the largest size."""


@dataclass(frozen=True, slots=True)
class Split:
    """The records of one capture that begin in [begin, end)."""

    capture: Capture
    file: int
    """Ordinal of the capture among the inputs."""
    index: int
    begin: int
    end: int
    start: Position | None
    """None: not known yet, to be guessed."""


@dataclass(frozen=True, slots=True)
class SplitReport:
    file: int
    index: int
    start: Position | None
    end: Position | None
    """Where the next split must begin; both are None where no boundary could be guessed."""
    packets: int
    damage: DamageNote | None = None
    """Reading ended here; whatever splits follow are void."""


def size_of(split: Split) -> int:
    """Of the file: a compressed one is told by its compressed size."""
    return min(split.end, split.capture.size) - split.begin


def plan(capture: Capture, file: int, split_bytes: int = SPLIT_BYTES) -> list[Split]:
    """A compressed file is one split: its bytes cannot be reached but from the start."""
    first, size = capture.opening.offset, capture.size
    if capture.compression != "none":
        return [Split(capture, file, 0, first, 1 << 62, capture.opening)]
    count = max(1, -(-(size - first) // split_bytes))
    bounds = [first + (size - first) * n // count for n in range(count + 1)]
    return [
        Split(capture, file, n, bounds[n], bounds[n + 1], capture.opening if n == 0 else None) for n in range(count)
    ]


class SplitReader:
    """Iterate for the records; `report` and `notes` are complete once the iteration is."""

    def __init__(self, split: Split, source: ByteSource | None = None) -> None:
        self.split = split
        self.notes: list[DamageNote] = []
        self.report = SplitReport(split.file, split.index, None, None, 0)
        self._source = source or split.capture.source()

    def __iter__(self) -> Iterator[Records]:
        try:
            yield from self._records()
        finally:
            self._source.close()

    def _records(self) -> Iterator[Records]:
        start = self.split.start or self._guess()
        if start is None:
            return
        packets, position, damage = 0, start, None
        last = start.offset
        while position.offset < self.split.end and damage is None:
            try:
                buffer = self._source.read(position.offset, CHUNK_BYTES)
            except OSError as error:
                damage = DamageNote("not-readable", f"reading stopped: {error.strerror}", position.offset)
                break
            if not buffer:
                break
            step = self.split.capture.container.walk(buffer, position, self.split.end, at_end=len(buffer) < CHUNK_BYTES)
            self.notes += step.notes
            for records in step.records:
                yield records
                packets += len(records)
            last, position, damage = position.offset, step.next, step.damage
        if damage is None and last < position.offset > (size := self._source.size()):
            # A block larger than a chunk was skipped by its length, and that was not true.
            damage = DamageNote("record-cut", f"the file ends after {size - last} bytes of a block", last)
        if isinstance(self._source, InflatedFile) and self._source.damage:
            damage = DamageNote(self._source.damage_code, self._source.damage, position.offset)
        self.report = SplitReport(self.split.file, self.split.index, start, position, packets, damage)

    def _guess(self) -> Position | None:
        try:
            buffer = self._source.read(self.split.begin, GUESS_BYTES)
        except OSError:
            return None  # the split before this one leads here, and reading from there tells what is wrong
        return self.split.capture.container.guess(buffer, self.split.begin, self.split.capture.opening)


def walk(split: Split) -> SplitReport:
    """The report of a split without looking at its packets."""
    reader = SplitReader(split)
    for _ in reader:
        pass
    return reader.report


def exact(
    splits: Sequence[Split], reports: Sequence[SplitReport], again: Callable[[Split], SplitReport] = walk
) -> list[SplitReport]:
    """The true reports of one capture's splits, in order, ending at the split where reading ended.

    `again` is called, in order, for those splits that did not begin where they should have.
    """
    true: list[SplitReport] = []
    for split, guessed in zip(splits, reports, strict=True):
        position = true[-1].end if true else split.start
        report = guessed if guessed.start == position else again(replace(split, start=position))
        true.append(report)
        if report.damage is not None:
            break
    return true


def first_frames(reports: Sequence[SplitReport]) -> list[int]:
    """Frame number of each split's first packet; frames count from 1."""
    frames, frame = [], 1
    for report in reports:
        frames.append(frame)
        frame += report.packets
    return frames
