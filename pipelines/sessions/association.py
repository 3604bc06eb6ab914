"""An association, and a connection of it: [MS-RPCE] 3.3.1.5.7. Context handles are valid in one association only."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipelines.sessions.memory import BlindSpan, MissedBytes

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, ConnectionFact, Moment
    from pipelines.sessions.model import Read, Session, SessionKind
    from pipelines.sessions.severance import Severance
    from pipelines.sessions.units import Transaction

MAX_ANSWERS: Final = 64


@dataclass(slots=True, eq=False)
class Association(BlindSpan):
    """Connections of a client that share context handles."""

    born: Moment | None
    """When it began, where that was seen: then no handle of it is older. None: nobody knows what came before."""
    port: int
    """Of the server's endpoint, which gave it its number."""
    number: int | None
    """assoc_group_id; None: not seen."""
    open_uids: set[str] = field(default_factory=set)
    all_closed: bool = True
    """Of those that are over, each was seen to end."""
    severance: Severance | None = None
    """How the connection ended that was over last."""
    server_left: Moment | None = None
    """When the server last ended a connection of it."""
    perhaps_left: Moment | None = None
    """When a connection of it ended last of which nobody knows by whom."""
    reset: Moment | None = None
    """When a connection of it that was not the last was reset, by whichever side: who was started again resets too."""
    kept: Moment | None = None
    """The oldest gift that the server has honoured since: it was not started again after that."""
    renewed: Moment | None = None
    """A connection of it began then that does not know what was given before: the server had been started again."""
    missed: MissedBytes = field(default_factory=MissedBytes)
    """What was said on its own connections. That one may have gone on when the capture ended is not in it."""
    sessions: dict[int, Session] = field(default_factory=dict)
    """Not over yet, by id()."""
    half_known: dict[tuple[SessionKind, bool], dict[int, Session]] = field(default_factory=dict)
    """Those of them whose opening was cut or not seen and that are known by one name alone, by kind and by whether it
    is the handle that is missing.
    """
    reads: dict[int, Read] = field(default_factory=dict)
    transactions: dict[str, Transaction] = field(default_factory=dict)
    """Internal ones under way, by handle: they are aborted with it ([MS-MQMP] 3.1.7.3)."""
    null_given: bool = False
    """The server answered success without the handle that belongs to it."""
    version_answer: CallFact | None = None
    """The server's last answer to RemoteQmGetVersion here."""
    introduction: CallFact | None = None
    """The first open of RemoteRead, in which the client tells of itself."""
    licence: CallFact | None = None
    """The first open of qmcomm, likewise."""

    def note(self, session: Session) -> None:
        """It is open, and known by these names."""
        self.sessions[id(session)] = session
        unseen = session.opened is None or not session.opened.request_whole
        for of_handle, lacks in ((True, session.handle is None), (False, not session.numbers)):
            known = self.half_known.setdefault((session.kind, of_handle), {})
            if unseen and lacks:
                known[id(session)] = session
            else:
                known.pop(id(session), None)

    def drop(self, session: Session) -> None:
        self.sessions.pop(id(session), None)
        for known in self.half_known.values():
            known.pop(id(session), None)

    def has_lost(self, given: Moment) -> bool:
        """The server that gave it then was started again: it is run down, whatever becomes of the connections."""
        return self.renewed is not None and given < self.renewed

    def severance_of(self, given: Moment) -> Severance | None:
        """How that ended which was given then; None: by a server that forgot it, nobody knows when, or not known.

        A client that closes the rest in good order may have learned by a reset that the server has forgotten it.
        """
        by_server = self.severance is not None and self.severance.is_servers
        return None if self.has_lost(given) or (self.may_have_lost(given) and not by_server) else self.severance

    def may_have_lost(self, given: Moment) -> bool:
        """A connection of it was reset since: the server may have been started again."""
        return self.reset is not None and given < self.reset and (self.kept is None or given < self.kept)

    @property
    def is_busy(self) -> bool:
        return bool(self.sessions or self.reads or self.transactions)


@dataclass(slots=True, eq=False)
class Connection:
    fact: ConnectionFact
    association: Association
    served: Moment | None = None
    """When the latest of its calls was asked that have been answered: the server was heard after that."""
    orphaned: bool = False
    """The client gave up a call on it for good."""
    answers: deque[tuple[Moment, Moment]] = field(default_factory=lambda: deque(maxlen=MAX_ANSWERS))
    """When its last calls were asked and answered."""
    late: set[Moment] = field(default_factory=set)
    """When bytes of it were captured that had been sent before: what they answer may be something older."""

    def reached(self, asked: Moment) -> Moment | None:
        """When the server had what was asked then, as its answer to something later shows: packets do not overtake."""
        return min((answered for later, answered in self.answers if later > asked), default=None)

    @property
    def is_numbered(self) -> bool:
        return self.association.number is not None

    @property
    def may_be_of_another(self) -> bool:
        """Where a number is missing. One whose bind began an association is of no other: [C706] 12.6.3.6."""
        return self.fact.may_read and not self.fact.asks_new_group
