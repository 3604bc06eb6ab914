"""Rows to Parquet files below a folder, by the driver or by tasks; what was written is told with its hash."""

from __future__ import annotations

import contextlib
import hashlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from typing import IO, TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.files import join, open_output, remove_file
from schemas.dates import row_dates
from schemas.model import LONG, STRING, ddl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from pyspark.sql import DataFrame

GROUP_BYTES: Final = 32 * 1024 * 1024
"""Arrow bytes of a row group: what a writer holds for each file it has open."""
MAX_OPEN_FILES: Final = 16
"""Dates that one task writes at once; rows come sorted by time, so older ones are done."""
COUNTED: Final = {
    "pdus": (("pdus", "fate"),),
    "calls": (("calls", "outcome"), ("decoding", "decode_state")),
}
"""Table to (stage, column) of the accounting: what is written is counted as it is written."""


@dataclass(frozen=True, slots=True)
class Written:
    """One file, by its path below the folder."""

    table: str
    path: str
    rows: int
    bytes: int
    sha256: str
    counts: list[dict[str, Any]] = field(default_factory=list)
    """capture_id, stage, counter, value."""


_COUNT: Final = pa.struct([("capture_id", STRING), ("stage", STRING), ("counter", STRING), ("value", LONG)])
WRITTEN_FILES: Final = pa.schema(
    [
        ("table", STRING),
        ("path", STRING),
        ("rows", LONG),
        ("bytes", LONG),
        ("sha256", STRING),
        ("counts", pa.list_(_COUNT)),
    ]
)


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where a table goes."""

    root: str
    """Folder below which paths are told."""
    below: str
    """Folder of the table, relative to the root."""
    table: str
    dated_by: str | None = None
    """Column that gives the date partition; None: no partitions."""
    capture_dates: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    """Of file names: runs that add to one folder must not meet."""
    since: str = ""
    """Rows of earlier dates are not written: they were pruned."""


class TableWriter:
    """Batches of one table to as many files as there are dates."""

    def __init__(self, shelf: Shelf, part: str, schema: pa.Schema) -> None:
        self._shelf, self._part, self._schema = shelf, part, schema
        self._open: dict[str, FileWriter] = {}
        self._done: list[Written] = []
        self._times: Counter[str] = Counter()

    def write(self, batch: pa.RecordBatch) -> None:
        with self._all_or_nothing():
            self._write(batch)

    def close(self) -> list[Written]:
        with self._all_or_nothing():
            for name in list(self._open):
                self._finish(name)
        return self._done

    @contextlib.contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            for writer in self._open.values():
                writer.abandon()
            raise

    def _write(self, batch: pa.RecordBatch) -> None:
        shelf = self._shelf
        if shelf.dated_by is None:
            self._file("").add(batch)
            return
        dates = row_dates(batch, shelf.dated_by, shelf.capture_dates)
        for date in sorted(date for date in pc.unique(dates).to_pylist() if date >= shelf.since):
            self._file(f"date={date}").add(batch.filter(pc.equal(dates, date)))

    def _file(self, folder: str) -> FileWriter:
        if folder not in self._open:
            if len(self._open) >= MAX_OPEN_FILES:
                self._finish(next(iter(self._open)))
            self._times[folder] += 1
            again = "" if self._times[folder] == 1 else f"-{self._times[folder]}"
            name = f"{self._shelf.prefix}part-{self._part}{again}.parquet"
            path = "/".join(filter(None, (self._shelf.below, folder, name)))
            self._open[folder] = FileWriter(self._shelf.root, self._shelf.table, path, self._schema)
        return self._open[folder]

    def _finish(self, folder: str) -> None:
        self._done.append(self._open.pop(folder).close())


class FileWriter:
    """One file; `path` is told as it is given, below `root`."""

    def __init__(self, root: str, table: str, path: str, schema: pa.Schema) -> None:
        self._root, self._table, self._path, self._schema = root, table, path, schema
        self._opened: AbstractContextManager[IO[bytes]] = open_output(join(root, path))
        self._sink = _Hashing(self._opened.__enter__())
        self._writer = parquet.ParquetWriter(self._sink, schema, compression="zstd")
        self._held: list[pa.RecordBatch] = []
        self._held_bytes = self._rows = 0
        self._counts: Counter[tuple[Any, str, Any]] = Counter()

    def add(self, batch: pa.RecordBatch) -> None:
        self._held.append(batch)
        # nbytes of pyarrow 26 crashes on an empty list without offsets.
        self._held_bytes += batch.get_total_buffer_size()
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

    def close(self, *, keep: bool = True) -> Written:
        with self._all_or_nothing():
            self._flush()
            self._writer.close()
            self._opened.__exit__(None, None, None)
        if not keep:
            remove_file(join(self._root, self._path))
        counts = [
            {"capture_id": capture, "stage": stage, "counter": counter, "value": value}
            for (capture, stage, counter), value in self._counts.items()
        ]
        return Written(self._table, self._path, self._rows, self._sink.size, self._sink.digest.hexdigest(), counts)


def count_rows(rows: pa.RecordBatch | pa.Table, stage: str, column: str) -> dict[tuple[Any, str, Any], int]:
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


def write_rows(shelf: Shelf, rows: pa.Table, order: Sequence[str] = ()) -> list[Written]:
    """A table that the driver has whole. Without rows it is one file all the same: readers find its columns there."""
    if order:
        # As Spark sorts: null first.
        rows = rows.take(pc.sort_indices(rows, [(key, "ascending", "at_start") for key in order]))
    writer = TableWriter(shelf, "00000", rows.schema)
    for batch in rows.combine_chunks().to_batches():
        writer.write(batch)
    return writer.close()


def write_empty(shelf: Shelf, schema: pa.Schema) -> Written:
    return FileWriter(shelf.root, shelf.table, f"{shelf.below}/{shelf.prefix}part-00000.parquet", schema).close()


def write_frames(found: Mapping[str, tuple[Shelf, DataFrame, Sequence[str], pa.Schema]]) -> list[Written]:
    """All at once, since most are small and a Spark job has its price."""

    def write(name: str) -> list[Written]:
        shelf, frame, order, schema = found[name]
        # Files of a sensible size, sorted inside: sorting across files would compute everything twice.
        ordered = frame.hint("rebalance").sortWithinPartitions(*order) if order else frame
        return told(ordered.mapInArrow(_writing(shelf, schema), ddl(WRITTEN_FILES)).collect())

    if not found:
        return []
    with ThreadPoolExecutor(len(found)) as beside:
        return [one for files in beside.map(write, found) for one in files]


def told(rows: Iterable[Any]) -> list[Written]:
    return [Written(**row.asDict(recursive=True)) for row in rows]


def _writing(shelf: Shelf, schema: pa.Schema) -> Any:  # noqa: ANN401 - what mapInArrow takes
    def run(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext  # noqa: PLC0415 - in a worker

        writer: TableWriter | None = None
        for batch in batches:
            if not len(batch):
                continue
            if writer is None:
                task = TaskContext.get()
                # An attempt that failed, or ran twice, leaves files that nobody tells of.
                part = f"{task.partitionId():05d}-{task.taskAttemptId()}" if task else "00000"
                writer = TableWriter(shelf, part, schema)
            writer.write(batch.cast(schema) if batch.schema != schema else batch)
        if writer is not None:
            files = [asdict(one) for one in writer.close()]
            yield pa.RecordBatch.from_pylist(files, schema=WRITTEN_FILES)

    return run
