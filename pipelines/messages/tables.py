"""The table `messages` from the files of sightings and moves; in a dataset only what a run changes of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.messages.merging import ORDER, SEEN, merged
from pipelines.shelves import SORT_KEYS
from pipelines.stored import batches_of, read_frame, read_here
from pipelines.writing import write_frames, write_rows
from schemas.model import STRING, ddl
from schemas.tables import MESSAGES, MOVES, READS, SENDS, SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame

    from pipelines.analyze import Job
    from pipelines.shelves import Shelves
    from pipelines.stored import Keeps, Stored
    from pipelines.writing import Written

_TABLES: Final = {table.name: table for table in (SIGHTINGS, MOVES, READS, SENDS)}
SOURCES: Final = tuple(_TABLES)
_CALL_OF_READ: Final = "start_call_uid"
_DENSITY: Final = 8
"""Rows take about so much more memory than their files."""
_BATCH_ROWS: Final = 1_024


@dataclass(frozen=True, slots=True)
class Void:
    """Files of the base, with what goes of each: what they say of messages no longer holds."""

    file: Stored
    keeps: Keeps | None
    """None: all of it goes."""


@dataclass(frozen=True, slots=True)
class MessagesWritten:
    written: list[Written]
    replaced: frozenset[str]
    """Messages, by uid, whose earlier rows are void."""


def write_messages(
    job: Job, shelves: Shelves, fresh: Sequence[Stored], earlier: Sequence[Stored] = (), void: Sequence[Void] = ()
) -> MessagesWritten:
    """`fresh`: files that this run adds. `earlier`: those of earlier runs as they are now."""
    files = [*fresh, *earlier]
    little = sum(file.written.bytes for file in files) * _DENSITY <= job.small_bytes
    replaced = _touched(job, fresh, earlier, void) if earlier or void else frozenset()
    if little:
        rows = pa.concat_tables([_here(fresh, None), _here(earlier, replaced)])
        rows = rows.sort_by([(name, "ascending") for name in ORDER])
        found = pa.Table.from_pylist(list(merged(rows.to_pylist())), schema=MESSAGES.arrow)
        written = write_rows(shelves.table(MESSAGES), found, SORT_KEYS[MESSAGES.name]) if len(found) else []
        return MessagesWritten(written, replaced)
    frame = _frame(job, fresh, None).unionByName(_frame(job, earlier, replaced))
    ordered = frame.repartition("message_uid").sortWithinPartitions(*ORDER)
    messages = ordered.mapInArrow(_merging, ddl(MESSAGES.arrow))
    shelf = shelves.table(MESSAGES), messages, SORT_KEYS[MESSAGES.name], MESSAGES.arrow
    return MessagesWritten(write_frames({MESSAGES.name: shelf}), replaced)


def _merging(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    held: list[dict[str, Any]] = []
    for row in merged(row for batch in batches for row in batch.to_pylist()):
        held.append(row)
        if len(held) >= _BATCH_ROWS:
            yield pa.RecordBatch.from_pylist(held, schema=MESSAGES.arrow)
            held = []
    if held:
        yield pa.RecordBatch.from_pylist(held, schema=MESSAGES.arrow)


def _touched(job: Job, fresh: Sequence[Stored], earlier: Sequence[Stored], void: Sequence[Void]) -> frozenset[str]:
    """Messages of earlier runs of which this run says something new."""
    gone = {uid for one in void for uid in _void_uids(one)}
    old, new = (_uids(job, files) for files in (earlier, fresh))
    return frozenset(gone | (old & new))


def _uids(job: Job, files: Sequence[Stored]) -> set[str]:
    schema = pa.schema([("message_uid", STRING)])
    if sum(file.written.bytes for file in files) * _DENSITY <= job.small_bytes:
        return _known(read_here(files, schema, lambda batch: batch))
    frame = read_frame(job.spark, files, schema, lambda batch: batch)
    return {row.message_uid for row in frame.distinct().collect() if row.message_uid}


def _void_uids(one: Void) -> set[str]:
    if one.file.written.rows == 0:
        return set()
    keeps = one.keeps
    names = ("message_uid", *(keeps.columns if keeps else ()))
    heads = dict.fromkeys(name.partition(".")[0] for name in names)
    table = _TABLES[one.file.written.table]
    schema = pa.schema([table.arrow.field(name) for name in heads])
    found: set[str] = set()
    for batch in batches_of(one.file, schema):
        rows = pa.Table.from_batches([batch])
        found |= _known(rows if keeps is None else rows.filter(pc.invert(keeps(rows))))
    return found


def _known(rows: pa.Table) -> set[str]:
    return {uid for uid in pc.unique(rows.column("message_uid")).to_pylist() if uid is not None}


def _here(files: Sequence[Stored], wanted: frozenset[str] | None) -> pa.Table:
    parts = [
        read_here([file for file in files if file.written.table == table.name], table.arrow, lambda batch: batch)
        for table in _TABLES.values()
    ]
    return pa.concat_tables([_seen(part, wanted) for part in parts])


def _frame(job: Job, files: Sequence[Stored], wanted: frozenset[str] | None) -> DataFrame:
    frames = []
    for table in _TABLES.values():
        of_table = [file for file in files if file.written.table == table.name]
        frame = read_frame(job.spark, of_table, table.arrow, lambda batch: batch)

        def change(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                yield from _seen(pa.Table.from_batches([batch]), wanted).to_batches()

        frames.append(frame.mapInArrow(change, ddl(SEEN)))
    return reduce(lambda one, other: one.unionByName(other), frames)


def _seen(rows: pa.Table, wanted: frozenset[str] | None) -> pa.Table:
    """Rows of any of these tables as SEEN: moves, reads and sends say nothing of what is in the message."""
    known = pc.is_valid(rows.column("message_uid"))
    if wanted is not None:
        values = pa.array(sorted(wanted), pa.string())
        known = pc.and_(known, pc.is_in(rows.column("message_uid"), value_set=values))
    rows = rows.filter(known)
    constants = {"operation": "R_MoveMessage", "seen_as": "moved"} if "target_session_uid" in rows.column_names else {}
    if _CALL_OF_READ in rows.column_names:
        rows = rows.filter(pc.is_valid(rows.column(_CALL_OF_READ)))
        rows = rows.append_column("call_uid", rows.column(_CALL_OF_READ))
    columns = []
    for field in SEEN:
        if field.name in constants:
            column = pa.array([constants[field.name]] * len(rows), field.type)
        elif field.name in ("orig_h", "resp_h"):
            column = pc.struct_field(rows.column("id"), field.name)
        elif field.name in rows.column_names:
            column = rows.column(field.name)
        else:
            column = pa.nulls(len(rows), field.type)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=SEEN)
