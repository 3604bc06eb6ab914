"""What the state machine tells: each step with all that it refers to, so that a rule needs to look nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from msgspec import Struct, field

from decoders.dcerpc.call_model import CallOutcome
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.values import descriptor
from pipelines.sessions.acts import Act
from pipelines.sessions.memory import ServerView

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import CallFact, ConnectionFact, Moment
    from pipelines.facts.versions import Version
    from pipelines.sessions.association import Association, Connection
    from pipelines.sessions.model import Read, RemoteCursor, Session, SessionKind
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.units import Transaction, UnitOfWork

Values = dict[str, Any]
MAX_ALIVE: Final = 256
"""Connections of one client looked at for what a number may be of: a queue manager keeps a few, and each call asks."""


class CallStep(Struct, eq=False, dict=True):
    """A call that is over. What it refers to is as it stood when it was asked.

    There is one for every call: a dataclass with so many fields takes three times as long to make.
    """

    call: CallFact
    pair: Pair
    connection: Connection | None
    session: Session | None = None
    """The client's own session that the call works on; for an open, the one it makes."""
    session_doubt: Reason | None = None
    """Why it may be another one of the client's."""
    number_doubt: Reason | None = None
    """The same, since the number that names it may have been given again. Better reasons come first."""
    foreign: Session | None = None
    """A session of another client with the handle used, where this client has none."""
    past_session: Session | None = None
    """The client's own session with that handle, already over when the call was asked."""
    read: Read | None = None
    """Start: the read it begins. End: the read of its handle. Cancel: the request it is for, not over."""
    past_read: Read | None = None
    """End or cancel: the read meant was over already."""
    foreign_read: Read | None = None
    """End: the handle was given to another client."""
    rival: Read | None = None
    """Start: a read of the same queue with the same request id that was not over."""
    closed_cursor: CallFact | None = None
    """Start or close of a cursor: the call that had closed that cursor."""
    cursor_known: bool = False
    """Start or close of a cursor: it was made or used on this session before, and not closed."""
    waiting_read: Read | None = None
    """End: the read with its request id has not been answered yet."""
    target: Session | None = None
    """Move: the queue opened with the move context named."""
    behind: Session | None = None
    """Of qm2qm's open and of a remote cursor: the remote open that gave the numbers."""
    transaction: Transaction | None = None
    """The transaction that the call names, if it was seen enlisted; enlisting: the same unit of work before."""
    past_transaction: Transaction | None = None
    """Commit or abort: it was decided already."""
    misplaced: SessionKind | None = None
    """The handle is the client's, but of this kind, which the call does not take."""
    opening: bool = False
    """An open of the queue was under way."""
    other_association: bool = False
    """The session was opened in another association of the client, so that it may be another one's."""
    first_seen: bool = False
    """The call names a queue handle that nobody was seen to open."""
    server_version: Version | None = None
    client_version: Version | None = None
    introduction: CallFact | None = None
    """Open of RemoteRead or qmcomm: the first one of the association, before this."""
    holder: Session | None = None
    """Open of qmcomm: a session that has the queue open in a way that does not go with this one's."""
    remote_cursor: RemoteCursor | None = None
    """The cursor used is one made in steps."""
    remote_context: str | None = None
    """Question for a remote queue's name: call_uid of the one that gave the number."""
    remote_opens_forgotten: bool = False
    """More were open than are kept in mind."""
    transactions_forgotten: bool = False
    """More were enlisted than are kept in mind."""
    asked_version: CallFact | None = None
    """The client's last RemoteQmGetVersion before this call."""
    version_answer: CallFact | None = None
    """The last answer to one that its association had before this call."""
    port_answer: CallFact | None = None
    """The client's last answered query for the port of qm2qm before this call."""
    settings: Mapping[str, int] = {}
    view: ServerView = field(default_factory=ServerView)
    """Of the server as a whole, with all its clients."""

    @property
    def request(self) -> Values:
        return self.call.request or {}

    def number(self, values: Values, name: str) -> int | None:
        """That the request says. Facts leave out zeros, so one that is not there is 0; not known where it was cut."""
        told: int | None = values.get(name, 0 if self.call.request_whole else None)
        return told

    @property
    def response(self) -> Values:
        return self.call.response or {}

    @cached_property
    def desc(self) -> Values | None:
        """REMOTEREADDESC of the request; None for a null pointer."""
        return descriptor(self.call.request)

    @cached_property
    def answered_desc(self) -> Values | None:
        return descriptor(self.call.response)

    @property
    def succeeded(self) -> bool:
        if self.call.method in v.VOID:
            return self.call.outcome == CallOutcome.ANSWERED
        return self.call.status == v.MQ_OK

    @property
    def failed(self) -> bool:
        """By a failure HRESULT, or by a fault."""
        return self.call.fault is not None or bool(self.call.status and self.call.status & 0x8000_0000)

    @property
    def code(self) -> int | None:
        """The status, or what a fault carries: servers may throw what they would return."""
        return self.call.status if self.call.fault is None else self.call.fault

    @property
    def answered_late(self) -> bool:
        """The answer was captured after it had been received: with its call id it may be one to an older request."""
        return self.connection is not None and self.call.answered in self.connection.late

    def misplace(self, holder: Session | Read | Transaction) -> None:
        """The handle stands for something of another kind. In another association it may stand for anything."""
        if self.connection is not None and holder.association is self.connection.association:
            self.misplaced = holder.kind

    def blind_since(self, since: Moment) -> Reason | None:
        """Why something between the two hosts may have been missed since then."""
        reason = self.pair.blind_since(since) or self.pair.forgot.blind_since(since)
        if reason is None and self.connection is not None:
            reason = self.connection.association.blind_since(since)
        return reason or (self.session.blind_since(since) if self.session else None)

    def association_incomplete(self) -> Reason | None:
        """Why a handle of this association may have been given without being seen; None: all was seen."""
        return incomplete(self.connection.association if self.connection else None, self.pair)

    def pair_incomplete(self) -> Reason | None:
        """The same of numbers, which are valid in every association: one of another that is still alive counts too."""
        if self.pair.associations.loose:
            return Reason.CAPTURE_ENDED
        alive = self.pair.associations.connections
        reasons = (incomplete(one.association, self.pair) for one in islice(alive.values(), MAX_ALIVE))
        if (reason := next((one for one in reasons if one is not None), None)) is not None:
            return reason
        if len(alive) > MAX_ALIVE:
            return Reason.LIMIT
        # One that ended just before may have had it open when the call was on its way.
        lately = self.call.began._replace(ts_ns=self.call.began.ts_ns - self._crossing_ns)
        return self.blind_since(lately)

    def soon_after(self, moment: Moment) -> bool:
        """The call may have been on its way when that happened."""
        return self.call.began.ts_ns - moment.ts_ns < self._crossing_ns

    @property
    def _crossing_ns(self) -> int:
        return self.settings["crossing_seconds"] * v.NANOSECONDS


