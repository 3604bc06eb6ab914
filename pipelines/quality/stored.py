"""Tables as they lie in a folder: their files, what the footers say, and single columns of them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.files import files_below, join, open_input

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_READERS: Final = 8


@dataclass(frozen=True)
class Stored:
    """One table."""

    name: str
    folder: str

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Of its files, below it in any depth: a dataset has a folder a date, whose column is in its name only."""
        return {
            join(self.folder, name): size
            for name, size in files_below(self.folder)
            if name.endswith(".parquet") and name.rpartition("/")[2][0] not in "._"
        }

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(self.sizes)

    @cached_property
    def _footers(self) -> tuple[tuple[pa.Schema, int], ...]:
        def footer(file: str) -> tuple[pa.Schema, int]:
            try:
                metadata = parquet.read_metadata(open_input(file))
            except pa.ArrowInvalid:
                # Then every column is missing in it, which is told with the file's name.
                return pa.schema([]), 0
            return metadata.schema.to_arrow_schema(), metadata.num_rows

        with ThreadPoolExecutor(_READERS) as readers:
            return tuple(readers.map(footer, self.files))

    @property
    def schemas(self) -> Iterator[tuple[str, pa.Schema]]:
        """By the file's name below the folder."""
        names = (file.removeprefix(self.folder).lstrip("/") for file in self.files)
        return ((name, schema) for name, (schema, _) in zip(names, self._footers, strict=True))

    @property
    def rows(self) -> int:
        return sum(rows for _, rows in self._footers)

    def read(self, paths: Sequence[str]) -> pa.Table:
        """These columns, members of structures as `id.orig_p`; under their own names."""
        parts = [_flat(_opened(file).read(columns=list(paths)), paths) for file in self.files]
        return pa.concat_tables(parts)

    def among(self, name: str, wanted: pa.Array) -> pa.Array:
        """Those of the wanted values that the column has, file by file."""
        found = [_matching(_opened(file).read(columns=[name])[name], wanted) for file in self.files]
        return pa.concat_arrays(found) if found else wanted[:0]

    def counts(self, names: Sequence[str]) -> Iterator[tuple[tuple[object, ...], int]]:
        """How many rows have which values in these columns, file by file."""
        for file in self.files:
            read = parquet.ParquetFile(open_input(file), read_dictionary=list(names)).read(columns=list(names))
            for row in read.group_by(list(names)).aggregate([([], "count_all")]).to_pylist():
                yield tuple(row[name] for name in names), row["count_all"]


def _opened(file: str) -> parquet.ParquetFile:
    return parquet.ParquetFile(open_input(file))


def _flat(read: pa.Table, paths: Sequence[str]) -> pa.Table:
    def column(path: str) -> pa.ChunkedArray:
        outer, _, member = path.partition(".")
        return pc.struct_field(read[outer], member) if member else read[outer]

    return pa.table({path: column(path) for path in paths})


def _matching(values: pa.ChunkedArray, wanted: pa.Array) -> pa.Array:
    return values.filter(pc.is_in(values, value_set=wanted)).unique()
