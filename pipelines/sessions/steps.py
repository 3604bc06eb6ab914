"""What the state machine tells: each step with all that it refers to, so that a rule needs to look nowhere else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import CallFact, ConnectionFact, Moment
    from pipelines.facts.versions import Version
    from pipelines.sessions.model import Association, Connection, Pair, Read, Session

Values = dict[str, Any]


@dataclass(slots=True)
class CallStep:
    """A call that is over. What it refers to is as it stood when it was asked."""

    call: CallFact
    pair: Pair
    connection: Connection | None
    session: Session | None = None
    """The client's own session that the call works on; for an open, the one it makes."""
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
    opening: bool = False
    """An open of the queue was under way."""
    other_association: bool = False
    """The session was opened in another association of the client, so that it may be another one's."""
    first_seen: bool = False
    """The call names a queue handle that nobody was seen to open."""
    server_version: Version | None = None
    client_version: Version | None = None
    asked_version: CallFact | None = None
    """The client's last RemoteQmGetVersion before this call."""
    port_answer: CallFact | None = None
    """The client's last answered query for the port of qm2qm before this call."""
    settings: Mapping[str, int] = field(default_factory=dict)

    @property
    def request(self) -> Values:
        return self.call.request or {}

    @property
    def response(self) -> Values:
        return self.call.response or {}

    @property
    def desc(self) -> Values | None:
        """REMOTEREADDESC of the request; None for a null pointer."""
        return descriptor(self.call.request)

    @property
    def answered_desc(self) -> Values | None:
        return descriptor(self.call.response)

    @property
    def succeeded(self) -> bool:
        return self.call.status == 0

    @property
    def failed(self) -> bool:
        """By a failure HRESULT, or by a fault."""
        return self.call.fault is not None or bool(self.call.status and self.call.status & 0x8000_0000)

    @property
    def code(self) -> int | None:
        """The status, or what a fault carries: servers may throw what they would return."""
        return self.call.status if self.call.fault is None else self.call.fault

    def blind_since(self, since: Moment) -> Reason | None:
        """Why something between the two hosts may have been missed since then."""
        reason = self.pair.blind_since(since)
        if reason is None and self.connection is not None:
            reason = self.connection.association.blind_since(since)
        return reason or (self.session.blind_since(since) if self.session else None)

    def association_incomplete(self) -> Reason | None:
        """Why a handle of this association may have been given without being seen; None: all was seen."""
        return incomplete(self.connection.association if self.connection else None, self.pair)


def incomplete(association: Association | None, pair: Pair) -> Reason | None:
    if association is None or association.born is None:
        return Reason.STARTED_MIDSTREAM
    return pair.blind_since(association.born) or association.blind_since(association.born)


def descriptor(values: Values | None) -> Values | None:
    if not values:
        return None
    found: Values | None = values.get("lpRemoteReadDesc")
    if found is None:
        found = (values.get("lpRemoteReadDesc2") or {}).get("pRemoteReadDesc")
    return found


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
class ConnectionStep:
    """A connection as a whole, told when it begins: its binds may be from later."""

    fact: ConnectionFact
    pair: Pair


@dataclass(slots=True)
class ConnectionOver:
    """Nothing more comes of a connection."""

    uid: str


Judged: TypeAlias = CallStep | ReadStep | SessionStep | ConnectionStep
"""What rules look at."""
Step: TypeAlias = Judged | ConnectionOver
