"""The state of a dataset after a run: what the next one needs of this one and of those before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from decoders.limits import SILENCE_NS
from ingest.segments import contains
from pipelines.dataset.carry_over import FRAGMENTS_NS, LATENESS_NS
from pipelines.run.learning import announced_rows
from pipelines.store.reading import batches_of, part_of
from pipelines.store.removal import OfKeys, kept_rows
from pipelines.store.writing import write_batches, write_rows
from schemas.internal import ANNOUNCED, CONNECTIONS, FRAGMENTS, SEGMENTS, VERSIONS
from schemas.state import CARRIED_CAPTURES, CARRIED_CONVERSATIONS, CARRIED_STREAMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import numpy.typing as npt

    from pipelines.captures.inventory import CaptureOrder
    from pipelines.captures.selection import Keys, Selection
    from pipelines.dataset.carry_over import CarryOver
    from pipelines.dataset.earlier_runs import EarlierRuns
    from pipelines.judging.summaries import Summaries
    from pipelines.run.learning import Learning
    from pipelines.store.files import StoredFile, WrittenFile
    from pipelines.store.places import Places
    from pipelines.store.removal import Held
    from schemas.model import AnyRow, Table
    from schemas.state import CarriedCaptureRow


@dataclass(frozen=True)
class State:
    written: list[WrittenFile]
    segments: list[Held]
    """Files of segments, of this run and of earlier ones, which lose what need not be carried."""


def conversations_state(
    selection: Selection, learned: Learning, carrying: CarryOver, earlier: EarlierRuns, places: Places
) -> State:
    """Of conversations that may go on: connections, stream numbers, fragments, segments."""
    conversations = carrying.conversations(learned.taken, learned.hollow)
    keys, since = _since(conversations, _connections(learned, earlier, ("key", "first_ts_ns", "last_ts_ns")))
    of_connections = OfKeys(keys, since, "first_ts_ns")
    connections = (kept_rows(one, of_connections) for one in _connections(learned, earlier, CONNECTIONS.names))
    before = earlier.streams.filter(pa.array(contains(keys, earlier.streams.column("key").to_numpy())))
    streams = pa.concat_tables([selection.stream_numbers(keys).table, before])
    numbers = earlier.carried.ordinals.reversed()
    written = write_rows(places.state(CARRIED_CONVERSATIONS), conversations)
    for table, batches in (
        (CONNECTIONS, connections),
        (CARRIED_STREAMS, iter(streams.to_batches())),
        (FRAGMENTS, _fragments(selection, carrying, earlier)),
    ):
        stored = (numbers.batch(one, table) for one in batches)
        written += write_batches(places.state(table), stored, table.arrow)
    files = [*earlier.segments, *(file for file, _ in learned.exchanged(SEGMENTS.name))]
    return State(written, [(file, OfKeys(keys, since, "ts_ns")) for file in files])


def summed_state(
    summaries: Summaries,
    learned: Learning,
    earlier: EarlierRuns,
    captures: list[CarriedCaptureRow],
    places: Places,
) -> list[WrittenFile]:
    """What is known of captures, endpoints, hosts and servers."""
    said = [*earlier.carried.versions, *learned.versions]
    rows_of: dict[Table, Sequence[AnyRow]] = {
        CARRIED_CAPTURES: captures,
        **summaries.by_table,
        ANNOUNCED: announced_rows(learned.choice.learned),
        VERSIONS: list({tuple(row.items()): row for row in said}.values()),
    }
    written: list[WrittenFile] = []
    for table, rows in rows_of.items():
        written += write_rows(places.state(table), pa.Table.from_pylist(rows, schema=table.arrow))
    return written


def capture_state(order: CaptureOrder, untidy: frozenset[int], dates: Mapping[str, str]) -> list[CarriedCaptureRow]:
    rows: list[CarriedCaptureRow] = [
        {
            "file": number,
            "capture_id": order.ids[file],
            "path": order.paths[file],
            "first_ts_ns": order.first_ts_ns[file],
            "untidy": file in untidy,
            "date": dates[order.ids[file]],
        }
        for file, number in enumerate(order.numbers)
    ]
    return sorted(rows, key=lambda row: row["file"])


def _connections(learned: Learning, earlier: EarlierRuns, names: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Of earlier runs those that still hold, and what this run says."""
    taken = learned.taken
    for batch in earlier.connections(names):
        yield batch.filter(pa.array(~contains(taken, batch.column("key").to_numpy())))
    yield from (batch.select(list(names)) for batch in learned.connections())


def _since(conversations: pa.Table, connections: Iterator[pa.RecordBatch]) -> tuple[Keys, npt.NDArray[np.int64]]:
    """Keys that are kept, and the time from which: what lies before a silence can have no part in what comes."""
    keys: Keys = conversations.column("key").to_numpy()
    since = np.full(len(keys), np.iinfo(np.int64).min)
    parts = [batch.filter(pa.array(contains(keys, batch.column("key").to_numpy()))) for batch in connections]
    times = pa.Table.from_batches(parts, part_of(CONNECTIONS.arrow, ("key", "first_ts_ns", "last_ts_ns")))
    times = times.sort_by([("key", "ascending"), ("first_ts_ns", "ascending")])
    key, until = None, 0
    place = dict(zip(keys.tolist(), range(len(keys)), strict=True))
    for one, first, last in zip(*(column.to_pylist() for column in times.columns), strict=True):
        first, last = (-1 if first is None else first), (-1 if last is None else last)
        if one != key:
            key, until = one, last
        elif first - until > SILENCE_NS:
            since[place[one]] = first
        until = max(until, last)
    return keys, since


def _fragments(selection: Selection, carrying: CarryOver, earlier: EarlierRuns) -> Iterator[pa.RecordBatch]:
    """Those near the ends of their capture, and those of earlier runs: others met their like already."""
    bounds = _bounds(selection)
    for batch in selection.placed(FRAGMENTS.name, FRAGMENTS.arrow):
        places = zip(batch.column("file").to_pylist(), batch.column("ts_ns").to_pylist(), strict=True)
        yield batch.filter(pa.array([_near(bounds.get(file), ts_ns) for file, ts_ns in places], pa.bool_()))
    ordinals = earlier.carried.ordinals
    for batch in _stored(earlier.carried.files.get(FRAGMENTS.name, ())):
        old = batch.filter(pc.greater_equal(batch.column("ts_ns"), carrying.now_ns - LATENESS_NS))
        yield ordinals.batch(old, FRAGMENTS)


def _bounds(selection: Selection) -> dict[int, tuple[int, int]]:
    times: dict[int, list[int]] = {}
    for one in selection.scan.splits:
        if one.first_ts_ns is not None and one.last_ts_ns is not None:
            times.setdefault(one.split.file, []).extend((one.first_ts_ns, one.last_ts_ns))
    return {file: (min(of_file) + FRAGMENTS_NS, max(of_file) - FRAGMENTS_NS) for file, of_file in times.items()}


def _near(bounds: tuple[int, int] | None, ts_ns: int) -> bool:
    return bounds is not None and (ts_ns <= bounds[0] or ts_ns >= bounds[1])


def _stored(files: Iterable[StoredFile]) -> Iterator[pa.RecordBatch]:
    return (batch for file in files for batch in batches_of(file, FRAGMENTS.arrow))
