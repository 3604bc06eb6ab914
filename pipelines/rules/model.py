"""A rule: what a document demands, in our words, and the function that decides whether a step keeps it."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.com.steps import ComStep
    from pipelines.facts.model import CallFact, Method
    from pipelines.facts.versions import Version
    from pipelines.mqac.steps import MqacStep
    from pipelines.sessions import steps

Judged: TypeAlias = "steps.Judged | ComStep | MqacStep"
"""What rules look at."""
Settings: TypeAlias = "Mapping[str, int]"
"""Thresholds by name."""


class Party(enum.StrEnum):
    CLIENT = "client"
    SERVER = "server"
    NOBODY = "nobody"
    """A detection accuses neither."""


class Level(enum.StrEnum):
    """Sigma's."""

    INFORMATIONAL = "informational"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        return list(Level).index(self)


class Subject(enum.StrEnum):
    """What a rule looks at."""

    CALL = "call"
    READ = "read"
    SESSION = "session"
    TRANSACTION = "transaction"
    CONNECTION = "connection"
    COM = "com"
    """A call of DCOM: at an object, or at the object resolver."""
    MQAC = "mqac"
    """A call of one of MSMQ's objects, by its number or by Invoke."""


class Need(enum.StrEnum):
    """What must have been captured for a call to be judged; the engine sees to it before the check is asked."""

    REQUEST = "request"
    """The request, whole and decoded."""
    RESPONSE = "response"
    """An answer, whole and decoded: a response or a fault."""
    OPERATION = "operation"
    """Only its number: sealed calls show it too."""


@dataclass(frozen=True, slots=True)
class Broken:
    """The rule is broken; `values` are what proves it, under the names people know."""

    values: Mapping[str, Any] = field(default_factory=dict)


Answer: TypeAlias = bool | Reason | Broken | None
"""True: kept. False or Broken: broken. A Reason: cannot be decided. None: the rule is not about this step."""


@dataclass(frozen=True, slots=True)
class Exemption:
    """Product versions that differ, by a note of the document's appendix."""

    note: str
    """E.g. `<10>`."""
    says: str
    """In our words."""
    applies: Callable[[Version], bool]
    """To a server of that version. Windows NT and 2000 cannot be asked for theirs."""


@dataclass(frozen=True, slots=True)
class Detected:
    """Something a detection reports. `values` as in Broken."""

    step: Judged
    values: Mapping[str, Any]
    count: int = 1


@dataclass(frozen=True, slots=True)
class Undecided:
    """What a watcher cannot decide about a step."""

    step: Judged
    reason: Reason


Look: TypeAlias = "Callable[[Any], Iterable[Detected | Undecided | bool]]"


class Watcher:
    """The memory of a detection about one server; bounded, whatever comes."""

    subjects: ClassVar[frozenset[Subject]] = frozenset()
    """What it looks at beside calls."""

    def sees_calls_of(self, method: Method) -> bool:  # noqa: ARG002
        """Whether it looks at calls of that operation."""
        return False

    def look_at(self, call: CallFact) -> Look | None:
        """What looks at calls of that operation of which as much can be read; None: nothing does."""
        return self.see if self.sees_calls_of(call.method) else None

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:  # noqa: ARG002
        """True for a step looked at that is nothing to report."""
        return ()

    def finish(self) -> Iterable[Detected | Undecided]:
        """No more steps come."""
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """There is one object of each: equal is what is the same."""

    id: str
    title: str
    """What a finding says: a short sentence."""
    document: str
    section: str
    """One or more of the document, comma separated."""
    requirement: str
    """What the document demands, in our words."""
    keyword: str
    """MUST, MUST NOT, SHOULD or SHOULD NOT, of a clause that binds the party; empty for detections."""
    party: Party
    level: Level
    subject: Subject = Subject.CALL
    operations: tuple[Method, ...] = ()
    """Of calls, DCOM's too, by their interface and name on the wire; empty: every judged call."""
    members: tuple[Meaning, ...] = ()
    """Of MSMQ's objects, where the rule looks at calls of them: alone, or beside those of its subject."""
    needs: frozenset[Need] = frozenset((Need.REQUEST,))
    check: Callable[[Any], Answer] | None = None
    """Takes the step of its subject."""
    watch: Callable[[Settings], Watcher] | None = None
    """Instead of `check`, for detections that need a memory of their own."""
    exemptions: tuple[Exemption, ...] = ()
    attack: tuple[str, ...] = ()
    """ATT&CK technique ids."""
    settings: Mapping[str, int] = field(default_factory=dict)
    """Thresholds with their defaults; a check gets them as step.settings, a watcher at its making."""
    undecidable_when: str = ""
    """For people: what it needs to be decidable, beyond `needs`."""

    @property
    def is_detection(self) -> bool:
        return self.party is Party.NOBODY

    @property
    def question(self) -> str:
        """What is left open where it cannot be decided: the duty, not its breach, so that nobody seems accused."""
        return f"Did it happen? {self.title}." if self.is_detection else f"Was it kept? {self.requirement}"

    @property
    def spec(self) -> str:
        return f"{self.document} {self.section}"


REQUEST: Final = frozenset((Need.REQUEST,))
RESPONSE: Final = frozenset((Need.RESPONSE,))
BOTH: Final = frozenset((Need.REQUEST, Need.RESPONSE))
OPERATION: Final = frozenset((Need.OPERATION,))
