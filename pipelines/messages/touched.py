"""Messages of which something is said anew, or no longer: found out by tasks, since these may be all of a dataset.

The driver gets files of lists: which messages to look for in which file of the base.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.engine.model import Exchange, packed, parts_for
from pipelines.store.lists import Lists, write_list
from pipelines.store.reading import batches_of
from pipelines.store.removal import kept_rows
from schemas.model import BOOL, INT, STRING
from schemas.tables import MESSAGES, MOVES, READS, SENDS, SIGHTINGS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.engine.model import Engine
    from pipelines.store.files import StoredFile
    from pipelines.store.lists import Listing
    from pipelines.store.places import Places
    from pipelines.store.removal import Held, Keeps

_UID: Final = "message_uid"
_TOLD: Final = pa.schema([(_UID, STRING), ("number", INT), ("goes", BOOL)])
_NEW, _GONE = -1, -2
"""In place of the number of a file: of this run, or of the base and nothing of it stays."""
_SCHEMAS: Final = {table.name: table.arrow for table in (MESSAGES, SIGHTINGS, MOVES, READS, SENDS)}
_SMALL_BYTES: Final = 2 * 1024 * 1024
_TASK_BYTES: Final = 32 * 1024 * 1024


@dataclass(frozen=True)
class Touched:
    numbers: dict[str, int] = field(default_factory=dict)
    """Of the files of the base, by path."""
    lists: Lists = field(default_factory=Lists)

    def others(self, file: StoredFile) -> Keeps | None:
        """Rows of messages that are not touched; None: of this file none is."""
        return self.lists.others(_UID, self.numbers.get(file.written.path, _NEW))


@dataclass(frozen=True, slots=True)
class _Item:
    file: StoredFile
    keeps: Keeps | None
    number: int


def touched_messages(
    engine: Engine,
    new: Sequence[Held],
    earlier: Sequence[Held],
    gone: Sequence[StoredFile],
    messages: Sequence[StoredFile],
    places: Places,
) -> Touched:
    """`new`, `earlier`: files that tell of messages, of this run and of the base. Of those `gone` nothing stays.

    Where nothing can have changed nothing is read.
    """
    files = [*earlier, *((file, None) for file in messages)]
    if not files or not (new or gone or any(keeps is not None for _, keeps in earlier)):
        return Touched()
    items = [_Item(file, keeps, number) for number, (file, keeps) in enumerate(files)]
    items += [_Item(file, keeps, _NEW) for file, keeps in new]
    items += [_Item(file, None, _GONE) for file in gone]
    # A name of a message and a number is all that travels.
    size = sum(item.file.written.rows for item in items) * 64
    exchange = Exchange(
        packed(items, lambda item: item.file.written.bytes),
        _told,
        _TOLD,
        (_UID,),
        ("number",),
        parts_for(size, engine, _SMALL_BYTES, _TASK_BYTES),
        partial(_listed, places=places),
    )
    numbers = {file.written.path: number for number, (file, _) in enumerate(files)}
    return Touched(numbers, Lists.of(engine.run(exchange), places.root))


def _told(_: str, items: Sequence[_Item]) -> Iterator[pa.RecordBatch]:
    for one in items:
        declared = _SCHEMAS[one.file.written.table]
        heads = dict.fromkeys(name.partition(".")[0] for name in (_UID, *(one.keeps.columns if one.keeps else ())))
        for batch in batches_of(one.file, pa.schema([declared.field(name) for name in heads])):
            if one.number == _NEW:
                # What does not hold of this run was never said.
                batch = kept_rows(batch, one.keeps)
            goes = _goes(batch, one)
            told = pa.table({_UID: batch.column(_UID), "goes": goes}).filter(pc.is_valid(batch.column(_UID)))
            grouped = told.group_by([_UID]).aggregate([("goes", "max")])
            number = pa.repeat(pa.scalar(one.number, INT), len(grouped))
            columns = (grouped.column(_UID), number, grouped.column("goes_max"))
            yield from pa.table(list(columns), schema=_TOLD).to_batches()


def _goes(batch: pa.RecordBatch, one: _Item) -> Any:  # noqa: ANN401 - a mask of pyarrow's
    if one.number < 0 or one.keeps is None:
        return pa.repeat(pa.scalar(one.number == _GONE), len(batch))
    return pc.invert(one.keeps(pa.Table.from_batches([batch])))


def _listed(part: str, batches: Iterator[pa.RecordBatch], places: Places) -> Iterator[Listing]:
    rows = (row for batch in batches for row in batch.to_pylist())
    yield write_list(f"messages-{part}", _touched(rows), places)


def _touched(rows: Iterator[dict[str, Any]]) -> Iterator[tuple[str, int]]:
    """Messages that the base knows, and of which something goes or something new is said."""
    for uid, told in groupby(rows, itemgetter(_UID)):
        of_it = list(told)
        if any(row["goes"] or row["number"] == _NEW for row in of_it):
            yield from ((uid, number) for number in {row["number"] for row in of_it} if number >= 0)
