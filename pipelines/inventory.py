"""The inputs of a run: what each file is, its hash, and which of them are the same."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from ingest.captures import Capture, UnreadableCapture, open_capture
from ingest.files import sha256
from pipelines.stages.tasks import packed, run_tasks
from schemas.model import BOOL, INT, STRING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pyspark.sql import SparkSession

_HASHES = pa.schema([pa.field("file", INT), pa.field("sha256", STRING), pa.field("unchanged", BOOL)])


@dataclass(frozen=True, slots=True)
class Input:
    """One file the user gave."""

    file: int
    path: str
    """As the operating system takes it: bytes that are not UTF-8 are surrogates."""
    size: int
    capture: Capture | None
    problem: UnreadableCapture | None

    @property
    def shown_path(self) -> str:
        """For tables and people."""
        return os.fsencode(self.path).decode("utf-8", "backslashreplace")


def take_stock(paths: Sequence[str]) -> list[Input]:
    """Look at the beginning of each file. Ordinals follow the time of the first packet, so that rotated captures keep
    their order whatever their names are: the ordinal decides between packets of the same time.
    """
    found = [(path, *_open(path)) for path in paths]
    found.sort(key=lambda one: (one[1].first_ts_ns if one[1] else 0, one[0]))
    return [Input(file, path, _size(path), capture, problem) for file, (path, capture, problem) in enumerate(found)]


def _open(path: str) -> tuple[Capture | None, UnreadableCapture | None]:
    try:
        return open_capture(path), None
    except UnreadableCapture as problem:
        return None, problem


def _size(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class Hashes:
    digests: dict[int, str]
    """SHA-256 of every file that can be read at all, of the bytes that were there when the run began."""
    changed: set[int]
    """Files that have more or fewer bytes since."""


def hashes(spark: SparkSession, inputs: Sequence[Input]) -> Hashes:

    def work(one: Input) -> Iterator[pa.RecordBatch]:
        try:
            digest, unchanged = sha256(one.path, one.size)
        except OSError:
            return
        row = {"file": one.file, "sha256": digest, "unchanged": unchanged}
        yield pa.RecordBatch.from_pylist([row], schema=_HASHES)

    rows = run_tasks(spark, packed(inputs, lambda one: one.size), work, _HASHES).collect()
    return Hashes({row.file: row.sha256 for row in rows}, {row.file for row in rows if not row.unchanged})


def duplicates(inputs: Sequence[Input], digests: dict[int, str]) -> dict[int, int]:
    """Readable capture to the earlier one that has the same bytes."""
    first: dict[str, int] = {}
    same: dict[int, int] = {}
    for one in inputs:
        digest = digests.get(one.file) if one.capture else None
        if digest is not None and first.setdefault(digest, one.file) != one.file:
            same[one.file] = first[digest]
    return same
