"""Files of which some rows must go: they are written again without them, or read as if they were."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.files import open_input
from pipelines.store.alignment import batches_there, column_of
from pipelines.store.files import COUNTED, FileWriter, count_rows
from pipelines.store.reading import READ_ROWS
from schemas.model import LONG, STRING
from schemas.times import NO_TIME

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.store.files import RemovedCounts, StoredFile, WrittenFile
    from pipelines.store.lists import NotListed

Keeps: TypeAlias = "NotAmong | NotIssues | NotListed | NotSighted | OfKeys | Without"
"""Which rows of a file stay: called with rows that have its `columns`, it answers with a boolean array."""
Held: TypeAlias = "tuple[StoredFile, Keeps | None]"
"""A file, and which of its rows hold; None: all."""


@dataclass(frozen=True)
class NotAmong:
    """Rows whose column has none of these values."""

    column: str
    values: frozenset[str]

    @cached_property
    def _set(self) -> Any:  # noqa: ANN401 - an array of pyarrow's
        return pa.array(sorted(self.values), pa.string())

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    def __call__(self, rows: pa.Table) -> Any:  # noqa: ANN401
        return pc.invert(pc.is_in(column_of(rows, self.column, STRING), value_set=self._set))


@dataclass(frozen=True)
class NotSighted:
    """Sightings of messages other than those in calls of these connections, and those by objects of these servers."""

    connections: NotAmong
    servers: NotAmong
    of_objects: str = "object_uid"

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.connections.columns, *self.servers.columns, self.of_objects)

    def __call__(self, rows: pa.Table) -> Any:  # noqa: ANN401
        elsewhere = pc.is_null(column_of(rows, self.of_objects, STRING))
        # Those of objects are told anew whenever their server is judged, whatever became of their connection.
        return pc.if_else(elsewhere, self.connections(rows), self.servers(rows))


@dataclass(frozen=True, slots=True)
class OfKeys:
    """Rows of these conversations, from a time on."""

    keys: Any
    """Sorted int64."""
    since_ns: Any
    """For each key."""
    time: str = ""
    """Column that is compared with it; none where conversations are kept or dropped whole."""

    @property
    def columns(self) -> tuple[str, ...]:
        return ("key", self.time) if self.time else ("key",)

    def __call__(self, rows: pa.Table) -> Any:  # noqa: ANN401
        keys = rows.column("key").to_numpy()
        if not len(self.keys):
            return pa.array(np.zeros(len(keys), np.bool_))
        place = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        kept = self.keys[place] == keys
        if self.time:
            kept &= pc.fill_null(column_of(rows, self.time, LONG), NO_TIME).to_numpy() >= self.since_ns[place]
        return pa.array(kept)


@dataclass(frozen=True)
class NotIssues:
    """Rows of `issues` other than those at these places, (capture_id, frame, code), and of these connections."""

    places: frozenset[tuple[str, int | None, str]]
    uids: frozenset[str]

    @property
    def columns(self) -> tuple[str, ...]:
        return ("capture_id", "frame", "code", "uid")

    @cached_property
    def _of_others(self) -> NotAmong:
        return NotAmong("uid", self.uids)

    def __call__(self, rows: pa.Table) -> Any:  # noqa: ANN401
        kept = self._of_others(rows)
        if not self.places:
            return kept
        told = zip(*(column_of(rows, name, None).to_pylist() for name in self.columns[:3]), strict=True)
        return pc.and_(kept, pa.array([one not in self.places for one in told], pa.bool_()))


@dataclass(frozen=True, slots=True)
class Without:
    """The other rows."""

    kept: Keeps

    @property
    def columns(self) -> tuple[str, ...]:
        return self.kept.columns

    def __call__(self, rows: pa.Table) -> Any:  # noqa: ANN401
        return pc.invert(self.kept(rows))


@dataclass(frozen=True, slots=True)
class Removal:
    """Rows to take out of a file."""

    file: StoredFile
    keeps: Keeps


@dataclass(frozen=True, slots=True)
class RemovalResult:
    """What became of a file: it stays as it is, or is written again, or nothing is left of it."""

    file: StoredFile
    kept: bool
    written: WrittenFile | None = None
    went: RemovedCounts = ()


def kept_rows(batch: pa.RecordBatch, keeps: Keeps | None) -> pa.RecordBatch:
    if keeps is None:
        return batch
    return batch.filter(_flat(keeps(pa.Table.from_batches([batch]))))


def _flat(mask: Any) -> Any:  # noqa: ANN401 - pyarrow's, whole or in chunks
    return mask.combine_chunks() if isinstance(mask, pa.ChunkedArray) else mask


def remove_rows(removal: Removal, root: str, prefix: str, part: str) -> RemovalResult:
    """Files that lose none stay; others are written anew below `root`."""
    file, keeps = removal.file, removal.keeps
    with parquet.ParquetFile(open_input(file.place)) as opened:
        schema = opened.schema_arrow
        staying = sum(int(pc.sum(keeps(rows)).as_py() or 0) for rows in _parts(opened, keeps.columns))
        if staying == file.written.rows:
            return RemovalResult(file, kept=True)
        folder = file.written.path.rpartition("/")[0]
        writer = FileWriter(root, file.written.table, f"{folder}/{prefix}again-{part}.parquet", schema)
        went: dict[tuple[str, str, str], int] = {}
        # All of its columns, also those that are of another version than this.
        for rows in _parts(opened, schema.names):
            mask = keeps(rows)
            count_gone(rows.filter(pc.invert(mask)), file.written.table, went)
            for batch in rows.filter(mask).to_batches():
                writer.add(batch)
        written = writer.close(keep=staying > 0)
    return RemovalResult(file, kept=False, written=written if staying else None, went=tuple(went.items()))


def count_gone(rows: pa.Table, table: str, went: dict[tuple[str, str, str], int]) -> None:
    """Add what the accounting counts of rows that go."""
    for stage, column in COUNTED.get(table, ()):
        for place, count in count_rows(rows, stage, column).items():
            went[place] = went.get(place, 0) + count


def removals(part: str, items: Iterable[Removal], root: str, prefix: str) -> Iterator[RemovalResult]:
    """One after the other, in a task or here."""
    for number, removal in enumerate(items):
        yield remove_rows(removal, root, prefix, f"{part}-{number}")


def _parts(opened: parquet.ParquetFile, columns: Sequence[str]) -> Iterator[pa.Table]:
    return (pa.Table.from_batches([batch]) for batch in batches_there(opened, columns, READ_ROWS))
