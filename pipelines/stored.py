"""Parquet files that runs have written: read again in tasks or here, and written again without some of their rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet

from ingest.containers.model import NO_TIME
from ingest.files import join, open_input
from pipelines.stages.tasks import packed, run_tasks
from pipelines.writing import COUNTED, WRITTEN_FILES, FileWriter, Written, count_rows
from schemas.model import BOOL, LONG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from pyspark.sql import DataFrame, SparkSession

READ_ROWS: Final = 8_192
DRIVER_BYTES: Final = 32 * 1024 * 1024
"""Files up to so many bytes together are handled here: a Spark job takes longer than that is worth."""


@dataclass(frozen=True, slots=True)
class Stored:
    """A file of the folder `root`."""

    root: str
    written: Written

    @property
    def place(self) -> str:
        return join(self.root, self.written.path)


Change: TypeAlias = "Callable[[pa.RecordBatch], pa.RecordBatch]"
Keeps: TypeAlias = "NotAmong | NotIssues | OfKeys"
"""Which rows of a file stay: called with rows that have its `columns`, it answers with a boolean array."""


def batches_of(file: Stored, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    source = open_input(file.place)
    with parquet.ParquetFile(source, read_dictionary=None) as opened:
        for batch in opened.iter_batches(READ_ROWS, columns=schema.names):
            yield batch.select(schema.names).cast(schema)


def read_here(files: Iterable[Stored], schema: pa.Schema, change: Change) -> pa.Table:
    batches = [change(batch) for file in files for batch in batches_of(file, schema)]
    return pa.Table.from_batches(batches, schema)


def read_frame(
    spark: SparkSession,
    files: Sequence[Stored],
    schema: pa.Schema,
    change: Change,
) -> DataFrame:
    def work(file: Stored) -> Iterator[pa.RecordBatch]:
        for batch in batches_of(file, schema):
            if len(kept := change(batch)):
                yield kept

    return run_tasks(spark, packed(files, lambda file: file.written.bytes), work, schema)


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
        head, *rest = self.column.split(".")
        column = rows.column(head)
        if rest:
            column = pc.struct_field(column, rest)
        return pc.invert(pc.is_in(column, value_set=self._set))


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
            kept &= pc.fill_null(rows.column(self.time), NO_TIME).to_numpy() >= self.since_ns[place]
        return pa.array(kept)


@dataclass(frozen=True)
class NotIssues:
    """Rows of `issues` other than those at these places, (capture_id, frame, code), and of these connections."""

    places: frozenset[tuple[str, int, str]]
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
        told = zip(*(rows.column(name).to_pylist() for name in ("capture_id", "frame", "code")), strict=True)
        return pc.and_(kept, pa.array([one not in self.places for one in told], pa.bool_()))


@dataclass(frozen=True, slots=True)
class Thinned:
    """What became of files of which some rows had to go."""

    kept: list[Stored]
    written: list[Written]
    removed_rows: int
    removed: dict[tuple[Any, str, Any], int]
    """Of tables that the accounting counts: (capture_id, stage, counter)."""


_RESULT: Final = pa.schema(
    [
        *(("number", LONG), ("kept", BOOL), ("removed_rows", LONG)),
        *(("written", pa.struct(list(WRITTEN_FILES))), ("removed", WRITTEN_FILES.field("counts").type)),
    ]
)


def thinned(
    spark: SparkSession, files: Sequence[tuple[Stored, Keeps]], root: str, prefix: str, driver_bytes: int = DRIVER_BYTES
) -> Thinned:
    """The files without the rows that must go. Files that lose none stay; others are written anew below `root`."""
    numbered = list(enumerate(files))

    def work(one: tuple[int, tuple[Stored, Keeps]]) -> Iterator[pa.RecordBatch]:
        number, (file, keeps) = one
        yield pa.RecordBatch.from_pylist([_thin(number, file, keeps, root, prefix)], schema=_RESULT)

    if sum(file.written.bytes for file, _ in files) <= driver_bytes:
        rows = [row for one in numbered for batch in work(one) for row in batch.to_pylist()]
    else:
        tasks = packed(numbered, lambda one: one[1][0].written.bytes)
        rows = [row.asDict(recursive=True) for row in run_tasks(spark, tasks, work, _RESULT).collect()]
    removed: dict[tuple[Any, str, Any], int] = {}
    for row in rows:
        for count in row["removed"]:
            place = count["capture_id"], count["stage"], count["counter"]
            removed[place] = removed.get(place, 0) + count["value"]
    return Thinned(
        [files[row["number"]][0] for row in rows if row["kept"]],
        [Written(**row["written"]) for row in rows if row["written"]],
        sum(row["removed_rows"] for row in rows),
        removed,
    )


def _thin(number: int, file: Stored, keeps: Keeps, root: str, prefix: str) -> dict[str, Any]:
    result: dict[str, Any] = {"number": number, "kept": True, "removed_rows": 0, "written": None, "removed": []}
    with parquet.ParquetFile(open_input(file.place)) as opened:
        schema = opened.schema_arrow
        heads = sorted({name.partition(".")[0] for name in keeps.columns})
        staying = sum(int(pc.sum(keeps(part)).as_py() or 0) for part in _parts(opened, heads))
        if staying == file.written.rows:
            return result
        result |= {"kept": False, "removed_rows": file.written.rows - staying}
        folder = file.written.path.rpartition("/")[0]
        writer = FileWriter(
            root, file.written.table, f"{folder}/{prefix}again-{number:05d}{_attempt()}.parquet", schema
        )
        removed: dict[tuple[Any, str, Any], int] = {}
        for part in _parts(opened, None):
            mask = keeps(part)
            gone = part.filter(pc.invert(mask))
            for stage, column in COUNTED.get(file.written.table, ()):
                for place, count in count_rows(gone, stage, column).items():
                    removed[place] = removed.get(place, 0) + count
            for batch in part.filter(mask).to_batches():
                writer.add(batch)
        written = writer.close(keep=staying > 0)
    result["written"] = asdict(written) if staying else None
    result["removed"] = [
        {"capture_id": capture, "stage": stage, "counter": counter, "value": value}
        for (capture, stage, counter), value in removed.items()
    ]
    return result


def _parts(opened: parquet.ParquetFile, columns: list[str] | None) -> Iterator[pa.Table]:
    for batch in opened.iter_batches(READ_ROWS, columns=columns):
        yield pa.Table.from_batches([batch])


def _attempt() -> str:
    """Part of a file's name in a task: an attempt that failed leaves a file that nobody tells of."""
    from pyspark import TaskContext  # noqa: PLC0415

    task = TaskContext.get()
    return f"-{task.taskAttemptId()}" if task else ""
