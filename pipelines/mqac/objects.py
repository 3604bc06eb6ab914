"""What is known of each object: [MC-MQAC] 3.2 to 3.17, as far as its calls show it.

State belongs to the object, whoever calls it on whichever connection.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.facts.reasons import Reason
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.com.com_object import ComObject
    from pipelines.com.sight import ComPair
    from pipelines.facts.com import Argument
    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.acts import Read, Sent, Unit

MAX_NAMED: Final = 128
"""Properties of one object. No class has as many."""


class Known(NamedTuple):
    """A value that a call showed."""

    value: Argument
    at: Moment
    call_uid: str
    queue: QueueIdentity | None = None
    """Of a property that is a queue."""

    @property
    def text(self) -> str | None:
        return self.value.value


@dataclass(slots=True, eq=False)
class QueueIdentity:
    """One queue, by all the names that calls gave it or told of it. Another name put in its place is another one."""

    path: Known | None = None
    format: Known | None = None
    other: Known | None = None
    """MulticastAddress, ADsPath or PathNameDNS, where these alone name it."""
    doubt: Reason | None = None
    """Why it may be another queue than the names say."""

    @property
    def names(self) -> tuple[str, ...]:
        found = (one.text for one in (self.path, self.format, self.other) if one is not None)
        return tuple(one for one in found if one)

    @property
    def name(self) -> str | None:
        return next(iter(self.names), None)


@dataclass(slots=True, eq=False)
class ObjectState:
    """Of any class."""

    object: ComObject
    cls: str
    first: CallFact
    """The call that handed it out, or the first that was made on it, without its values."""
    born: bool = False
    """Its birth was seen: the call that handed it out says what it is."""
    unseen: Reason | None = None
    """Why something may have been done with it before: its birth was not captured, or it was forgotten."""
    last: Moment | None = None
    unsure: Reason | None = None
    """Why nobody knows what became of a call that was made on it: it has no answer, or the client gave it up."""
    is_over: bool = False
    """Closed or given back, as far as was seen."""
    missed_before: Reason | None = None
    """Of one that is over: why something may have been done with it out of sight before."""

    def snapshot(self) -> ObjectState:
        """As it stands now, for those who look at it later."""
        return copy(self)


@dataclass(slots=True, eq=False)
class QueueInfoState(ObjectState):
    """[MC-MQAC] 3.10.1."""

    queue: QueueIdentity = field(default_factory=QueueIdentity)
    put: dict[str, Known] = field(default_factory=dict)
    """Properties put, and not yet written by Create or Update."""
    shown: dict[str, Known] = field(default_factory=dict)
    """Properties as the object answered them."""
    named: bool = False
    """A path name or format name was put, or it came with one."""
    tried: frozenset[str] = frozenset()
    """Names that were to be put, and that the server refused."""
    created: CallFact | None = None
    """By Create of this object."""
    deleted: CallFact | None = None
    refreshed: bool | None = False
    """None: not known."""
    from_server: bool = False
    """It came from QueueInfos.Next, Queue.QueueInfo or a message: 3.10.3 does not bind it to a put."""

    def snapshot(self) -> QueueInfoState:
        found = copy(self)
        found.put, found.shown, found.queue = dict(self.put), dict(self.shown), copy(self.queue)
        return found


@dataclass(slots=True, eq=False)
class QueueState(ObjectState):
    """[MC-MQAC] 3.11.1: an opened queue, which is a session."""

    queue: QueueIdentity = field(default_factory=QueueIdentity)
    naming_doubt: Reason | None = None
    pairs: list[ComPair] = field(default_factory=list)
    """Of all clients that called it or got it, the first so many."""
    opened: CallFact | None = None
    is_proven: bool = False
    """A call on it was answered as only a queue answers that is open or was, or nobody knows how."""
    access: int | None = None
    share_mode: int | None = None
    closed: CallFact | None = None
    """By Close, which succeeded or was not seen to be answered."""
    closed_at: Moment | None = None
    cursor: str | None = None
    """`unread` since Open, `reset`, `valid` after a read by it, `end`; None: not known."""
    notices: int = 0
    """How often EnableNotification was not refused: each hands the queue to the client once more, when it is due."""
    unnamed: bool = False
    """It was called, and nobody knows by which member."""
    purges: int = 0
    reads: dict[int, Read] = field(default_factory=dict)
    """Not told, by id()."""
    sends: dict[int, Sent] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    """Of what was told: rows of `sessions` have these columns."""
    uncounted: Reason | None = None

    def kept(self) -> Reason | None:
        """Why somebody may hold it who was not seen to get it, although all that were seen gave it back."""
        if self.object.overdrawn or self.notices > self.object.passed:
            return Reason.OPEN_NOT_SEEN
        return self.missed()

    def missed(self) -> Reason | None:
        """Why something may have been done with it out of sight."""
        if self.is_over:
            return self.missed_before
        since = (self.opened or self.first).until
        return next((reason for pair in self.pairs if (reason := pair.within.blind_since(since)) is not None), None)

    @property
    def is_session(self) -> bool:
        """One that a client made by itself is no queue: 3.11.3."""
        return self.opened is not None or self.is_proven

    @property
    def session_uid(self) -> str | None:
        """None: no row of `sessions` tells of it."""
        if not self.is_session:
            return None
        return derived_uid("S", f"{self.first.call_uid}|{self.object.object_uid}")

    def snapshot(self) -> QueueState:
        found = copy(self)
        found.queue, found.counts = copy(self.queue), dict(self.counts)
        return found


@dataclass(slots=True, eq=False)
class MessageState(ObjectState):
    """[MC-MQAC] 3.17.1."""

    got: dict[str, Known] = field(default_factory=dict)
    """Properties that the client fetched, as answered last."""
    put: dict[str, Known] = field(default_factory=dict)
    read: Read | None = None
    """That gave it."""
    sent: Sent | None = None
    """Its last Send."""

    def missed(self) -> Reason | None:
        """Why more may have been fetched of it out of sight."""
        if self.is_over or self.read is None:
            return self.missed_before
        return self.read.pair.within.blind_since(self.read.call.until)

    def snapshot(self) -> MessageState:
        found = copy(self)
        found.got, found.put = dict(self.got), dict(self.put)
        return found


@dataclass(slots=True, eq=False)
class TransactionState(ObjectState):
    """[MC-MQAC] 3.9.1."""

    unit: Unit | None = None
    """None: nothing is attached to it, as far as is known."""
    ended: tuple[CallFact, ...] = ()
    """Commits and aborts that succeeded, the first two."""
    attached: CallFact | None = None
    """InitNew."""

    def snapshot(self) -> TransactionState:
        found = copy(self)
        found.unit = copy(self.unit)
        return found


@dataclass(slots=True, eq=False)
class ManagementState(ObjectState):
    """[MC-MQAC] 3.3.1."""

    init: CallFact | None = None
    """That succeeded."""
    failed_init: CallFact | None = None
    machine: str | None = None
    queue: QueueIdentity = field(default_factory=QueueIdentity)
    is_local: bool | None = None

    def snapshot(self) -> ManagementState:
        found = copy(self)
        found.queue = copy(self.queue)
        return found


@dataclass(slots=True, eq=False)
class ApplicationState(ObjectState):
    """[MC-MQAC] 3.2.1."""

    machine: Known | None = None
    registered: CallFact | None = None


@dataclass(slots=True, eq=False)
class QueueInfosState(ObjectState):
    """[MC-MQAC] 3.14.1: what a query found."""

    asked: CallFact | None = None
    """LookupQueue."""
    at_end: bool = False
    given: int = 0


@dataclass(slots=True, eq=False)
class DestinationState(ObjectState):
    """[MC-MQAC] 3.12.1."""

    queue: QueueIdentity = field(default_factory=QueueIdentity)
    named: bool = False
    tried: frozenset[str] = frozenset()
    opened: CallFact | None = None
    is_open: bool | None = False


@dataclass(slots=True, eq=False)
class EventState(ObjectState):
    """[MC-MQAC] 3.16.1."""

    advised: dict[int, CallFact] = field(default_factory=dict)
    """By cookie."""
    is_crowded: bool = False
    """There were more than are kept in mind."""

    def snapshot(self) -> EventState:
        found = copy(self)
        found.advised = dict(self.advised)
        return found


@dataclass(slots=True, eq=False)
class ConnectionPointState(ObjectState):
    event: EventState | None = None

    def snapshot(self) -> ConnectionPointState:
        found = copy(self)
        found.event = None if self.event is None else self.event.snapshot()
        return found


@dataclass(slots=True, eq=False)
class SinkState(ObjectState):
    """A client's own object, which a server calls when a message arrives: 3.16.4.4."""

    advised: CallFact | None = None
    fired: int = 0


SINK: Final = "sink"
"""In place of a class: a client's own object."""
STATES: Final[dict[str, type[ObjectState]]] = {
    "MSMQQueueInfo": QueueInfoState,
    "MSMQQueue": QueueState,
    "MSMQMessage": MessageState,
    "MSMQTransaction": TransactionState,
    **dict.fromkeys(("MSMQManagement", "MSMQQueueManagement", "MSMQOutgoingQueueManagement"), ManagementState),
    "MSMQApplication": ApplicationState,
    "MSMQQueueInfos": QueueInfosState,
    "MSMQDestination": DestinationState,
    "MSMQEvent": EventState,
    "ConnectionPoint": ConnectionPointState,
    SINK: SinkState,
}
"""By class; others have nothing to keep."""
