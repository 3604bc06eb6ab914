"""What is known of each server, put together: the tables that speak of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from pipelines.knowledge.hosts import host_rows
from pipelines.knowledge.queues import queue_rows
from pipelines.rules.tally import summed, verdict_rows
from schemas.state import HOST_NOTES, QUEUE_NOTES, SUMMARIES, TALLIES
from schemas.tables import HOSTS, QUEUES, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from pipelines.dataset.carried import Carried
    from pipelines.rules.engine import Tally
    from schemas.model import Table

Row = dict[str, Any]
Summaries: TypeAlias = dict[str, list[Row]]
"""Rows of SUMMARIES, by table."""


def none() -> Summaries:
    return {table.name: [] for table in SUMMARIES}


def with_earlier(new: Summaries, carried: Carried, judged: Collection[str]) -> Summaries:
    """With those of servers that were not judged anew."""
    return {
        table.name: [row for row in carried.rows(table) if row["server"] not in judged] + new[table.name]
        for table in SUMMARIES
    }


def tally_of(summaries: Summaries) -> Tally:
    return summed(summaries[TALLIES.name])


def overall(summaries: Summaries) -> Iterator[tuple[Table, list[Row]]]:
    yield VERDICTS, verdict_rows(tally_of(summaries))
    yield HOSTS, host_rows(summaries[HOST_NOTES.name])
    yield QUEUES, queue_rows(summaries[QUEUE_NOTES.name])
