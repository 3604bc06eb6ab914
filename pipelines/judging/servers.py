"""Facts of many servers to rows of sessions, reads, moves and findings, and to summaries. One pass, no Spark."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from pipelines.com.machine import ComMachine
from pipelines.com.object_calls import Gone, ObjectCall, Released
from pipelines.com.steps import ComStep
from pipelines.facts.model import END, BlindFact, CallFact
from pipelines.facts.stored_form import BEHIND, BEHIND_BLIND, GIVEN, HANDED, from_row
from pipelines.knowledge.admin_actions import AdminActions
from pipelines.knowledge.askers import Askers
from pipelines.knowledge.host_notes import HostNotes
from pipelines.knowledge.queue_notes import QueueNotes
from pipelines.mqac.machine import MqacMachine
from pipelines.mqac.steps import MqacStep
from pipelines.mqac.telling import QueueAct
from pipelines.rules.catalogue import RULES
from pipelines.rules.engine import Judge
from pipelines.rules.findings import opened_queue
from pipelines.sessions.act_rows import move_row, rejection_row, send_row, unit_row
from pipelines.sessions.acts import MoveStep, RejectStep, SendStep
from pipelines.sessions.awaiting_names import RowsAwaitingName, renamed
from pipelines.sessions.machine import ServerMachine
from pipelines.sessions.model import SessionKind
from pipelines.sessions.rows import read_row, session_row
from pipelines.sessions.steps import CallStep, ReadStep, SessionStep, UnitStep
from schemas.tables import ADMIN_ACTIONS, FINDINGS, MOVES, READS, REJECTIONS, SENDS, SESSIONS, TRANSACTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from pipelines.facts.versions import Version
    from pipelines.judging.summaries import Summaries
    from pipelines.sessions.awaiting_names import TableRow
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import Step
    from schemas.internal_rows import FactRow
    from schemas.model import AnyRow, Table
    from schemas.state import TallyRow

_ROWS: Final[dict[type, tuple[Table, Callable[[Any], AnyRow]]]] = {
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
    rows: Iterable[FactRow],
    versions: Mapping[str, Version],
    settings: Mapping[str, int],
    summaries: Summaries,
    first_made: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[TableRow]:
    """(table, row). `rows` are facts sorted by ORDER. What is known of each server in the end goes to `summaries`.

    `first_made`: by client, `call_uid` of its first activation of one of MSMQ's classes, at whichever server.
    """
    server: str | None = None
    case: _Case | None = None
    for row in rows:
        if case is None or row["server"] != server:
            if case is not None:
                yield from case.finish(summaries)
            server, case = row["server"], _Case(row, versions, settings, first_made)
        yield from case.feed(row)
    if case is not None:
        yield from case.finish(summaries)


class _Case:
    """One server."""

    def __init__(
        self,
        first: FactRow,
        versions: Mapping[str, Version],
        settings: Mapping[str, int],
        first_made: Mapping[str, str],
    ) -> None:
        self._server = server = first["server"]
        self._machine = ServerMachine(versions, settings)
        self._com = ComMachine(server, settings, first_made, first["ts_ns"])
        self._mqac = MqacMachine(server, self._com.objects, settings)
        self._askers = Askers(server, settings)
        self._judge = Judge(RULES, settings)
        self._held = RowsAwaitingName()
        self._hosts, self._queues, self._actions = HostNotes(server), QueueNotes(server), AdminActions(server)

    def feed(self, row: FactRow) -> Iterable[TableRow]:
        kind, fact = row["kind"], from_row(row)
        if kind in (BEHIND, BEHIND_BLIND):
            # What is over by then looks for its askers first: a busy server of objects has others under way since.
            over = self._rows(self._machine.settle(fact.began))
            if isinstance(fact, BlindFact):
                self._askers.missed(fact)
            elif isinstance(fact, CallFact):
                self._askers.feed(fact)
            return over
        if isinstance(fact, CallFact) and fact.com is not None:
            if kind == GIVEN:
                self._com.given(fact, fact.com)
                return self._mqac_rows(self._mqac.given(fact, fact.com, self._com.pair(fact.server)))
            if kind == HANDED:
                self._com.handed(fact, fact.com)
                return ()
            return self._com_rows(self._com.feed(fact, fact.com))
        over = self._com_rows(self._com.settle(fact.began)) if self._com.is_busy else []
        if self._mqac.is_busy:
            over += self._mqac_rows(self._mqac.settle(fact.began))
        if isinstance(fact, BlindFact):
            self._com.missed(fact)
            if fact.server != self._server:
                # Another address of this host (`homes.py`): only its objects are followed here.
                return over
        return over + self._rows(self._machine.feed(fact))

    def finish(self, summaries: Summaries) -> Iterator[TableRow]:
        yield from self._rows(self._machine.finish())
        yield from self._mqac_rows(self._mqac.settle(END))
        # How objects ended is known when all of them are over.
        yield from list(self._com_rows(self._com.finish()))
        yield from self._mqac_rows(self._mqac.finish())
        yield from self._held.finish()
        yield from ((FINDINGS.name, row) for row in self._judge.finish())
        summaries.tallies.extend(self._tallies())
        summaries.host_notes.extend(self._hosts.rows())
        summaries.queue_notes.extend(self._queues.rows())

    def _com_rows(self, told: Iterable[TableRow | ComStep | ObjectCall | Gone | Released]) -> list[TableRow]:
        rows: list[TableRow] = []
        for one in told:
            if isinstance(one, ComStep):
                rows += [(FINDINGS.name, found) for found in self._judge.see(one)]
            elif isinstance(one, ObjectCall):
                rows += self._mqac_rows(self._mqac.feed(one))
            elif isinstance(one, Gone):
                rows += self._mqac_rows(self._mqac.gone(one))
            elif isinstance(one, Released):
                self._mqac.released(one)
            else:
                rows.append(one)
        return rows

    def _mqac_rows(self, told: Iterable[TableRow | MqacStep | QueueAct]) -> list[TableRow]:
        rows: list[TableRow] = []
        for one in told:
            if isinstance(one, MqacStep):
                self._hosts.see_object(one)
                rows += [(FINDINGS.name, found) for found in self._judge.see(one)]
            elif isinstance(one, QueueAct):
                self._queues.see_object(one)
            else:
                rows.append(one)
        return rows

    def _rows(self, steps: Iterable[Step]) -> list[TableRow]:
        """Each step is looked at before the machine goes on: what it refers to changes with the next."""
        rows: list[TableRow] = []
        for step in steps:
            self._hosts.see(step)
            self._queues.see(step)
            session = opened_queue(step)
            if isinstance(step, CallStep) and session is not None and session.first.call_uid == step.call.call_uid:
                asker = self._askers.of(step)
                # Its columns have one doubt, which says that the queue is not certain.
                session.asked_by = asker.call if asker is not None and asker.doubt is None else None
            if isinstance(step, SessionStep):
                rows += self._held.over(step.session)
                rows += self._told(step, step.session)
            elif told := self._told(step, session):
                # Most calls have nothing to tell.
                rows += self._held.pass_on(session, told)
        return rows

    def _told(self, step: Step, session: Session | None) -> list[TableRow]:
        rows: list[TableRow] = []
        if isinstance(step, CallStep):
            if (act := self._actions.see(step, self._askers.of(step))) is not None:
                rows.append((ADMIN_ACTIONS.name, act))
        elif session is None or session.kind is not SessionKind.HANDSHAKE:
            table, row_of = _ROWS.get(type(step), (None, None))
            if table is not None and row_of is not None:
                rows.append((table.name, row_of(step)))
        for found in self._judge.see(step):
            # Of what is summed up, the first row may be older than what names the queue.
            own = session is not None and found["session_uid"] == session.session_uid
            rows.append((FINDINGS.name, renamed(found, session) if session is not None and own else found))
        return rows

    def _tallies(self) -> Iterator[TallyRow]:
        for (rule, verdict, reason), count in self._judge.tally.items():
            yield {
                "server": self._server,
                "rule_id": rule,
                "verdict": str(verdict),
                "reason": reason and str(reason),
                "count": count,
            }
