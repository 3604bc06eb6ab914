"""Facts of many servers to rows of sessions, reads, moves and findings, and to summaries. One pass, no Spark."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipelines.facts.model import from_row
from pipelines.knowledge.admin_actions import AdminActions
from pipelines.knowledge.host_notes import HostNotes
from pipelines.knowledge.queue_notes import QueueNotes
from pipelines.rules.catalogue import RULES
from pipelines.rules.engine import Judge
from pipelines.rules.findings import opened_queue
from pipelines.sessions.act_rows import move_row, rejection_row, send_row, unit_row
from pipelines.sessions.acts import MoveStep, RejectStep, SendStep
from pipelines.sessions.held import Held, renamed
from pipelines.sessions.machine import ServerMachine
from pipelines.sessions.model import Kind
from pipelines.sessions.rows import read_row, session_row
from pipelines.sessions.steps import ReadStep, SessionStep, UnitStep
from schemas.state import HOST_NOTES, QUEUE_NOTES, TALLIES
from schemas.tables import ADMIN_ACTIONS, FINDINGS, MOVES, READS, REJECTIONS, SENDS, SESSIONS, TRANSACTIONS

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pipelines.facts.versions import Version
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import Step
    from schemas.model import Table

Row = dict[str, Any]
_ROWS: Final[dict[type, tuple[Table, Callable[[Any], Row]]]] = {
    SessionStep: (SESSIONS, session_row),
    ReadStep: (READS, read_row),
    SendStep: (SENDS, send_row),
    MoveStep: (MOVES, move_row),
    RejectStep: (REJECTIONS, rejection_row),
    UnitStep: (TRANSACTIONS, unit_row),
}
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
        self._held = Held()
        self._hosts, self._queues, self._actions = HostNotes(server), QueueNotes(server), AdminActions(server)

    def feed(self, row: Row) -> Iterator[tuple[str, Row]]:
        return self._rows(self._machine.feed(from_row(row)))

    def finish(self) -> Iterator[tuple[str, Row]]:
        yield from self._rows(self._machine.finish())
        yield from self._held.finish()
        yield from ((FINDINGS.name, row) for row in self._judge.finish())
        yield from ((TALLIES.name, {"server": self._server, **row}) for row in _tally_rows(self._judge.tally))
        yield from ((HOST_NOTES.name, row) for row in self._hosts.rows())
        yield from ((QUEUE_NOTES.name, row) for row in self._queues.rows())

    def _rows(self, steps: Iterable[Step]) -> Iterator[tuple[str, Row]]:
        for step in steps:
            self._hosts.see(step)
            self._queues.see(step)
            session = opened_queue(step)
            if isinstance(step, SessionStep):
                yield from self._held.over(step.session)
                yield from self._told(step, step.session)
            else:
                yield from self._held.pass_on(session, self._told(step, session))

    def _told(self, step: Step, session: Session | None) -> Iterator[tuple[str, Row]]:
        yield from ((ADMIN_ACTIONS.name, row) for row in self._actions.see(step))
        row = _ROWS.get(type(step))
        if row is not None and (session is None or session.kind is not Kind.HANDSHAKE):
            yield row[0].name, row[1](step)
        for found in self._judge.see(step):
            # Of what is summed up, the first row may be older than what names the queue.
            own = session is not None and found["session_uid"] == session.session_uid
            yield FINDINGS.name, renamed(found, session) if session is not None and own else found


def _tally_rows(tally: Counter[tuple[str, str, str | None]]) -> Iterator[Row]:
    for (rule, verdict, reason), count in tally.items():
        yield {"rule_id": rule, "verdict": str(verdict), "reason": reason and str(reason), "count": count}
