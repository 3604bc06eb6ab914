"""The dataset that a run starts from, and what the run makes of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipelines.analyze import Finished
from pipelines.tables import write_empty_tables
from schemas.tables import WRITTEN

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.rules.engine import Tally
    from pipelines.shelves import Shelves
    from pipelines.stored import Stored
    from pipelines.writing import Written

Row = dict[str, Any]


@dataclass(frozen=True)
class Base:
    """The dataset as the last run left it."""

    tables: Mapping[str, list[Stored]] = field(default_factory=dict)
    state: Mapping[str, list[Stored]] = field(default_factory=dict)
    run: int = 0
    pruned_before: str = ""
    """Date before which nothing is kept."""

    @property
    def prefix(self) -> str:
        """Of the files that the next run writes."""
        return f"r{self.run + 1:06d}-"


@dataclass(frozen=True)
class Extended:
    finished: Finished
    kept: list[Stored]
    """Files of the base that stay as they are; all others are written anew or gone."""
    tally_before: Tally


def extended(
    shelves: Shelves,
    captures: list[Row],
    imbalances: list[str],
    tally: Tally,
    tally_before: Tally,
    written: list[Written],
    staying: list[Stored],
) -> Extended:
    """With a file for each table that has no rows, and without such files of earlier runs."""
    of_tables = [*written, *(file.written for file in staying)]
    with_rows = [one for one in of_tables if one.path.startswith("tables/") and one.rows]
    written = [*written, *write_empty_tables(shelves, with_rows)]
    staying = [file for file in staying if file.written.rows or not file.written.path.startswith("tables/")]
    row_counts = Counter({table.name: 0 for table in WRITTEN})
    for one in with_rows:
        row_counts[one.table] += one.rows
    return Extended(Finished(captures, dict(row_counts), imbalances, tally, written), staying, tally_before)
