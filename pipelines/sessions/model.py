"""An opened remote queue, a read of one message, and the hosts between which they happen."""

from __future__ import annotations

import enum
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from pipelines.facts.model import BEGINNING

if TYPE_CHECKING:
    from collections.abc import Hashable

    from pipelines.facts.model import CallFact, ConnectionFact, Moment
    from pipelines.facts.reasons import Reason

_Key = TypeVar("_Key", bound="Hashable")
_Value = TypeVar("_Value")


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


class Recent(Generic[_Key, _Value]):
    """The last so many entries: what has passed is remembered for a while, never without bound."""

    __slots__ = ("_entries", "_most")

    def __init__(self, most: int) -> None:
        self._entries: OrderedDict[_Key, _Value] = OrderedDict()
        self._most = most

    def put(self, key: _Key, value: _Value) -> None:
        self._entries[key] = value
        self._entries.move_to_end(key)
        if len(self._entries) > self._most:
            self._entries.popitem(last=False)

    def get(self, key: _Key) -> _Value | None:
        return self._entries.get(key)

    def drop(self, key: _Key) -> None:
        self._entries.pop(key, None)

    def clear(self) -> None:
        self._entries.clear()


REMEMBERED: Final = 512
"""Closed handles, finished requests, acknowledged messages: of each client or session, each."""


@dataclass(slots=True, eq=False, kw_only=True)
class Sight:
    """Until when something may have happened out of sight."""

    blind_until: Moment = BEGINNING
    blind_reason: Reason | None = None

    def go_blind(self, until: Moment, reason: Reason) -> None:
        if until > self.blind_until:
            self.blind_until, self.blind_reason = until, reason

    def blind_since(self, since: Moment) -> Reason | None:
        return self.blind_reason if self.blind_until >= since else None


@dataclass(slots=True, eq=False)
class Association(Sight):
    """Connections of a client that share context handles: [MS-RPCE] 3.3.1.1.1."""

    born: Moment | None
    """When it began, where that was seen: then no handle of it is older. None: nobody knows what came before."""
    open_uids: set[str] = field(default_factory=set)
    all_closed: bool = True
    """Of those that are over, each was seen to end."""
    sessions: dict[int, Session] = field(default_factory=dict)
    """Not over yet, by id()."""
    reads: dict[int, Read] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Connection:
    fact: ConnectionFact
    association: Association
    group_known: bool


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
        return self.handle is not None and self.finished is None

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
    association: Association | None = None
    p_queue: int | None = None
    context: int | None = None
    client_qm: str | None = None
    closed: CallFact | None = None
    closed_at: Moment | None = None
    close_asked: bool = False
    state: SessionState | None = None
    doubt: Reason | None = None
    outcomes: dict[ReadOutcome, int] = field(default_factory=dict)
    disclosed: dict[ReadOutcome, int] = field(default_factory=dict)
    """Bytes of messages that left the server, by what became of the read."""
    peeks: int = 0
    receives: int = 0
    purges: int = 0
    outstanding: dict[int, list[Read]] = field(default_factory=dict)
    """Asked for and not over, by request id."""
    reads: dict[int, Read] = field(default_factory=dict)
    """Not over, by id(): a session is told when it has none."""
    finished: Recent[int, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    """By request id."""
    acked: Recent[int, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    """Removed from the queue and confirmed, by sequential id."""
    nacked: Recent[int, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    cursors: dict[int, CallFact] = field(default_factory=dict)
    """Used and not closed."""
    cursors_closed: int = 0
    closed_cursors: Recent[int, CallFact] = field(default_factory=lambda: Recent(REMEMBERED))

    def forget(self) -> None:
        """It is over: its reads, which know it, are let go."""
        self.outstanding.clear()
        for memory in (self.finished, self.acked, self.nacked, self.closed_cursors):
            memory.clear()

    def blind_since(self, since: Moment) -> Reason | None:
        """Why something about it may have been missed since then."""
        reason = self.pair.blind_since(since)
        return reason or (self.association.blind_since(since) if self.association else None)

    @property
    def numbers(self) -> set[int]:
        """That name the queue in calls: [MS-MQQP] 3.1.4.3 and its note <15>."""
        return {number for number in (self.queue_handle, self.context) if number is not None}

    @property
    def handles(self) -> set[int | str]:
        return self.numbers | ({self.handle} if self.handle is not None else set())

    @property
    def is_over(self) -> bool:
        return self.state is not None


@dataclass(slots=True, eq=False)
class Pair(Sight):
    """What one client does with the server."""

    client: str
    connections: dict[str, Connection] = field(default_factory=dict)
    """Under way."""
    associations: dict[int, Association] = field(default_factory=dict)
    """By group id; those with a connection under way."""
    stopped: list[Connection] = field(default_factory=list)
    """Past their last packet, and not seen to end."""
    loose: bool = False
    """There was such a one: what it had open may be open still."""
    by_queue: dict[int | str, list[Session]] = field(default_factory=dict)
    """Open ones, the newest last."""
    by_handle: dict[str, Session] = field(default_factory=dict)
    opening: list[int] = field(default_factory=list)
    """Queue handles of opens under way."""
    reads: dict[str, Read] = field(default_factory=dict)
    """Holding a message, by context handle."""
    past_sessions: Recent[Any, Session] = field(default_factory=lambda: Recent(REMEMBERED))
    """Closed ones, by queue handle and by context handle."""
    past_reads: Recent[str, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    """Ended or failed ones, by context handle."""
    asked_version: CallFact | None = None
    """Its last RemoteQmGetVersion."""
    port_answer: CallFact | None = None
    """Its last answered query for the port of qm2qm."""

    @property
    def is_idle(self) -> bool:
        """Nothing of it is left to tell."""
        busy = any(one.sessions or one.reads for one in self.associations.values())
        return not busy and not self.by_queue and not self.reads and len(self.connections) == len(self.stopped)
