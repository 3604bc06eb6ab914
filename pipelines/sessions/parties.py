"""A client of the server: its connections, the associations that these make up, and what it has open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipelines.sessions.memory import REMEMBERED, Recent, Sight

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, ConnectionFact, Moment
    from pipelines.sessions.mapper import Mapped
    from pipelines.sessions.model import Number, Read, Session, Transaction


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
    transactions: dict[str, Transaction] = field(default_factory=dict)
    """Internal ones under way, by handle: they are aborted with it ([MS-MQMP] 3.1.7.3)."""
    introduction: CallFact | None = None
    """The first open of RemoteRead, in which the client tells of itself."""
    licence: CallFact | None = None
    """The first open of qmcomm, likewise."""


@dataclass(slots=True, eq=False)
class Connection:
    fact: ConnectionFact
    association: Association
    group_known: bool


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
    by_queue: dict[Number | str, list[Session]] = field(default_factory=dict)
    """Open ones, the newest last."""
    by_handle: dict[str, Session] = field(default_factory=dict)
    opening: list[Number] = field(default_factory=list)
    """Queue handles of opens under way."""
    reads: dict[str, Read] = field(default_factory=dict)
    """Holding a message, by context handle."""
    past_sessions: Recent[Any, Session] = field(default_factory=lambda: Recent(REMEMBERED))
    """Closed ones, by queue handle and by context handle."""
    past_reads: Recent[str, Read] = field(default_factory=lambda: Recent(REMEMBERED))
    """Ended or failed ones, by context handle."""
    transactions: dict[str, Transaction] = field(default_factory=dict)
    """Internal ones under way, by handle."""
    past_transactions: Recent[str, Transaction] = field(default_factory=lambda: Recent(REMEMBERED))
    remote_contexts: Recent[int, str] = field(default_factory=lambda: Recent(REMEMBERED))
    """Call that made a cursor in steps, by the cli_pQMQueue it gave."""
    asked_version: CallFact | None = None
    """Its last RemoteQmGetVersion."""
    port_answer: CallFact | None = None
    """Its last answered query for the port of qm2qm."""
    remote_read_mapped: Mapped | None = None
    """Its last answered question to the endpoint mapper for RemoteRead."""

    @property
    def is_idle(self) -> bool:
        """Nothing of it is left to tell."""
        busy = any(one.sessions or one.reads or one.transactions for one in self.associations.values())
        return not busy and not self.by_queue and not self.reads and len(self.connections) == len(self.stopped)
