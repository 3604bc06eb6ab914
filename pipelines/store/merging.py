"""Small files of one table made one: many tasks leave many, and every reader pays for each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.store.files import FileWriter
from pipelines.store.places import SORT_KEYS
from pipelines.store.reading import batches_of
from schemas.internal import FACTS
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.store.files import Stored, Written

FEW_FILES: Final = 8
"""So many of a table in a folder are no burden. A run on a laptop leaves no more."""
SMALL_BYTES: Final = 8 * 1024 * 1024
"""Arrow bytes of a file that is small."""
MERGED_BYTES: Final = 32 * 1024 * 1024
"""Of the files that become one: their rows are in memory together."""
OPENING_BYTES: Final = 256 * 1024
"""What it costs to open a file, as bytes that could be read instead."""
_SCHEMAS: Final = {table.name: table.arrow for table in (*WRITTEN, FACTS)}


@dataclass(frozen=True, slots=True)
class Merge:
    """Files of one folder that become one."""

    files: tuple[Stored, ...]

    @property
    def cost(self) -> int:
        return sum(file.written.bytes + OPENING_BYTES for file in self.files)


@dataclass(frozen=True, slots=True)
class Merged:
    gone: frozenset[str]
    """Paths of the files whose rows it has."""
    written: Written


def merges(files: Iterable[Stored]) -> list[Merge]:
    """Folder by folder; each up to a size."""
    folders: dict[str, list[Stored]] = {}
    for file in files:
        if file.written.arrow_bytes <= SMALL_BYTES:
            folders.setdefault(file.written.path.rpartition("/")[0], []).append(file)
    return [
        Merge(tuple(group))
        for _, found in sorted(folders.items())
        if len(found) > FEW_FILES
        for group in _groups(sorted(found, key=lambda file: file.written.path))
        if len(group) > 1
    ]


def _groups(files: Sequence[Stored]) -> Iterator[list[Stored]]:
    group: list[Stored] = []
    size = 0
    for file in files:
        if group and size + file.written.arrow_bytes > MERGED_BYTES:
            yield group
            group, size = [], 0
        group.append(file)
        size += file.written.arrow_bytes
    yield group


def merge(one: Merge, root: str, prefix: str, part: str) -> Merged:
    """The rows of all, sorted as in each, hashed and counted."""
    table = one.files[0].written.table
    schema = _SCHEMAS[table]
    rows = pa.Table.from_batches([batch for file in one.files for batch in batches_of(file, schema)], schema)
    if keys := [(name, "ascending", "at_start") for name in SORT_KEYS.get(table, ())]:
        rows = rows.take(pc.sort_indices(rows, keys))
    folder = one.files[0].written.path.rpartition("/")[0]
    writer = FileWriter(root, table, f"{folder}/{prefix}merged-{part}.parquet", schema)
    for batch in rows.combine_chunks().to_batches():
        writer.add(batch)
    return Merged(frozenset(file.written.path for file in one.files), writer.close())


def after(written: Iterable[Written], merged: Iterable[Merged]) -> list[Written]:
    """Files that stay, and those that came in place of others."""
    found = list(merged)
    gone = frozenset().union(*(one.gone for one in found))
    return [*(one for one in written if one.path not in gone), *(one.written for one in found)]
