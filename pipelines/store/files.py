"""One Parquet file: written with its hash and counts, and described by them ever after."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final

import pyarrow as pa
from pyarrow import parquet

from ingest.files import join, open_output, remove_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from schemas.tables.accounting import AccountRow

GROUP_BYTES: Final = 32 * 1024 * 1024
"""Arrow bytes of a row group: what a writer holds of the file it has open."""
COUNTED: Final = {
    "pdus": (("pdus", "fate"),),
    "calls": (("calls", "outcome"), ("decoding", "decode_state")),
}
"""Table to (stage, column) of the accounting: what is written is counted as it is written."""
RemovedCounts = tuple[tuple[tuple[str, str, str], int], ...]
"""Rows that were taken out of files of such tables: (capture_id, stage, counter), how many."""


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """One file, by its path below the folder."""

    table: str
    path: str
    rows: int
    bytes: int
    sha256: str
    counts: list[AccountRow] = field(default_factory=list)
    """What it adds to the accounting."""
    arrow_bytes: int = field(default=0, compare=False)
    """That its rows take in memory; 0: a manifest of an earlier version did not say."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of the folder `root`."""

    root: str
    written: WrittenFile

    @property
    def place(self) -> str:
        return join(self.root, self.written.path)


class FileWriter:
    """One file; `path` is told as it is given, below `root`."""

    def __init__(self, root: str, table: str, path: str, schema: pa.Schema) -> None:
        self._root, self._table, self._path, self._schema = root, table, path, schema
        self._opened: AbstractContextManager[IO[bytes]] = open_output(join(root, path))
        self._sink = _Hashing(self._opened.__enter__())
        self._writer = parquet.ParquetWriter(self._sink, schema, compression="zstd")
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = self._rows = self._arrow_bytes = 0
        self._counts: Counter[tuple[str, str, str]] = Counter()

    def add(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        # nbytes of pyarrow 26 crashes on an empty list without offsets.
        size = batch.get_total_buffer_size()
        self._held_bytes += size
        self._arrow_bytes += size
        self._rows += len(batch)
        for stage, column in COUNTED.get(self._table, ()):
            self._counts.update(count_rows(batch, stage, column))
        if self._held_bytes >= GROUP_BYTES:
            with self._all_or_nothing():
                self._flush()

    def _flush(self) -> None:
        if self._held:
            self._writer.write_table(pa.Table.from_batches(self._held, self._schema))
        self._held, self._held_bytes = [], 0

    @contextlib.contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Close and remove it now: a file that is open takes its room on a full disk even when it is removed."""
        self._sink.deaf = True
        with contextlib.suppress(OSError, _Abandoned):
            self._opened.__exit__(_Abandoned, _Abandoned(), None)

    def close(self, *, keep: bool = True) -> WrittenFile:
        with self._all_or_nothing():
            self._flush()
            self._writer.close()
            self._opened.__exit__(None, None, None)
        if not keep:
            remove_file(join(self._root, self._path))
        counts: list[AccountRow] = [
            {"capture_id": capture, "stage": stage, "counter": counter, "value": value}
            for (capture, stage, counter), value in self._counts.items()
        ]
        digest = self._sink.digest.hexdigest()
        return WrittenFile(self._table, self._path, self._rows, self._sink.size, digest, counts, self._arrow_bytes)


def count_rows(rows: pa.RecordBatch | pa.Table, stage: str, column: str) -> dict[tuple[str, str, str], int]:
    table = rows if isinstance(rows, pa.Table) else pa.Table.from_batches([rows])
    grouped = table.select(["capture_id", column]).group_by(["capture_id", column]).aggregate([([], "count_all")])
    return {(row["capture_id"], stage, row[column]): row["count_all"] for row in grouped.to_pylist()}


class _Abandoned(Exception):
    """Tells the file to remove itself."""


class _Hashing:
    """What Parquet's writer needs of a file, with the hash of all that went through."""

    closed = False
    deaf = False
    """The file is gone, and Parquet's writer would yet like to write the end of it."""

    def __init__(self, sink: IO[bytes]) -> None:
        self._sink = sink
        self.size = 0
        self.digest = hashlib.sha256()

    def write(self, data: Any) -> int:  # noqa: ANN401 - pyarrow hands over buffers of its own
        if self.deaf:
            return len(data)
        self.digest.update(data)
        self._sink.write(data)
        self.size += len(data)
        return len(data)

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        if not self.deaf:
            self._sink.flush()

    def close(self) -> None:
        """The file itself is closed by whoever opened it."""
