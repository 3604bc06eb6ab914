"""Units of work of one server, each with what was read, sent, moved and rejected in it.

A unit of work belongs to no connection: it may be enlisted by one host on qmcomm and used by another on RemoteRead.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.sessions.model import SessionKind, TransactionState
from pipelines.sessions.steps import UnitStep
from schemas.tables.transactions import MAX_LISTED
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.acts import Act
    from pipelines.sessions.association import Association
    from pipelines.sessions.ending import EndingSteps
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.severance import Severance

MAX_UNITS: Final = 65_536
"""Of one server; past it the oldest is told as it stands, in doubt."""
MAX_WAITING: Final = 16_384
"""Sends, moves and rejections that wait for the outcome of one unit; more are told at once, in doubt."""


@dataclass(slots=True, eq=False)
class UnitOfWork:
    uow: str
    first: CallFact
    enlisted: CallFact | None = None
    internal: bool = False
    """Decided in view: what is done in it waits for its outcome."""
    enlistments: int = 0
    outcome: TransactionState = TransactionState.UNKNOWN
    ended: CallFact | None = None
    """The commit or abort."""
    ended_at: Moment | None = None
    is_over: bool = False
    doubt: Reason | None = None
    reads: int = 0
    sends: int = 0
    moves: int = 0
    rejects: int = 0
    clients: dict[str, None] = field(default_factory=dict)
    sessions: dict[str, Session] = field(default_factory=dict)
    """By uid, the first so many."""
    waiting: list[Act] = field(default_factory=list)

    @property
    def uid(self) -> str:
        return derived_uid("T", f"{self.first.call_uid}|{self.uow}")

    @property
    def undone(self) -> bool:
        return self.outcome in (TransactionState.ABORTED, TransactionState.RUNDOWN)

    @property
    def doubt_of_reads(self) -> Reason | None:
        """For what was read in it. That the capture ended first is what `unfinished` says."""
        return None if self.doubt is Reason.CAPTURE_ENDED else self.doubt

    def takes(self, call: CallFact, session: Session | None) -> None:
        if len(self.clients) < MAX_LISTED:
            self.clients[call.client] = None
        if session is not None and len(self.sessions) < MAX_LISTED:
            self.sessions[session.session_uid] = session


@dataclass(slots=True, eq=False)
class Transaction:
    """A unit of work that a client enlisted the server in."""

    uow: str
    pair: Pair
    enlisted: CallFact
    unit: UnitOfWork
    internal: bool
    """The server itself decides it: [MS-MQMP] 3.1.4.14. An external one's outcome is on another wire."""
    handle: str | None = None
    association: Association | None = None
    reads: dict[int, Read] = field(default_factory=dict)
    """Whose messages wait for its outcome, by id()."""
    under_way: dict[int, Read] = field(default_factory=dict)
    """Asked for in it and not answered, by id(): what was given before its end may be answered after that."""
    decided_at: Moment | None = None
    ended: CallFact | None = None
    end_asked: CallFact | None = None
    """The client's commit or abort, as long as the server has not refused it."""
    end_tried: bool = False
    end_given_up: bool = False
    """The client gave up its last end before that was answered: the server may have done it."""
    """The client called for its end, whatever came of it."""
    severance: Severance | None = None
    """How the association ended that it was run down with."""
    state: TransactionState = TransactionState.UNKNOWN

    kind = SessionKind.TRANSACTION


class Units:
    def __init__(self, ending: EndingSteps) -> None:
        self._ending = ending
        self._units: OrderedDict[str, UnitOfWork] = OrderedDict()

    def get(self, uow: str | None) -> UnitOfWork | None:
        return None if uow is None else self._units.get(uow)

    def of(self, uow: str | None, call: CallFact, session: Session | None) -> UnitOfWork | None:
        """The one that a call which succeeded takes part in; new where nobody was seen to enlist it."""
        if uow is None:
            return None
        unit = self._units.get(uow)
        if unit is None:
            unit = self._add(UnitOfWork(uow, slim(call) or call, doubt=Reason.OPEN_NOT_SEEN))
        unit.takes(call, session)
        return unit

    def enlist(self, uow: str, call: CallFact, *, internal: bool) -> UnitOfWork:
        unit = self._units.get(uow)
        if unit is not None and internal:
            # The server knew none of that name, so that the end of the other was not seen.
            unit.doubt = unit.doubt or Reason.OPEN_NOT_SEEN
            self.over(unit, unit.outcome, None)
            unit = None
        if unit is None:
            unit = self._add(UnitOfWork(uow, slim(call) or call))
        unit.enlisted, unit.internal = unit.enlisted or slim(call), internal
        unit.enlistments += 1
        unit.takes(call, None)
        return unit

    def over(self, unit: UnitOfWork, outcome: TransactionState, moment: Moment | None) -> None:
        if unit.is_over:
            return
        unit.outcome, unit.ended_at, unit.is_over = outcome, moment, True
        if self._units.get(unit.uow) is unit:
            del self._units[unit.uow]
        waiting, unit.waiting = unit.waiting, []
        for act in waiting:
            act.doubt = act.doubt or unit.doubt
            self._ending.act(act)
        self._ending.add(UnitStep(unit))

    def act(self, act: Act) -> None:
        """Told at once, unless what becomes of it is still to be decided in view."""
        unit = act.unit
        waits = unit is not None and unit.internal and not unit.is_over and act.succeeded
        if unit is None or not waits:
            self._ending.act(act)
        elif len(unit.waiting) >= MAX_WAITING:
            act.doubt = Reason.LIMIT
            self._ending.act(act)
        else:
            unit.waiting.append(act)
            if act.session is not None:
                act.session.undecided[id(act)] = act

    def finish(self) -> None:
        """The capture ended first."""
        for unit in list(self._units.values()):
            if unit.internal:
                unit.doubt = unit.doubt or Reason.CAPTURE_ENDED
            self.over(unit, TransactionState.UNKNOWN, None)

    def _add(self, unit: UnitOfWork) -> UnitOfWork:
        self._units[unit.uow] = unit
        if len(self._units) > MAX_UNITS:
            oldest = next(iter(self._units.values()))
            oldest.doubt = Reason.LIMIT
            self.over(oldest, TransactionState.UNKNOWN, None)
        return unit
