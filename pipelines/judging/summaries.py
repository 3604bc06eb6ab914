"""What is known of each server, put together: the tables that speak of all of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipelines.knowledge.hosts import host_rows
from pipelines.knowledge.queues import queue_rows
from pipelines.rules.tally import summed, verdict_rows
from schemas.state import HOST_NOTES, QUEUE_NOTES, TALLIES
from schemas.tables import HOSTS, QUEUES, VERDICTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from pipelines.rules.engine import Tally
    from schemas.model import AnyRow, Table
    from schemas.state import HostNoteRow, QueueNoteRow, TallyRow


@dataclass(frozen=True)
class Summaries:
    """Rows of SUMMARIES."""

    tallies: list[TallyRow] = field(default_factory=list)
    host_notes: list[HostNoteRow] = field(default_factory=list)
    queue_notes: list[QueueNoteRow] = field(default_factory=list)

    def add(self, more: Summaries) -> None:
        self.tallies.extend(more.tallies)
        self.host_notes.extend(more.host_notes)
        self.queue_notes.extend(more.queue_notes)

    def with_earlier(self, earlier: Summaries, judged: Collection[str]) -> Summaries:
        """With those of servers that were not judged anew."""
        found = Summaries(
            [row for row in earlier.tallies if row["server"] not in judged],
            [row for row in earlier.host_notes if row["server"] not in judged],
            [row for row in earlier.queue_notes if row["server"] not in judged],
        )
        found.add(self)
        return found

    @property
    def tally(self) -> Tally:
        return summed(self.tallies)

    @property
    def by_table(self) -> dict[Table, Sequence[AnyRow]]:
        return {TALLIES: self.tallies, HOST_NOTES: self.host_notes, QUEUE_NOTES: self.queue_notes}

    def overall(self) -> Iterator[tuple[Table, Sequence[AnyRow]]]:
        """Rows of the tables that speak of all servers."""
        yield VERDICTS, verdict_rows(self.tally)
        yield HOSTS, host_rows(self.host_notes)
        yield QUEUES, queue_rows(self.queue_notes)
