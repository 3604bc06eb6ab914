"""What is done to messages beside reading them: sends, moves and rejections, which a transaction may undo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.facts import vocabulary as v

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact
    from pipelines.facts.reasons import Reason
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.units import UnitOfWork


@dataclass(slots=True, eq=False)
class Act:
    """Something done to a message of an open queue that a transaction may undo. Told when that is decided."""

    call: CallFact
    pair: Pair
    session: Session | None
    unit: UnitOfWork | None
    uow: str | None
    """Whether or not it was taken part in."""
    doubt: Reason | None = None

    @property
    def succeeded(self) -> bool:
        return self.call.status == v.MQ_OK

    @property
    def undone(self) -> bool:
        return self.unit is not None and self.unit.undone

    @property
    def outcome(self) -> str:
        if not self.succeeded:
            return "unknown" if self.call.unknown else "failure"
        return str(self.unit.outcome) if self.unit is not None and self.unit.undone else "success"


@dataclass(slots=True, eq=False)
class SendStep(Act):
    """A message was sent, or should have been."""

    queue_name: str | None = None
    """As the call names it; None where its session does."""


@dataclass(slots=True, eq=False)
class MoveStep(Act):
    """A message was moved to another queue, or should have been."""

    target: Session | None = None
    shown: Read | None = None
    """A read of the same queue that showed the message before."""


@dataclass(slots=True, eq=False)
class RejectStep(Act):
    """A consumer said what a message that it read is to count as."""

    shown: Read | None = None

    @property
    def rejects(self) -> bool:
        """[MS-MQRR] 3.1.4.14: 0 changes nothing."""
        return bool((self.call.request or {}).get("usClass"))
