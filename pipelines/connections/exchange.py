"""Decoding, one job: segments are brought together by conversation, sorted, and streamed through once.

A task writes all tables of what it decodes itself and says where. Facts, connections and issues go to files that the
next jobs read.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.segments import contains, segment_batches
from ingest.splits import size_of
from pipelines.captures.scan import ExchangeFile, ReadSplit, counted_rows
from pipelines.connections.assembler import Assembler
from pipelines.connections.bundles import AT_ONCE_SEGMENTS, alone, bundled, opened, segments_of, sizes
from pipelines.connections.decoding import Decoding
from pipelines.connections.finality import ByFinality
from pipelines.engine.model import Exchange, packed, parts_for
from pipelines.facts.stored_form import BLIND
from pipelines.store.reading import batches_of
from pipelines.store.removal import NotAmong, kept_rows
from pipelines.store.tables_writer import TablesWriter
from schemas.internal import ASIDES, BUNDLES, CONNECTIONS, FACTS, MADE_SEGMENTS, SEGMENTS, STREAM_FLOWS
from schemas.tables import FLOWS, ISSUES, WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ingest.choice import Choice
    from pipelines.captures.frames import FramePlaces
    from pipelines.captures.selection import Keys, Selection
    from pipelines.captures.stream_numbers import StreamNumbers
    from pipelines.engine.model import Engine
    from pipelines.engine.sealed_secrets import Secrets
    from pipelines.store.files import StoredFile, WrittenFile
    from pipelines.store.places import Place, Places
    from pipelines.store.renumbering import Renumbering
    from schemas.internal_rows import AnnouncedRow, VersionRow

SMALL_BYTES: Final = 4 * 1024 * 1024
TASK_BYTES: Final = 64 * 1024 * 1024
"""Payload of a task: one takes what is little, and a large run has many."""
MOST_WAITING: Final = 64
"""Bundles of one conversation that may wait for each other: one of each split whose time another split shares."""
NOTHING: Final = np.empty(0, np.int64)
_ORDER: Final = ("ts_ns", "file", "frame")
_DIRECT: Final = frozenset((FACTS.name, ISSUES.name, CONNECTIONS.name, SEGMENTS.name))
"""Not sorted out by how connections stand: whoever reads them leaves out what is void."""
_INTERNAL: Final = (FACTS, CONNECTIONS, SEGMENTS)
_SCHEMAS: Final = {table.name: table.arrow for table in (*WRITTEN, *_INTERNAL)}


@dataclass(frozen=True)
class DecodeSettings:
    """How conversations are read: the same for every task and every round."""

    choice: Choice
    capture_ids: Sequence[str]
    """By `file`, as are `paths` and `untidy`."""
    paths: Sequence[str]
    untidy: frozenset[int]
    places: dict[str, Place]
    keep_payload: bool = False
    secrets: Secrets | None = None
    to_numbers: Renumbering | None = None
    """Of captures, under which a dataset stores them."""


@dataclass(frozen=True)
class DecodeOrder:
    """Which conversations."""

    keys: Keys
    numbers: StreamNumbers
    stored: Keys = field(default_factory=lambda: NOTHING)
    """Of which the segments of this run are stored for later runs."""
    recounted: Keys = field(default_factory=lambda: NOTHING)
    """That earlier runs had not taken, and counted as such."""
    done: frozenset[str] = frozenset()
    """Connections of which earlier rounds said everything."""
    hollow: Keys = field(default_factory=lambda: NOTHING)
    """Taken for nothing but what they do not show: they count as not taken."""

    @property
    def read(self) -> Keys:
        return np.union1d(self.keys, self.stored)


@dataclass(frozen=True)
class DecodeResult:
    """What a task says of its work."""

    written: list[WrittenFile]
    """Rows that hold."""
    unsettled: list[WrittenFile]
    """Rows of connections that may be read otherwise once more endpoints are announced."""
    announced: list[AnnouncedRow]
    versions: list[VersionRow]
    late: dict[str, tuple[str, int]]
    """Connections, by uid, that should have been kept and why, and their keys: that came to light too late."""
    servers: frozenset[str]
    """Of which there are facts."""
    called: frozenset[str]
    """Those of them that have more to say than what was not seen."""
    recounted: Counter[int]
    """Packets by capture."""


def places_of(places: Places, *, dataset: bool) -> dict[str, Place]:
    found = {table.name: places.table(table) for table in WRITTEN}
    found |= {table.name: places.exchange(table) for table in (ISSUES, CONNECTIONS)}
    return found | {table.name: (places.state if dataset else places.exchange)(table) for table in (FACTS, SEGMENTS)}


def decode(
    engine: Engine,
    selection: Selection,
    reading: DecodeSettings,
    wanted: DecodeOrder,
    taken: tuple[set[tuple[int, int]], int],
    earlier: Sequence[StoredFile] = (),
    to_ordinals: Renumbering | None = None,
    round_number: int = 0,
    beside: Sequence[Exchange] = (),
) -> list[Any]:
    """`taken`: splits that hold packets of the conversations, and bytes of payload. `earlier`: stored segments.

    A `DecodeResult` of each part; and what is said by those who work in the same job, `beside` it.
    """
    splits, size = taken
    made = selection.scan.files.get(MADE_SEGMENTS.name, [])
    tasks = [
        *packed(selection.splits(splits), lambda one: size_of(one.split)),
        *packed(made, lambda one: one.stored.written.bytes),
        *packed(earlier, lambda file: file.written.bytes),
    ]
    if not tasks:
        return []
    size += sum(file.written.bytes for file in earlier)
    read = partial(
        _segments,
        keys=wanted.read,
        frames=selection.frames,
        ignored=selection.scan.ignored,
        to_ordinals=to_ordinals,
        in_bundles=selection.most_at_a_time <= MOST_WAITING,
    )
    work = partial(_decoded, reading=reading, wanted=wanted, round_number=round_number)
    parts = parts_for(size, engine, SMALL_BYTES, TASK_BYTES)
    return engine.run(Exchange(tasks, read, BUNDLES.arrow, ("key",), _ORDER, parts, work), *beside)


def _segments(
    _: str,
    items: Sequence[ReadSplit | ExchangeFile | StoredFile],
    keys: Keys,
    frames: FramePlaces,
    ignored: frozenset[int],
    to_ordinals: Renumbering | None,
    *,
    in_bundles: bool,
) -> Iterator[pa.RecordBatch]:
    for one in items:
        if isinstance(one, ReadSplit):
            place = one.split, one.split.file, one.first_frame
            if in_bundles:
                yield from bundled(segment_batches(*place, keys, AT_ONCE_SEGMENTS))
            else:
                yield from (alone(batch, is_stored=False) for batch in segment_batches(*place, keys))
        elif isinstance(one, ExchangeFile):
            for batch in batches_of(one.stored, MADE_SEGMENTS.arrow):
                placed = frames.placed(counted_rows(batch, one.splits, ignored))
                made = placed.filter(pa.array(contains(keys, placed.column("key").to_numpy())))
                yield alone(made.select(list(SEGMENTS.names)), is_stored=False)
        else:
            for batch in batches_of(one, SEGMENTS.arrow):
                kept = batch.filter(pa.array(contains(keys, batch.column("key").to_numpy())))
                yield alone(to_ordinals.batch(kept, SEGMENTS) if to_ordinals else kept, is_stored=True)


def _decoded(
    part: str, batches: Iterator[pa.RecordBatch], reading: DecodeSettings, wanted: DecodeOrder, round_number: int
) -> Iterator[DecodeResult]:
    known = reading.secrets.opened() if reading.secrets else ()
    hollow = frozenset(wanted.hollow.tolist())
    assembler = Assembler(reading.choice, reading.capture_ids, reading.paths, reading.untidy, known, hollow)
    yield _Task(f"{round_number}-{part}", reading, wanted, Decoding(assembler, keep_payload=reading.keep_payload)).run(
        batches
    )


class _Task:
    def __init__(self, part: str, reading: DecodeSettings, wanted: DecodeOrder, decoding: Decoding) -> None:
        self._reading, self._wanted, self._decoding = reading, wanted, decoding
        self._settled = TablesWriter(reading.places, _SCHEMAS, f"{part}-0")
        self._unsettled = TablesWriter(reading.places, _SCHEMAS, f"{part}-1")
        self._by_standing = ByFinality(decoding, self._settled, self._unsettled)
        self._done = NotAmong("uid", wanted.done)
        self._late: dict[str, tuple[str, int]] = {}
        self._servers: set[str] = set()
        self._called: set[str] = set()
        self._recounted: Counter[int] = Counter()

    def run(self, batches: Iterator[pa.RecordBatch]) -> DecodeResult:
        with self._settled, self._unsettled:
            return self._run(batches)

    def _run(self, batches: Iterator[pa.RecordBatch]) -> DecodeResult:
        for name, batch in self._decoding.run(opened(self._kept(batches))):
            if self._add(name, batch):
                for other, more in self._decoding.flush():
                    self._add(other, more)
                self._by_standing.sort_out()
        self._by_standing.sort_out()
        return DecodeResult(
            self._settled.close(),
            self._unsettled.close(),
            self._decoding.announced,
            self._decoding.versions,
            self._late,
            frozenset(self._servers),
            frozenset(self._called),
            self._recounted,
        )

    def _kept(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Bundles to be decoded; those to be stored are stored on the way."""
        wanted, to_numbers = self._wanted, self._reading.to_numbers
        for taken in batches:
            batch = taken
            if len(wanted.stored) or len(wanted.recounted):
                keys = taken.column("key").to_numpy()
                is_stored = taken.column("is_stored").to_numpy(zero_copy_only=False)
                fresh = segments_of(taken.filter(pa.array(contains(wanted.stored, keys) & ~is_stored)))
                self._settled.add(SEGMENTS.name, to_numbers.batch(fresh, SEGMENTS) if to_numbers else fresh)
                again = taken.filter(pa.array(contains(wanted.recounted, keys) & is_stored))
                for file, count in zip(again.column("file").to_pylist(), sizes(again).tolist(), strict=True):
                    self._recounted[file] += count
                batch = taken.filter(pa.array(contains(wanted.keys, keys)))
            if len(batch):
                yield batch

    def _add(self, name: str, batch: pa.RecordBatch) -> bool:
        if self._wanted.done:
            batch = kept_rows(batch, self._done)
        if name in _DIRECT:
            if name == FACTS.name:
                self._servers.update(batch.column("server").unique().to_pylist())
                said = batch.filter(pc.not_equal(batch.column("kind"), BLIND))
                self._called.update(said.column("server").unique().to_pylist())
                batch = self._reading.to_numbers.batch(batch, FACTS) if self._reading.to_numbers else batch
            self._settled.add(name, batch)
            return False
        if name == ASIDES.name:
            self._asides(batch)
            return False
        if name == STREAM_FLOWS.name:
            self._settled.add(CONNECTIONS.name, batch.select(list(CONNECTIONS.names)))
            batch, name = self._flows(batch), FLOWS.name
        return self._by_standing.add(name, batch)

    def _asides(self, batch: pa.RecordBatch) -> None:
        columns = {name: batch.column(name) for name in batch.schema.names}
        columns["unresolved"] = pa.array([True] * len(batch))
        rows = pa.RecordBatch.from_arrays([columns[name] for name in CONNECTIONS.names], schema=CONNECTIONS.arrow)
        self._settled.add(CONNECTIONS.name, rows)
        for row in batch.select(["uid", "key", "chosen_by"]).to_pylist():
            if row["chosen_by"] is not None:
                self._late[row["uid"]] = row["chosen_by"], row["key"]

    def _flows(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        places = zip(*(batch.column(name).to_pylist() for name in ("file", "key", "first_frame")), strict=True)
        numbers = [self._wanted.numbers.of(*place) for place in places]
        columns = [
            pa.array(numbers, pa.int64()) if name == "tcp_stream" else batch.column(name) for name in FLOWS.names
        ]
        return pa.RecordBatch.from_arrays(columns, schema=FLOWS.arrow)
