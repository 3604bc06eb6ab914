"""An opened remote queue, a read of one message, and a transaction."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pipelines.facts.model import BEGINNING
from pipelines.sessions.memory import REMEMBERED, Recent

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.facts.reasons import Reason
    from pipelines.sessions.association import Association
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.severance import Severance

Number: TypeAlias = "int | tuple[str, int]"
"""By which calls name an open queue: of qm2qm the number itself, of other protocols with the parameter's name."""


class ReadOutcome(enum.StrEnum):
    PEEKED = "peeked"
    ACKED = "acked"
    NACKED = "nacked"
    CANCELLED = "cancelled"
    TIMED_OUT = "timed_out"
    FAILED = "failed"
    RUNDOWN = "rundown"
    UNFINISHED = "unfinished"


class SessionState(enum.StrEnum):
    CLOSED = "closed"
    RUNDOWN = "rundown"
    OPEN_AT_END = "open_at_end"
    OPEN_NOT_SEEN = "open_not_seen"


class Kind(enum.StrEnum):
    """Of what a context handle stands for: one kind is no good where another is wanted."""

    SESSION = "qm2qm session"
    READ = "qm2qm read"
    REMOTE_READ = "RemoteRead queue"
    QUEUE = "qmcomm queue"
    HANDSHAKE = "qmcomm remote open"
    TRANSACTION = "qmcomm transaction"


class TransactionState(enum.StrEnum):
    COMMITTED = "committed"
    ABORTED = "aborted"
    UNKNOWN = "unknown"


@dataclass(slots=True, eq=False)
class Transaction:
    """A unit of work that a client enlisted the server in."""

    uow: str
    pair: Pair
    enlisted: CallFact
    internal: bool
    """The server itself decides it: [MS-MQMP] 3.1.4.14. An external one's outcome is on another wire."""
    handle: str | None = None
    association: Association | None = None
    reads: dict[int, Read] = field(default_factory=dict)
    """Whose messages wait for its outcome, by id()."""
    ended: CallFact | None = None
    end_asked: CallFact | None = None
    """The client's commit or abort, as long as the server has not refused it."""
    end_tried: bool = False
    """The client called for its end, whatever came of it."""
    severance: Severance | None = None
    """How the association ended that it was run down with."""
    state: TransactionState = TransactionState.UNKNOWN

    kind = Kind.TRANSACTION


@dataclass(slots=True, eq=False)
class RemoteCursor:
    """A cursor that the client itself has to tie to one on another server: [MS-MQMP] note <76>."""

    made: CallFact
    tied: CallFact | None = None


@dataclass(slots=True, eq=False)
class Read:
    """A start-receive and what it came to."""

    start: CallFact | None
    """None where only its end was seen."""
    pair: Pair
    session: Session | None
    association: Association | None = None
    action: int | None = None
    request_id: int | None = None
    lookup_id: int | None = None
    is_peek: bool = False
    answered: Moment | None = None
    handle: str | None = None
    sequential_id: int | None = None
    message_bytes: int | None = None
    message_sha256: str | None = None
    cursor: int | None = None
    cursor_made: CallFact | None = None
    """The call that made its cursor."""
    message_id: str | None = None
    message_label: str | None = None
    given_out: bool = False
    """The server gave out its message, to be acknowledged."""
    transactional: bool = False
    """Begun as a read in a transaction, whether or not that one is known."""
    uow: str | None = None
    transaction: Transaction | None = None
    transaction_state: TransactionState | None = None
    arrived: int | None = None
    cancel: CallFact | None = None
    """A cancel that the server accepted."""
    shares_id: bool = False
    """Another read of the queue had its request id at the same time."""
    given_up: CallFact | None = None
    """The client's end or cancel, as long as the server has not refused it."""
    end_asked: bool = False
    """The client called for its end or cancel, whatever came of it."""
    end: CallFact | None = None
    """The call that ended it: end-receive or cancel."""
    finished: Moment | None = None
    severance: Severance | None = None
    """How the association ended that it was run down with."""
    outcome: ReadOutcome | None = None
    doubt: Reason | None = None

    @property
    def began(self) -> Moment:
        """When it was asked for, or else ended."""
        call = self.start or self.end
        return BEGINNING if call is None else call.began

    @property
    def holds_message(self) -> bool:
        """Given out and not yet acknowledged either way: the server keeps it from everybody else."""
        return self.given_out and self.finished is None

    @property
    def kind(self) -> Kind:
        return Kind.READ

    @property
    def is_over(self) -> bool:
        return self.finished is not None


