"""The table `messages` from the files of sightings, moves, reads and sends, brought together by message."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.engine.model import Exchange, packed, parts_for
from pipelines.messages.merging import ORDER, merged
from pipelines.store.reading import batches_of
from pipelines.store.removal import kept_rows
from pipelines.store.tables_writer import TablesWriter
from schemas.tables import MESSAGES, MOVES, READS, SENDS, SIGHTINGS
from schemas.tables.messages import SEEN

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.engine.model import Engine
    from pipelines.store.files import StoredFile
    from pipelines.store.places import Places
    from pipelines.store.removal import Keeps
    from schemas.tables.message_rows import SeenRow

_TABLES: Final = {table.name: table for table in (SIGHTINGS, MOVES, READS, SENDS)}
SOURCES: Final = tuple(_TABLES)
_CALL_OF_READ: Final = "start_call_uid"
_DENSITY: Final = 8
"""Rows take about so much more memory than their files."""
_SMALL_BYTES: Final = 8 * 1024 * 1024
_TASK_BYTES: Final = 64 * 1024 * 1024


@dataclass(frozen=True)
class Source:
    """A file that tells of messages."""

    stored: StoredFile
    keeps: Keeps | None = None
    """Which of its rows hold; None: all."""
    only: Keeps | None = None
    """Rows of messages that are made again; None: of all."""


def messages_exchange(engine: Engine, sources: Sequence[Source], places: Places) -> Exchange:
    size = sum(one.stored.written.bytes for one in sources) * _DENSITY
    parts = parts_for(size, engine, _SMALL_BYTES, _TASK_BYTES)
    tasks = packed(sources, lambda one: one.stored.written.bytes)
    return Exchange(tasks, _seen, SEEN.arrow, ("message_uid",), ORDER, parts, partial(_messages, places=places))


def _seen(_: str, sources: Sequence[Source]) -> Iterator[pa.RecordBatch]:
    for one in sources:
        for batch in batches_of(one.stored, _TABLES[one.stored.written.table].arrow):
            holding = kept_rows(kept_rows(batch, one.keeps), one.only)
            yield from _as_seen(pa.Table.from_batches([holding])).to_batches()


def _messages(part: str, batches: Iterator[pa.RecordBatch], places: Places) -> Iterator[Any]:
    with TablesWriter({MESSAGES.name: places.table(MESSAGES)}, {MESSAGES.name: MESSAGES.arrow}, part) as writer:
        seen: Iterator[SeenRow] = (row for batch in batches for row in batch.to_pylist())
        for row in merged(seen):
            writer.add_row(MESSAGES.name, row)
        written = writer.close()
    yield from written


def _as_seen(rows: pa.Table) -> pa.Table:
    """Rows of any of these tables as SEEN: moves, reads and sends say nothing of what is in the message."""
    rows = rows.filter(pc.is_valid(rows.column("message_uid")))
    constants = {"operation": "R_MoveMessage", "seen_as": "moved"} if "target_session_uid" in rows.column_names else {}
    if _CALL_OF_READ in rows.column_names:
        rows = rows.filter(pc.is_valid(rows.column(_CALL_OF_READ)))
        rows = rows.append_column("call_uid", rows.column(_CALL_OF_READ))
    columns = []
    for field in SEEN.arrow:
        if field.name in constants:
            column = pa.array([constants[field.name]] * len(rows), field.type)
        elif field.name in ("orig_h", "resp_h"):
            column = pc.struct_field(rows.column("id"), field.name)
        elif field.name in rows.column_names:
            column = rows.column(field.name).cast(field.type)
        else:
            column = pa.nulls(len(rows), field.type)
        columns.append(column)
    return pa.Table.from_arrays(columns, schema=SEEN.arrow)
