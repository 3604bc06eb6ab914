"""The inputs of a run: what each file is, its hash, and which of them are the same."""

from __future__ import annotations

import contextlib
import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ingest.bounds import BOUNDS, Bounds
from ingest.captures import Capture, UnreadableCapture, open_capture
from ingest.files import sha256, stamp_of
from pipelines.engine.model import Exchange, Receipt, packed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pipelines.engine.model import Engine


@dataclass(frozen=True, slots=True)
class Input:
    """One file the user gave."""

    file: int
    path: str
    """As the operating system takes it: bytes that are not UTF-8 are surrogates."""
    size: int
    capture: Capture | None
    problem: UnreadableCapture | None
    stamp: tuple[int, ...] = ()
    """By which a change of the file shows."""

    @property
    def shown_path(self) -> str:
        """For tables and people."""
        return os.fsencode(self.path).decode("utf-8", "backslashreplace")


def take_stock(paths: Sequence[str], bounds: Bounds = BOUNDS) -> list[Input]:
    """Look at the beginning of each file. Ordinals follow the time of the first packet, so that rotated captures keep
    their order whatever their names are: the ordinal decides between packets of the same time.
    """
    found = [(path, *_open(path, bounds)) for path in paths]
    found.sort(key=lambda one: (one[1].first_ts_ns if one[1] else 0, one[0]))
    return [
        Input(file, path, (stamp_of(path) or (0,))[0], capture, problem, stamp_of(path))
        for file, (path, capture, problem) in enumerate(found)
    ]


def changed_since(inputs: Sequence[Input]) -> set[int]:
    """Files that are not as they were when the run began, or not there."""
    return {one.file for one in inputs if stamp_of(one.path) != one.stamp}


def without_lost(inputs: Sequence[Input], digests: dict[int, str]) -> list[Input]:
    """The inputs; those that were captures when the run began, and had no bytes to hash later, are none any more."""
    lost = UnreadableCapture("not-readable", "the file was there when the run began, and could not be read later")
    return [
        replace(one, capture=None, problem=lost) if one.capture and one.file not in digests else one for one in inputs
    ]


def _open(path: str, bounds: Bounds) -> tuple[Capture | None, UnreadableCapture | None]:
    try:
        return open_capture(path, bounds), None
    except UnreadableCapture as problem:
        return None, problem


@dataclass(frozen=True, slots=True)
class KnownCapture:
    """A capture of an earlier run of the dataset."""

    number: int
    """In the order in which captures were added; it stays."""
    capture_id: str
    path: str
    first_ts_ns: int
    untidy: bool
    date: str


@dataclass(frozen=True, slots=True)
class CaptureOrder:
    """All captures of a run and of the runs before it, by ordinal."""

    ids: list[str]
    paths: list[str]
    first_ts_ns: list[int]
    numbers: list[int]
    untidy: frozenset[int]
    """Those of earlier runs."""


def in_order(
    inputs: Sequence[Input], digests: dict[int, str], known: Sequence[KnownCapture]
) -> tuple[list[Input], CaptureOrder]:
    """The inputs with ordinals among all captures."""
    first_number = max((one.number for one in known), default=-1) + 1
    fresh = {one.file: first_number + place for place, one in enumerate(inputs)}
    all_of_them: list[tuple[int, str, Input | KnownCapture]] = [
        *((_first_ts_ns(one), one.shown_path, one) for one in inputs),
        *((one.first_ts_ns, one.path, one) for one in known),
    ]
    all_of_them.sort(key=lambda one: one[:2])
    placed: list[Input] = []
    ids: list[str] = []
    numbers: list[int] = []
    untidy: set[int] = set()
    for file, (_, _, one) in enumerate(all_of_them):
        if isinstance(one, KnownCapture):
            ids.append(one.capture_id)
            numbers.append(one.number)
            untidy.update({file} if one.untidy else ())
        else:
            ids.append(digests.get(one.file, ""))
            numbers.append(fresh[one.file])
            placed.append(replace(one, file=file))
    times, paths = [time for time, _, _ in all_of_them], [path for _, path, _ in all_of_them]
    return placed, CaptureOrder(ids, paths, times, numbers, frozenset(untidy))


def _first_ts_ns(one: Input) -> int:
    return one.capture.first_ts_ns if one.capture else 0


@dataclass(frozen=True, slots=True)
class HashedFile:
    """Of the bytes that a file had when the run began."""

    file: int
    sha256: str
    unchanged: bool


@dataclass(frozen=True, slots=True)
class FileHashes:
    digests: dict[int, str]
    """SHA-256 of every file that can be read at all, of the bytes that were there when the run began."""
    changed: set[int]
    """Files that have more or fewer bytes since."""

    @classmethod
    def of(cls, said: Iterable[HashedFile]) -> FileHashes:
        found = list(said)
        return cls({one.file: one.sha256 for one in found}, {one.file for one in found if not one.unchanged})


def hashed(one: Input) -> Iterator[HashedFile]:
    """Nothing where the file cannot be read."""
    with contextlib.suppress(OSError):
        digest, unchanged = sha256(one.path, one.size)
        yield HashedFile(one.file, digest, unchanged)


def hashes(engine: Engine, inputs: Sequence[Input]) -> FileHashes:
    def read(_: str, items: Sequence[Input]) -> Iterator[Receipt]:
        for one in items:
            yield from map(Receipt, hashed(one))

    return FileHashes.of(engine.run(Exchange(packed(inputs, lambda one: one.size), read)))


def duplicates(inputs: Sequence[Input], digests: dict[int, str]) -> dict[int, int]:
    """Readable capture to the earlier one that has the same bytes."""
    first: dict[str, int] = {}
    same: dict[int, int] = {}
    for one in inputs:
        digest = digests.get(one.file) if one.capture else None
        if digest is not None and first.setdefault(digest, one.file) != one.file:
            same[one.file] = first[digest]
    return same
