"""Rows of `issues` from the scan and from decoding, brought together: a bound on how many of a kind are listed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from ingest.scan import MAX_ISSUES_OF_A_KIND
from pipelines.captures.scan import ExchangeFile, counted_rows
from pipelines.engine.model import Exchange, packed
from pipelines.store.reading import batches_of
from pipelines.store.removal import kept_rows
from pipelines.store.tables_writer import TablesWriter
from schemas.internal import SCAN_ISSUES
from schemas.tables import ISSUES
from schemas.tables.issues import issue_row

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from pipelines.captures.frames import FramePlaces
    from pipelines.captures.scan import Scan
    from pipelines.store.files import StoredFile
    from pipelines.store.places import Places
    from pipelines.store.removal import Keeps
    from schemas.tables.issues import IssueRow

_KIND: Final = ("path", "code", "capture_id")
_ORDER: Final = ("frame", "offset", "detail", "uid", "call_uid")
_ONCE_PER_INTERFACE: Final = ("unsupported-link-type", "undeclared-interface")
_ONCE_PER_CAPTURE: Final = ("record-beyond-snap-length",)
"""Each split meets these anew; one row is enough."""


@dataclass(frozen=True)
class IssueFile:
    stored: StoredFile
    keeps: Keeps | None = None


def issues_exchange(
    scan: Scan,
    frames: FramePlaces,
    decoded: Sequence[tuple[StoredFile, Keeps | None]],
    ids: Sequence[str],
    paths: Sequence[str],
    places: Places,
) -> Exchange:
    files: list[ExchangeFile | IssueFile] = [*scan.files.get(SCAN_ISSUES.name, ())]
    files += [IssueFile(*one) for one in decoded]
    unlisted: Counter[tuple[str, str]] = Counter()
    for (file, code), more in scan.unlisted.items():
        if file not in scan.ignored:
            unlisted[paths[file], code] += more
    read = partial(_issues, frames=frames, ignored=scan.ignored, ids=ids, paths=paths)
    tasks = packed(files, lambda one: one.stored.written.bytes)
    work = partial(_bounded_part, places=places, unlisted=unlisted)
    return Exchange(tasks, read, ISSUES.arrow, _KIND, _ORDER, 1, work)


def _issues(
    _: str,
    files: Sequence[ExchangeFile | IssueFile],
    frames: FramePlaces,
    ignored: frozenset[int],
    ids: Sequence[str],
    paths: Sequence[str],
) -> Iterator[pa.RecordBatch]:
    for one in files:
        if isinstance(one, IssueFile):
            for batch in batches_of(one.stored, ISSUES.arrow):
                yield kept_rows(batch, one.keeps)
            continue
        for batch in batches_of(one.stored, SCAN_ISSUES.arrow):
            rows = frames.placed(counted_rows(batch, one.splits, ignored))
            files_of = rows.column("file").to_pylist()
            known = {
                "capture_id": pa.array([ids[file] for file in files_of], pa.string()),
                "path": pa.array([paths[file] for file in files_of], pa.string()),
                **{name: rows.column(name) for name in ("code", "detail", "frame", "offset")},
            }
            columns = [known.get(field.name, pa.nulls(len(rows), field.type)) for field in ISSUES.arrow]
            yield pa.RecordBatch.from_arrays(columns, schema=ISSUES.arrow)


def _bounded_part(
    part: str, batches: Iterator[pa.RecordBatch], places: Places, unlisted: Mapping[tuple[str, str], int]
) -> Iterator[Any]:
    with TablesWriter({ISSUES.name: places.table(ISSUES)}, {ISSUES.name: ISSUES.arrow}, part) as writer:
        for row in bounded((row for batch in batches for row in batch.to_pylist()), unlisted):
            writer.add_row(ISSUES.name, row)
        written = writer.close()
    yield from written


def bounded(rows: Iterable[IssueRow], unlisted: Mapping[tuple[str, str], int]) -> Iterator[IssueRow]:
    """The first of each kind and capture; a row says how many more there are."""
    for (path, code, capture_id), group in groupby(rows, key=itemgetter(*_KIND)):
        more = unlisted.get((path, code), 0)
        for number, row in enumerate(_once(code, group)):
            if number < MAX_ISSUES_OF_A_KIND:
                yield row
            else:
                more += 1
        if more:
            detail = f"{more} more of this kind are not listed"
            yield issue_row(code, detail, capture_id=capture_id, path=path)


def _once(code: str, rows: Iterator[IssueRow]) -> Iterator[IssueRow]:
    if code not in (*_ONCE_PER_INTERFACE, *_ONCE_PER_CAPTURE):
        yield from rows
        return
    told: set[str] = set()
    for row in rows:
        what = row["detail"] if code in _ONCE_PER_INTERFACE else code
        if what not in told:
            told.add(what)
            yield row
