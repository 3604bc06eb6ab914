"""What really happened, as the tables should tell it."""

from __future__ import annotations

from dataclasses import dataclass, field

CLOSED, RUNDOWN, OPEN = "closed", "rundown", "open_at_end"


@dataclass(slots=True, eq=False)
class Session:
    endpoint: str
    client: str
    server: str
    opened_us: int
    """When its opening was asked for."""
    handle: str | None
    """None: of an object, which has none."""
    queue: str
    """Format name."""
    username: str
    """Of whom the server knows."""
    number: int | None = None
    """hQueue."""
    client_qm: str | None = None
    person: str = ""
    """For whom, where somebody else asked for it."""
    states: frozenset[str] = frozenset((OPEN,))
    """Any of these would be true."""
    closed_us: int | None = None
    purges: int = 0
    told: bool = True
    """The client was given the handle."""
    sealed: bool = False
    """Its opening."""
    naming_sealed: bool = False
    """The remote open that names it: a number of an older one may have been given again."""
    end_sealed: bool = False
    """Its close, which may come on another connection."""
    asked_for: str = ""
    """The format name by which it was opened, where that is another one."""
    reads: list[Read] = field(default_factory=list)

    def purged(self, auth: str) -> None:
        """What is sealed is counted nowhere."""
        self.purges += auth != "privacy"


@dataclass(slots=True, eq=False)
class Read:
    session: Session | None
    asked_us: int
    action: str
    request_id: int | None
    outcomes: frozenset[str] = frozenset(("unfinished",))
    """Any of these would be true."""
    body: int | None = None
    sequential_id: int | None = None
    sealed: bool = False
    """Its start."""
    end_sealed: bool = False
    endpoint: str = "qm2qm"
    fetched: int | None = None
    """Of an object: bytes of the body that the client got."""
    fetched_unsure: bool = False
    unheard: bool = False
    """Of qmcomm, where one call is all of it: the answer could not be sent."""

    def came_to(self, *outcomes: str) -> None:
        self.outcomes = frozenset(outcomes)
        if self.unheard:
            # A message that was removed is not back again because nobody heard of it.
            self.outcomes |= {"unfinished"} if "acked" in outcomes else {"unfinished", "rundown"}

    def not_heard(self) -> None:
        self.unheard = True
        self.came_to(*self.outcomes)


@dataclass(slots=True, eq=False)
class Send:
    session: Session | None
    asked_us: int
    sealed: bool
    outcomes: frozenset[str] = frozenset(("failure",))
    unheard: bool = False
    """The answer could not be sent: whatever comes of it later, nobody knows whether it was sent at all."""

    def came_to(self, *outcomes: str) -> None:
        self.outcomes = frozenset((*outcomes, "unknown") if self.unheard else outcomes)

    def not_heard(self) -> None:
        self.unheard = True
        self.came_to(*self.outcomes)


@dataclass(slots=True)
class Truth:
    sessions: list[Session] = field(default_factory=list)
    reads: list[Read] = field(default_factory=list)
    sends: list[Send] = field(default_factory=list)
    transactions: list[Transaction] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    mishaps: bool = False
    """Something broke, so that a call may have no answer."""
    roaming: bool = False
    """Clients have several addresses, and nothing says which are one client's: doubt is right."""


@dataclass(slots=True, eq=False)
class Act:
    """Of an administrator."""

    asked_us: int
    action: str
    username: str
    outcome: str = "unknown"
    sealed: bool = False
    person: str | None = None
    """For whom a server of objects did it; None: nobody else."""

    def came_to(self, outcome: str) -> None:
        self.outcome = outcome


@dataclass(slots=True, eq=False)
class Transaction:
    client: str
    server: str
    began_us: int
    unit: str
    outcomes: frozenset[str] = frozenset(("unknown",))
    reads: int = 0
    sends: int = 0
    moves: int = 0
    sealed: bool = False