@dataclass(slots=True)
class Acts:
    """Of one kind, on one session."""

    count: int = 0
    first: CallFact | None = None
    last: CallFact | None = None

    def add(self, call: CallFact) -> None:
        self.count += 1
        self.first, self.last = self.first or call, call


@dataclass(slots=True, eq=False)
class Session:
    """A queue that a client has open on the server."""

    session_uid: str
    pair: Pair
    first: CallFact
    """Its opening, or the first call that proves that it is open."""
    opened: CallFact | None
    handle: str | None
    queue_handle: int | None
    kind: Kind = Kind.SESSION
    association: Association | None = None
    p_queue: int | None = None
    context: int | None = None
    move_context: int | None = None
    client_qm: str | None = None
    queue_name: str | None = None
    behind: Session | None = None
    """The remote open that a session of qm2qm goes back to."""
    remote_handle: int | None = None
    """hQueue of a session of qm2qm that the server itself opened for this one."""
    access: int | None = None
    share_mode: int | None = None
    contender: CallFact | None = None
    """An open by somebody else that one of the two, being exclusive, does not allow."""
    closed: CallFact | None = None
    closed_at: Moment | None = None
    close_asked: bool = False
    severance: Severance | None = None
    """How the association ended that it was run down with."""
    state: SessionState | None = None
    doubt: Reason | None = None
    outcomes: dict[ReadOutcome, int] = field(default_factory=dict)
    disclosed: dict[ReadOutcome, int] = field(default_factory=dict)
    """Bytes of messages that left the server, by what became of the read."""
    peeks: int = 0
    receives: int = 0
    purges: Acts = field(default_factory=Acts)
    sends: Acts = field(default_factory=Acts)
    sent_bytes: int = 0
    moves: int = 0
    outstanding: dict[int, list[Read]] = field(default_factory=dict)
    """Asked for and not over, by request id."""
    reads: dict[int, Read] = field(default_factory=dict)
    """Not over, by id(): a session is told when it has none."""
    finished: Recent[int, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    """By request id."""
    shown: Recent[int, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    """Whose message was seen, by sequential id."""
    acked: Recent[int, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    """Removed from the queue and confirmed, by sequential id."""
    nacked: Recent[int, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    cursors: dict[int, CallFact] = field(default_factory=dict)
    """Made or used, and not closed."""
    made_cursors: Recent[int, CallFact] = field(default_factory=lambda: Recent(REMEMBERED))
    """Whether or not they were closed since."""
    cursors_closed: int = 0
    remote_cursors: dict[int, RemoteCursor] = field(default_factory=dict)
    """Of `cursors`, those made in steps."""
    closed_cursors: Recent[int, CallFact] = field(default_factory=lambda: Recent(REMEMBERED))

    def forget(self) -> None:
        """It is over: its reads, which know it, are let go."""
        self.outstanding.clear()
        for memory in (self.finished, self.shown, self.acked, self.nacked, self.made_cursors, self.closed_cursors):
            memory.clear()

    def blind_since(self, since: Moment) -> Reason | None:
        """Why something about it may have been missed since then."""
        reason = self.pair.blind_since(since)
        return reason or (self.association.blind_since(since) if self.association else None)

    @property
    def numbers(self) -> set[Number]:
        """That name the queue in calls: [MS-MQQP] 3.1.4.3 and its note <15>, [MS-MQMP] 3.1.5.3, [MS-MQRR] 3.1.4.10."""
        if self.kind is Kind.SESSION:
            return {number for number in (self.queue_handle, self.context) if number is not None}
        if self.kind is Kind.QUEUE and self.context is not None:
            return {("hQMContext", self.context)}
        return {("ullContextTo", self.move_context)} if self.move_context is not None else set()

    @property
    def handles(self) -> set[Number | str]:
        return self.numbers | ({self.handle} if self.handle is not None else set())

    @property
    def is_over(self) -> bool:
        return self.state is not None
