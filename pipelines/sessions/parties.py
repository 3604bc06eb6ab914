"""A client of the server: its associations, and what it has open."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pipelines.sessions.associations import Associations
from pipelines.sessions.memory import REMEMBERED, BlindSpan, MissedBytes, Recent

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact
    from pipelines.sessions.mapper import MapperCall
    from pipelines.sessions.model import Number, Read, Session
    from pipelines.sessions.units import Transaction


@dataclass(slots=True, eq=False)
class Pair(BlindSpan):
    """What one client does with the server."""

    client: str
    associations: Associations = field(default_factory=Associations)
    forgot: BlindSpan = field(default_factory=BlindSpan)
    """What it did and is no longer kept in mind: rows are right, and nothing can be said of what refers to it."""
    stray: MissedBytes = field(default_factory=MissedBytes)
    """What was out of sight of connections whose association nobody knows."""
    by_queue: dict[Number | str, list[Session]] = field(default_factory=dict)
    """Open ones, the newest last."""
    by_handle: dict[str, Session] = field(default_factory=dict)
    numberless: dict[int, Session] = field(default_factory=dict)
    """Open ones of qm2qm that were opened in view and whose numbers were cut off, by id()."""
    numberless_counted: dict[int, Session] = field(default_factory=dict)
    """Those of them whose counts nothing made doubtful so far."""
    opening: dict[Number, int] = field(default_factory=dict)
    """Queue handles of opens under way, and of how many."""
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
    remote_read_mapped: MapperCall | None = None
    """Its last answered question to the endpoint mapper for RemoteRead."""
    remote_reader: str | None = None
    """The queue manager that opened a queue by RemoteRead last."""

    @property
    def is_idle(self) -> bool:
        """Nothing of it is left to tell."""
        busy = any(one.is_busy for one in self.associations)
        under_way = len(self.associations.connections) - len(self.associations.stopped)
        return not busy and not self.by_queue and not self.reads and not under_way
