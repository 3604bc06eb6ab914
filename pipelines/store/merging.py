"""Small files of one table made one: many tasks and many runs leave many, and every reader pays for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.files import open_input
from pipelines.store.files import FileWriter, RemovedCounts
from pipelines.store.places import SORT_KEYS
from pipelines.store.reading import READ_ROWS
from pipelines.store.removal import Removal, RemovalResult, count_gone, remove_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.store.files import WrittenFile
    from pipelines.store.removal import Held

FEW_FILES: Final = 8
"""So many of a table in a folder are no burden. A run on a laptop leaves no more."""
SMALL_BYTES: Final = 8 * 1024 * 1024
"""Arrow bytes of a file that is small. A larger one is never merged again: what a night costs does not grow."""
MERGED_BYTES: Final = 32 * 1024 * 1024
"""Of the files that become one: their rows are in memory together."""
OPENING_BYTES: Final = 256 * 1024
"""What it costs to open a file, as bytes that could be read instead."""
_DENSITY: Final = 8
"""Rows take about so much more memory than their file: of files whose manifest does not say how much."""


@dataclass(frozen=True, slots=True)
class Merge:
    """Files of one folder that become one, with what holds of each."""

    files: tuple[Held, ...]

    @property
    def cost(self) -> int:
        return sum(file.written.bytes + OPENING_BYTES for file, _ in self.files)


@dataclass(frozen=True, slots=True)
class MergeResult:
    gone: frozenset[str]
    """Paths of the files whose rows it has."""
    written: WrittenFile | None
    """None: no row is left."""
    went: RemovedCounts
    """What did not hold any more."""


def merges(files: Iterable[Held]) -> list[Merge]:
    """Folder by folder; each up to a size."""
    folders: dict[str, list[Held]] = {}
    for one in files:
        if one[0].written.rows and _size(one) <= SMALL_BYTES:
            folders.setdefault(_folder(one), []).append(one)
    return [
        Merge(tuple(group))
        for _, found in sorted(folders.items())
        if len(found) > FEW_FILES
        for group in _groups(sorted(found, key=lambda one: one[0].written.path))
        if len(group) > 1
    ]


def _size(one: Held) -> int:
    written = one[0].written
    return written.arrow_bytes or written.bytes * _DENSITY


def _folder(one: Held) -> str:
    return one[0].written.path.rpartition("/")[0]


def _groups(files: Sequence[Held]) -> Iterator[list[Held]]:
    group: list[Held] = []
    size = 0
    for one in files:
        if group and size + _size(one) > MERGED_BYTES:
            yield group
            group, size = [], 0
        group.append(one)
        size += _size(one)
    yield group


def merge(one: Merge, root: str, prefix: str, part: str) -> Iterator[MergeResult | RemovalResult]:
    """The rows of all that hold, sorted as in each, hashed and counted.

    Files of different versions stay apart: a file that is written again keeps the columns it has.
    """
    for number, (schema, files) in enumerate(_alike(one.files)):
        name = f"{part}-{number}"
        if len(files) > 1:
            yield _merged(files, schema, root, f"{_folder(files[0])}/{prefix}merged-{name}.parquet")
            continue
        ((file, keeps),) = files
        yield RemovalResult(file, kept=True) if keeps is None else remove_rows(Removal(file, keeps), root, prefix, name)


def _alike(files: Sequence[Held]) -> list[tuple[pa.Schema, list[Held]]]:
    """By the columns they have."""
    found: list[tuple[pa.Schema, list[Held]]] = []
    for one in files:
        schema = parquet.read_schema(open_input(one[0].place)).remove_metadata()
        same = next((group for other, group in found if other.equals(schema)), None)
        if same is None:
            found.append((schema, [one]))
        else:
            same.append(one)
    return found


def _merged(files: Sequence[Held], schema: pa.Schema, root: str, path: str) -> MergeResult:
    table = files[0][0].written.table
    went: dict[tuple[str, str, str], int] = {}
    rows = pa.concat_tables([_holding(one, schema, went) for one in files])
    if keys := [(name, "ascending", "at_start") for name in SORT_KEYS.get(table, ()) if name in schema.names]:
        rows = rows.take(pc.sort_indices(rows, keys))
    gone = frozenset(file.written.path for file, _ in files)
    if not len(rows):
        return MergeResult(gone, None, tuple(went.items()))
    writer = FileWriter(root, table, path, schema)
    for batch in rows.combine_chunks().to_batches():
        writer.add(batch)
    return MergeResult(gone, writer.close(), tuple(went.items()))


def _holding(one: Held, schema: pa.Schema, went: dict[tuple[str, str, str], int]) -> pa.Table:
    file, keeps = one
    with parquet.ParquetFile(open_input(file.place)) as opened:
        rows = pa.Table.from_batches(list(opened.iter_batches(READ_ROWS)), schema)
    if keeps is None:
        return rows
    mask = keeps(rows)
    count_gone(rows.filter(pc.invert(mask)), file.written.table, went)
    return rows.filter(mask)
