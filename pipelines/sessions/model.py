"""An opened remote queue, a read of one message, and a transaction."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pipelines.facts.model import BEGINNING
from pipelines.facts.vocabulary import PEEKING, RECEIVING
from pipelines.sessions.addressed import Addressed
from pipelines.sessions.links import Link
from pipelines.sessions.memory import REMEMBERED, Recent

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.facts.reasons import Reason
    from pipelines.sessions.acts import Act
    from pipelines.sessions.association import Association
    from pipelines.sessions.links import LinkKey, RemoteOpen
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.severance import Severance
    from pipelines.sessions.units import Transaction, UnitOfWork

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


class SessionKind(enum.StrEnum):
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
    RUNDOWN = "rundown"
    UNKNOWN = "unknown"


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
    answer_lost: bool = False
    """Its answer, which would tell the handle, was not captured, or not whole."""
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
    unit: UnitOfWork | None = None
    """That the read takes part in, once the server gave it a message."""
    arrived: int | None = None
    cancel: CallFact | None = None
    """A cancel that the server accepted."""
    shares_id: bool = False
    """Another read of the queue had its request id at the same time."""
    given_up: CallFact | None = None
    """The client's end or cancel, as long as the server has not refused it."""
    end_given_up: bool = False
    """The client gave up its last end before that was answered: the server may have done it."""
    end_asked: Moment | None = None
    """When the client first called for its end or cancel, whatever came of it."""
    end: CallFact | None = None
    """The call that ended it: end-receive or cancel."""
    finished: Moment | None = None
    severance: Severance | None = None
    """How the association ended that it was run down with."""
    outcome: ReadOutcome | None = None
    doubt: Reason | None = None
    number_doubt: Reason | None = None
    """Why the number that named its queue may have been given to another one; told where nothing else is in doubt."""

    @property
    def began(self) -> Moment:
        """When it was asked for, or else ended."""
        call = self.start or self.end
        return BEGINNING if call is None else call.began

    @property
    def is_peek(self) -> bool:
        return self.action in PEEKING

    @property
    def is_receive(self) -> bool:
        """Meant to remove the message. Neither this nor a peek: its action is unknown, and its end tells."""
        return self.action in RECEIVING or (self.action is None and self.end is not None)

    def left(self, outcome: ReadOutcome) -> ReadOutcome:
        """What is told where nothing ended it: only a receive has something to undo."""
        undone = (ReadOutcome.RUNDOWN, ReadOutcome.UNFINISHED)
        if not self.given_out or self.is_receive or outcome not in undone:
            return outcome
        return ReadOutcome.PEEKED if self.is_peek else ReadOutcome.UNFINISHED

    @property
    def removed_or_put_back(self) -> bool:
        """Its end said so, whatever its start asked for."""
        return self.outcome in (ReadOutcome.ACKED, ReadOutcome.NACKED)

    @property
    def unknown_fate(self) -> bool:
        """A message left by an action that no document has, and no end tells whether it is still in the queue."""
        started = self.action is not None and not self.is_peek and not self.is_receive
        return started and self.outcome is ReadOutcome.UNFINISHED and bool(self.message_bytes)

    @property
    def holds_message(self) -> bool:
        """Given out and not yet acknowledged either way: the server keeps it from everybody else."""
        return self.given_out and self.finished is None

    @property
    def kind(self) -> SessionKind:
        return SessionKind.READ

    @property
    def is_over(self) -> bool:
        return self.finished is not None


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
    kind: SessionKind = SessionKind.SESSION
    association: Association | None = None
    p_queue: int | None = None
    context: int | None = None
    move_context: int | None = None
    client_qm: str | None = None
    queue_name: str | None = None
    named_by: str = "open"
    """What `queue_name` is from."""
    link: Link = field(default_factory=Link)
    """Of qm2qm: to the remote open that it goes back to."""
    link_key: LinkKey | None = None
    remote_open: RemoteOpen | None = None
    """As long as this session keeps it open."""
    asked_by: CallFact | None = None
    """Call of one of MSMQ's objects, at the host that opened it, which led to this."""
    addressed: Addressed = field(default_factory=Addressed)
    remote_handle: int | None = None
    """hQueue of a session of qm2qm that the server itself opened for this one."""
    access: int | None = None
    share_mode: int | None = None
    contender: CallFact | None = None
    """An open by somebody else that one of the two, being exclusive, does not allow."""
    closed: CallFact | None = None
    closed_at: Moment | None = None
    close_asked: bool = False
    close_given_up: bool = False
    """The client gave up its last close before that was answered: the server may have done it."""
    severance: Severance | None = None
    """How the association ended that it was run down with."""
    state: SessionState | None = None
    is_told: bool = False
    doubt: Reason | None = None
    maybe_another: Reason | None = None
    """Why calls that name it may mean another one: its opening was cut, and with it its numbers, or it seemed over."""
    outcomes: dict[ReadOutcome, int] = field(default_factory=dict)
    disclosed: dict[ReadOutcome, int] = field(default_factory=dict)
    """Bytes of messages that left the server, by what became of the read."""
    peeks: int = 0
    receives: int = 0
    unknown_reads: int = 0
    purges: int = 0
    uncounted: Reason | None = None
    """Why its counts may lack something: nobody was seen to say whether it succeeded."""
    sends: int = 0
    sent_bytes: int = 0
    moves: int = 0
    outstanding: dict[int, list[Read]] = field(default_factory=dict)
    """Asked for and not over, by request id."""
    reads: dict[int, Read] = field(default_factory=dict)
    """Not over, by id(): a session is told when it has none."""
    undecided: dict[int, Act] = field(default_factory=dict)
    """Sends and their like that wait for a transaction, by id(): likewise."""
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
    def behind(self) -> Session | None:
        """The remote open of a session of qm2qm; `link` says how certain that is."""
        return self.link.opened

    @property
    def numbers(self) -> set[Number]:
        """That name the queue in calls: [MS-MQQP] 3.1.4.3 and its note <15>, [MS-MQMP] 3.1.5.3, [MS-MQRR] 3.1.4.10."""
        if self.kind is SessionKind.SESSION:
            return {number for number in (self.queue_handle, self.context) if number is not None}
        if self.kind is SessionKind.QUEUE and self.context is not None:
            return {("hQMContext", self.context)}
        return {("ullContextTo", self.move_context)} if self.move_context is not None else set()

    @property
    def handles(self) -> set[Number | str]:
        return self.numbers | ({self.handle} if self.handle is not None else set())

    @property
    def is_over(self) -> bool:
        return self.state is not None