def incomplete(association: Association | None, pair: Pair) -> Reason | None:
    if association is None or association.born is None:
        return Reason.STARTED_MIDSTREAM
    reasons = (one.blind_since(association.born) for one in (pair, association, pair.forgot))
    return next((reason for reason in reasons if reason is not None), None)


@dataclass(slots=True)
class ReadStep:
    """A read that is over, or that the capture ended before."""

    read: Read
    pair: Pair
    call: CallFact
    """To show: the start, or the end where the start was not seen."""


@dataclass(slots=True)
class SessionStep:
    """A session that is over, or that the capture ended before."""

    session: Session
    pair: Pair
    call: CallFact


@dataclass(slots=True)
class TransactionStep:
    """An internal transaction that is over, or that the capture ended before."""

    transaction: Transaction
    pair: Pair
    call: CallFact
    """By which it was enlisted."""


@dataclass(slots=True)
class UnitStep:
    """A unit of work that is over, or that the capture ended before."""

    unit: UnitOfWork


@dataclass(slots=True)
class ConnectionStep:
    """A connection as a whole, told when it begins: its binds may be from later."""

    fact: ConnectionFact
    pair: Pair


@dataclass(slots=True)
class ConnectionOver:
    """Nothing more comes of a connection."""

    uid: str


Judged: TypeAlias = CallStep | ReadStep | SessionStep | TransactionStep | ConnectionStep
"""What rules look at."""
Step: TypeAlias = Judged | Act | UnitStep | ConnectionOver
