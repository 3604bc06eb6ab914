"""What must go, or is wanted, of files, listed by tasks: where it may be too much for the driver to hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.files import open_input
from pipelines.store.alignment import column_of
from pipelines.store.files import StoredFile
from pipelines.store.tables_writer import TablesWriter
from schemas.internal import LISTED
from schemas.model import STRING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.store.files import WrittenFile
    from pipelines.store.places import Places


@dataclass(frozen=True)
class Listing:
    """What a task wrote."""

    files: list[WrittenFile]
    numbers: frozenset[int]
    """Of the files of which it lists something."""


@dataclass(frozen=True)
class Lists:
    """What all tasks wrote."""

    files: tuple[StoredFile, ...] = ()
    numbers: frozenset[int] = field(default_factory=frozenset)

    @classmethod
    def of(cls, listings: Iterable[Listing], root: str) -> Lists:
        found = list(listings)
        files = tuple(StoredFile(root, file) for one in found for file in one.files)
        return cls(files, frozenset().union(*(one.numbers for one in found)))

    def others(self, column: str, number: int) -> NotListed | None:
        """Rows of a file that are not listed; None: of this file nothing is."""
        return NotListed(column, number, self.files) if number in self.numbers else None


def write_list(part: str, listed: Iterable[tuple[str, int]], places: Places) -> Listing:
    """`listed`: values, each with the number of a file."""
    numbers: set[int] = set()
    with TablesWriter({LISTED.name: places.exchange(LISTED)}, {LISTED.name: LISTED.arrow}, part) as writer:
        for value, number in listed:
            numbers.add(number)
            writer.add_row(LISTED.name, {"number": number, "value": value})
        return Listing(writer.close(), frozenset(numbers))


@dataclass(frozen=True)
class NotListed:
    """Rows of one file whose column has no value that is listed for it. Whoever asks holds no more than its share."""

    column: str
    number: int
    """Of the file, in the lists."""
    lists: tuple[StoredFile, ...]
    """Files of LISTED, sorted as such."""

    @property
    def columns(self) -> tuple[str, ...]:
        return (self.column,)

    @cached_property
    def _set(self) -> Any:  # noqa: ANN401 - an array of pyarrow's
        return pa.concat_arrays([pa.array([], STRING), *(part for one in self.lists for part in self._listed(one))])

    def _listed(self, file: StoredFile) -> list[pa.Array]:
        with parquet.ParquetFile(open_input(file.place)) as opened:
            groups = [number for number in range(opened.num_row_groups) if self._may_be_in(opened, number)]
            return [
                batch.column("value").filter(pc.equal(batch.column("number"), self.number))
                for batch in opened.iter_batches(row_groups=groups, columns=LISTED.names)
            ]

    def _may_be_in(self, opened: parquet.ParquetFile, group: int) -> bool:
        bounds = opened.metadata.row_group(group).column(LISTED.names.index("number")).statistics
        return bounds is None or not bounds.has_min_max or bounds.min <= self.number <= bounds.max

    def __call__(self, rows: pa.Table) -> Any:  # noqa: ANN401
        return pc.invert(pc.is_in(column_of(rows, self.column, STRING), value_set=self._set))
