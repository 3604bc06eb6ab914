"""Rows of one table to files: sorted, and in folders by date where the place says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from pipelines.store.files import FileWriter
from schemas.dates import row_dates

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipelines.store.files import WrittenFile
    from pipelines.store.places import Place


def write_rows(place: Place, rows: pa.Table, order: Sequence[str] = (), part: str = "00000") -> list[WrittenFile]:
    """A file, or one a date."""
    if order:
        # As Spark sorts: null first.
        rows = rows.take(pc.sort_indices(rows, [(key, "ascending", "at_start") for key in order]))
    return [_file(place, part, folder, some) for folder, some in _by_date(place, rows)]


def write_batches(place: Place, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> list[WrittenFile]:
    """As they come, into one file; none where there is nothing."""
    writer: FileWriter | None = None
    for batch in batches:
        if len(batch):
            writer = writer or FileWriter(place.root, place.table, place.path("00000"), schema)
            writer.add(batch)
    return [writer.close()] if writer is not None else []


def write_empty(place: Place, schema: pa.Schema) -> WrittenFile:
    return FileWriter(place.root, place.table, place.path("00000"), schema).close()


def _by_date(place: Place, rows: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    if place.dated_by is None:
        yield "", rows
        return
    dates = row_dates(rows, place.dated_by, place.capture_dates)
    for date in sorted(date for date in pc.unique(dates).to_pylist() if date >= place.since):
        yield f"date={date}", rows.filter(pc.equal(dates, date))


def _file(place: Place, part: str, folder: str, rows: pa.Table) -> WrittenFile:
    writer = FileWriter(place.root, place.table, place.path(part, folder), rows.schema)
    for batch in rows.combine_chunks().to_batches():
        writer.add(batch)
    return writer.close()
