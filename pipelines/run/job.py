"""How to run: the same for a run of its own and for one that adds to a dataset; and what it came to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.splits import SPLIT_BYTES
from pipelines.rules.catalogue import SETTINGS
from pipelines.store.writing import write_empty
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from ingest.choice import Choice
    from pipelines.captures.meter import Meter
    from pipelines.engine.model import Engine
    from pipelines.engine.sealed_secrets import Secrets
    from pipelines.rules.engine import Tally
    from pipelines.store.files import StoredFile, WrittenFile
    from pipelines.store.places import Places
    from schemas.tables.captures import CaptureRow


@dataclass(frozen=True)
class Job:
    engine: Engine
    choice: Choice
    root: str
    """Folder below which everything is written."""
    say: Callable[[str], None] = lambda _: None
    measure: Callable[[Meter], None] = lambda _: None
    """Is given what tells how far the stage has come."""
    split_bytes: int = SPLIT_BYTES
    keep_payload: bool = False
    settings: Mapping[str, int] = field(default_factory=lambda: SETTINGS)
    secrets: Secrets | None = None
    """Those that are known, of accounts and services."""
    empty_tables: bool = True
    """A table without rows has a file all the same: readers find its columns there."""


@dataclass(frozen=True)
class RunTotals:
    """What the run came to, for the manifest, the summary and the exit code."""

    captures: list[CaptureRow]
    """Those of this run."""
    row_counts: dict[str, int]
    imbalances: list[str]
    tally: Tally
    """Verdicts of the rules."""
    written: list[WrittenFile]
    kept: list[StoredFile] = field(default_factory=list)
    """Files of the base that stay as they are; all others are written anew or gone."""
    tally_before: Tally = field(default_factory=Counter)

    @property
    def damaged(self) -> bool:
        return any(row["state"] != "complete" for row in self.captures)


def with_empty_tables(
    places: Places, written: list[WrittenFile], kept: Iterable[StoredFile], *, with_files: bool = True
) -> tuple[list[WrittenFile], list[StoredFile], dict[str, int]]:
    """A file for each table that has no rows, and none of earlier runs; and how many rows tables have.

    Tables that are written only with rows have none.
    """
    staying = [file for file in kept if file.written.rows or not file.written.path.startswith("tables/")]
    rows: Counter[str] = Counter({table.name: 0 for table in WRITTEN if not table.only_with_rows})
    for one in (*written, *(file.written for file in staying)):
        if one.path.startswith("tables/"):
            rows[one.table] += one.rows
    empty = [
        write_empty(places.undated(table), table.arrow)
        for table in WRITTEN
        if with_files and not rows[table.name] and not table.only_with_rows
    ]
    kept_written = [one for one in written if one.rows or not one.path.startswith("tables/")]
    return [*kept_written, *empty], staying, dict(rows)
