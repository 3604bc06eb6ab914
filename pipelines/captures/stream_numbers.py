"""Wireshark's tcp.stream: the running number of a connection among all TCP connections of its capture.

All of them count, also those set aside, so it is computed from the scan: a conversation's first packet begins a
stream, and so does each SYN without ACK whose number differs from its side's base, which is the number of that side's
latest SYN or SYN-ACK, or else the one of ingest.stream_bases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import pyarrow as pa

from ingest.segments import contains
from ingest.stream_bases import NEVER, NUMBER_BITS
from pipelines.captures.key_ranges import ALL, key_ranges
from schemas.internal import CONVERSATIONS, SYNS
from schemas.state import CARRIED_STREAMS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import numpy.typing as npt

    Longs = npt.NDArray[np.int64]
    Batches = Callable[[str, pa.Schema], Iterator[pa.RecordBatch]]

_OF_CONVERSATIONS: Final = pa.schema(
    [CONVERSATIONS.arrow.field(name) for name in ("file", "split", "key", "base_low", "base_high")]
)


@dataclass(frozen=True)
class StreamNumbers:
    """Where streams begin, sorted by file, key and frame."""

    file: Longs
    key: Longs
    frame: Longs
    number: Longs

    def of(self, file: int, key: int, frame: int) -> int | None:
        """Of the connection that begins at that frame: the last stream that began by then."""
        first, last = np.searchsorted(self.file, file, "left"), np.searchsorted(self.file, file, "right")
        first, last = (first + np.searchsorted(self.key[first:last], key, side) for side in ("left", "right"))
        begun = np.searchsorted(self.frame[first:last], frame, "right")
        return int(self.number[first:last][:begun].max()) if begun else None

    @property
    def table(self) -> pa.Table:
        """As CARRIED_STREAMS has them."""
        columns = [self.file.astype(np.int32), self.key, self.frame, self.number]
        return pa.Table.from_arrays([pa.array(column) for column in columns], schema=CARRIED_STREAMS.arrow)

    def with_earlier(self, earlier: pa.Table) -> StreamNumbers:
        both = pa.concat_tables([self.table, earlier]).sort_by(
            [(name, "ascending") for name in ("file", "key", "frame")]
        )
        return StreamNumbers(*(column.to_numpy().astype(np.int64) for column in both.columns))

    def of_keys(self, keys: Longs) -> StreamNumbers:
        found = contains(keys, self.key)
        return StreamNumbers(self.file[found], self.key[found], self.frame[found], self.number[found])


def stream_numbers(batches: Batches, rows: int, wanted: Longs) -> StreamNumbers:
    """Of the conversations with the wanted keys. `batches` gives CONVERSATIONS and SYNS with final frames."""
    ranges = key_ranges(rows)
    needed: list[tuple[Longs, Longs, Longs]] = []
    begun: list[tuple[Longs, Longs, Longs]] = []
    for low, high in ranges:
        starts = _starts(batches, low, high)
        needed.append(tuple(column[contains(wanted, starts[1])] for column in starts))  # type: ignore[arg-type]
        if len(ranges) == 1:
            begun = [starts]
    file, key, frame = (np.concatenate(columns) for columns in zip(*needed, strict=True))
    order = np.lexsort((frame, key, file))
    file, key, frame = file[order], key[order], frame[order]
    number = np.zeros(len(frame), np.int64)
    for starts in begun or (_starts(batches, low, high) for low, high in ranges):
        number += _before(starts, file, frame)
    return StreamNumbers(file, key, frame, number)


def _before(starts: tuple[Longs, Longs, Longs], file: Longs, frame: Longs) -> Longs:
    """How many of the streams of each file begin before the frame."""
    found = np.zeros(len(frame), np.int64)
    for one in np.unique(file):
        frames = np.sort(starts[2][starts[0] == one])
        of_file = file == one
        found[of_file] = np.searchsorted(frames, frame[of_file], "left")
    return found


def _starts(batches: Batches, low: int, high: int) -> tuple[Longs, Longs, Longs]:
    """(file, key, frame) of all streams of the keys in the range."""
    file, key, base_low, base_high = _first_bases(batches, low, high)
    first = np.minimum(base_low, base_high) >> NUMBER_BITS
    syn_file, syn_key, syn_frame = _reused(batches, low, high, (file, key, base_low, base_high))
    pairs = (file, syn_file), (key, syn_key), (first, syn_frame)
    files, keys, frames = (np.concatenate(pair) for pair in pairs)
    order = np.lexsort((frames, keys, files))
    files, keys, frames = files[order], keys[order], frames[order]
    differs = (np.diff(files) != 0) | (np.diff(keys) != 0) | (np.diff(frames) != 0)
    new = np.concatenate((np.ones(min(1, len(files)), np.bool_), differs))
    return files[new], keys[new], frames[new]


def _first_bases(batches: Batches, low: int, high: int) -> tuple[Longs, Longs, Longs, Longs]:
    """The earliest of each conversation in each file, sorted by file and key."""
    parts: list[list[Longs]] = []
    for batch in batches(CONVERSATIONS.name, _OF_CONVERSATIONS):
        columns = [
            batch.column(name).cast(pa.int64()).fill_null(NEVER).to_numpy()
            for name in ("file", "key", "base_low", "base_high")
        ]
        inside = (columns[1] >= low) & (columns[1] < high) if (low, high) != ALL else slice(None)
        parts.append([column[inside] for column in columns])
    if not parts:
        return _NOTHING, _NOTHING, _NOTHING, _NOTHING
    file, key, base_low, base_high = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    order = np.lexsort((key, file))
    file, key, base_low, base_high = file[order], key[order], base_low[order], base_high[order]
    if not len(file):
        return file, key, base_low, base_high
    edge = np.flatnonzero(np.concatenate(([True], (file[1:] != file[:-1]) | (key[1:] != key[:-1]))))
    lows, highs = np.minimum.reduceat(base_low, edge), np.minimum.reduceat(base_high, edge)
    return file[edge], key[edge], lows, highs


def _reused(
    batches: Batches, low: int, high: int, bases: tuple[Longs, Longs, Longs, Longs]
) -> tuple[Longs, Longs, Longs]:
    """SYNs that begin another stream of their conversation."""
    parts: list[list[Longs]] = []
    for batch in batches(SYNS.name, SYNS.arrow):
        columns = [
            batch.column(name).to_numpy(zero_copy_only=False).astype(np.int64)
            for name in ("file", "key", "from_low", "frame", "with_ack", "seq")
        ]
        inside = (columns[1] >= low) & (columns[1] < high) if (low, high) != ALL else slice(None)
        parts.append([column[inside] for column in columns])
    if not parts:
        return _NOTHING, _NOTHING, _NOTHING
    file, key, side, frame, with_ack, seq = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    if not len(file):
        return _NOTHING, _NOTHING, _NOTHING
    order = np.lexsort((frame, side, key, file))
    file, key, side, frame, with_ack, seq = (one[order] for one in (file, key, side, frame, with_ack, seq))
    same = np.concatenate(
        ([False], (file[1:] == file[:-1]) & (key[1:] == key[:-1]) & (side[1:] == side[:-1])),
    )
    previous = np.concatenate(([0], seq[:-1]))
    place = _places(bases, file, key)
    known = place >= 0
    base = np.where(side == 1, bases[2][place], bases[3][place]) if len(bases[0]) else np.full(len(file), NEVER)
    after = (base != NEVER) & (base >> NUMBER_BITS < frame) & (base & ((1 << NUMBER_BITS) - 1) != seq)
    begins = known & (with_ack == 0) & np.where(same, previous != seq, after)
    return file[begins], key[begins], frame[begins]


def _places(bases: tuple[Longs, Longs, Longs, Longs], file: Longs, key: Longs) -> Longs:
    """Row of each (file, key) among the bases; -1 where there is none."""
    if not len(bases[0]):
        return np.full(len(file), -1)
    place = np.full(len(file), -1)
    for one in np.unique(file):
        first, last = np.searchsorted(bases[0], one, "left"), np.searchsorted(bases[0], one, "right")
        of_file = np.flatnonzero(file == one)
        found = first + np.minimum(np.searchsorted(bases[1][first:last], key[of_file]), max(last - first - 1, 0))
        if last > first:
            place[of_file] = np.where(bases[1][found] == key[of_file], found, -1)
    return place


_NOTHING: Final = np.empty(0, np.int64)
