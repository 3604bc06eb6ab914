"""Facts of many servers to rows of sessions, reads, moves and findings, and to summaries. One pass, no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pipelines.facts.model import from_row
from pipelines.knowledge.admin_actions import AdminActions
from pipelines.knowledge.host_notes import HostNotes
from pipelines.knowledge.queue_notes import QueueNotes
from pipelines.rules.catalogue import RULES
from pipelines.rules.engine import Judge
from pipelines.sessions.machine import ServerMachine
from pipelines.sessions.model import Kind
from pipelines.sessions.rows import move_row, read_row, session_row
from pipelines.sessions.steps import MoveStep, ReadStep, SessionStep
from schemas.state import HOST_NOTES, QUEUE_NOTES, TALLIES
from schemas.tables import ADMIN_ACTIONS, FINDINGS, MOVES, READS, SESSIONS

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator, Mapping

    from pipelines.facts.versions import Version
    from pipelines.sessions.steps import Step

Row = dict[str, Any]
ORDER = ("server", "ts_ns", "file", "frame", "place", "uid", "data")
"""How facts are sorted."""


def judged(
    rows: Iterable[Row], versions: Mapping[str, Version], settings: Mapping[str, int]
) -> Iterator[tuple[str, Row]]:
    """(table, row). `rows` are facts sorted by ORDER."""
    server: str | None = None
    case: _Case | None = None
    for row in rows:
        if case is None or row["server"] != server:
            if case is not None:
                yield from case.finish()
            server, case = row["server"], _Case(row["server"], versions, settings)
        yield from case.feed(row)
    if case is not None:
        yield from case.finish()


class _Case:
    """One server."""

    def __init__(self, server: str, versions: Mapping[str, Version], settings: Mapping[str, int]) -> None:
        self._server = server
        self._machine = ServerMachine(versions, settings)
        self._judge = Judge(RULES, settings)
        self._hosts, self._queues, self._actions = HostNotes(server), QueueNotes(server), AdminActions(server)

    def feed(self, row: Row) -> Iterator[tuple[str, Row]]:
        return self._rows(self._machine.feed(from_row(row)))

    def finish(self) -> Iterator[tuple[str, Row]]:
        yield from self._rows(self._machine.finish())
        yield from ((FINDINGS.name, row) for row in self._judge.finish())
        yield from ((TALLIES.name, {"server": self._server, **row}) for row in _tally_rows(self._judge.tally))
        yield from ((HOST_NOTES.name, row) for row in self._hosts.rows())
        yield from ((QUEUE_NOTES.name, row) for row in self._queues.rows())

    def _rows(self, steps: Iterable[Step]) -> Iterator[tuple[str, Row]]:
        for step in steps:
            self._hosts.see(step)
            self._queues.see(step)
            yield from ((ADMIN_ACTIONS.name, row) for row in self._actions.see(step))
            if isinstance(step, SessionStep) and step.session.kind is not Kind.HANDSHAKE:
                yield SESSIONS.name, session_row(step)
            elif isinstance(step, ReadStep):
                yield READS.name, read_row(step)
            elif isinstance(step, MoveStep):
                yield MOVES.name, move_row(step)
            yield from ((FINDINGS.name, row) for row in self._judge.see(step))


def _tally_rows(tally: Counter[tuple[str, str, str | None]]) -> Iterator[Row]:
    for (rule, verdict, reason), count in tally.items():
        yield {"rule_id": rule, "verdict": str(verdict), "reason": reason and str(reason), "count": count}
