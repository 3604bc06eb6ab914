"""Reads, sends and transactions: what is told when it is decided what became of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.sessions.model import ReadOutcome, TransactionState
from schemas.tables.transactions import MAX_LISTED
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from pipelines.com.sight import ComPair
    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.objects import Known, MessageState, QueueIdentity, QueueState
    from pipelines.mqac.steps import MqacStep

MAX_PAIRS: Final = 16
"""Clients of one queue or transaction whose connections are looked at for what was missed."""
MAX_WAITING: Final = 16_384
"""Reads and sends that wait for the end of one transaction; more are told at once, in doubt."""
_AFTERWARDS: Final = {
    TransactionState.COMMITTED: ReadOutcome.ACKED,
    TransactionState.ABORTED: ReadOutcome.NACKED,
    TransactionState.RUNDOWN: ReadOutcome.RUNDOWN,
    TransactionState.UNKNOWN: ReadOutcome.UNFINISHED,
}


@dataclass(slots=True, eq=False)
class Unit:
    """A transaction, which several objects may stand for: [MC-MQAC] 3.8, 3.9."""

    uow: str
    first: CallFact
    begun: CallFact | None = None
    internal: bool | None = None
    """By MSMQTransactionDispenser; else by the coordinator. None: its beginning was not seen."""
    outcome: TransactionState = TransactionState.UNKNOWN
    ended: CallFact | None = None
    ended_at: Moment | None = None
    is_over: bool = False
    doubt: Reason | None = None
    reads: int = 0
    sends: int = 0
    pairs: dict[int, ComPair] = field(default_factory=dict)
    """Of those that used it, by id(), the first so many."""
    clients: dict[str, None] = field(default_factory=dict)
    sessions: dict[str, QueueState] = field(default_factory=dict)
    """By uid, the first so many."""
    waiting: list[Read | Sent] = field(default_factory=list)

    @property
    def uid(self) -> str:
        return derived_uid("T", f"{self.first.call_uid}|{self.uow}")

    @property
    def doubt_of_reads(self) -> Reason | None:
        """That the capture ended first is what `unfinished` says."""
        return None if self.doubt is Reason.CAPTURE_ENDED else self.doubt

    def missed(self) -> Reason | None:
        """Why something may have been done in it, or have ended it, out of sight."""
        since = self.first.until
        return next((found for one in self.pairs.values() if (found := one.within.blind_since(since))), None)

    def takes(self, step: MqacStep, session_uid: str | None, queue: QueueState | None) -> None:
        if len(self.clients) < MAX_LISTED:
            self.clients[step.call.client] = None
        if len(self.pairs) < MAX_PAIRS:
            self.pairs[id(step.pair)] = step.pair
        if queue is not None and session_uid is not None and len(self.sessions) < MAX_LISTED:
            self.sessions[session_uid] = queue


@dataclass(slots=True, eq=False)
class Read:
    """A receive or peek."""

    call: CallFact
    pair: ComPair
    queue: QueueState
    action: str
    removes: bool
    lookup_id: int | None = None
    at_once: ReadOutcome | None = None
    """What the answer says; None: the end of its transaction will."""
    message: MessageState | None = None
    unseen: Reason | None = None
    """Why properties that were fetched may not be those of the message."""
    unit: Unit | None = None
    doubt: Reason | None = None
    is_told: bool = False

    @property
    def outcome(self) -> ReadOutcome:
        if self.at_once is not None or self.unit is None:
            return self.at_once or ReadOutcome.UNFINISHED
        return _AFTERWARDS[self.unit.outcome]

    @property
    def waits(self) -> bool:
        return self.at_once is None and self.unit is not None and not self.unit.is_over

    @property
    def body(self) -> Known | None:
        """That the client fetched: only so it left the server."""
        return self.message.got.get("Body") if self.message else None

    @property
    def disclosed(self) -> int:
        """Bytes of it."""
        return 0 if self.body is None else self.body.value.size or 0

    def doubted(self) -> Reason | None:
        """What a client fetched of the message out of sight is not told."""
        unseen = self.message.missed() if self.message is not None and self.body is None else None
        if self.doubt is not None or self.at_once is not None or self.unit is None:
            return self.doubt or unseen
        return self.unit.doubt_of_reads or unseen


@dataclass(slots=True, eq=False)
class Sent:
    """A message that was sent, or should have been."""

    call: CallFact
    pair: ComPair
    message: MessageState
    """As it was then."""
    code: int | None
    succeeded: bool
    failed: bool
    queue: QueueState | None = None
    identity: QueueIdentity | None = None
    unit: Unit | None = None
    unseen: Reason | None = None
    """Why properties that were put may not be those that it was sent with."""
    doubt: Reason | None = None
    is_told: bool = False

    @property
    def waits(self) -> bool:
        return self.succeeded and self.unit is not None and not self.unit.is_over

    @property
    def outcome(self) -> str:
        if not self.succeeded:
            return "failure" if self.failed else "unknown"
        return "aborted" if self.unit is not None and self.unit.outcome is TransactionState.ABORTED else "success"

    def doubted(self) -> Reason | None:
        if self.doubt is not None or self.unit is None or not self.succeeded:
            return self.doubt or self.unseen
        if self.unit.is_over:
            return self.unit.doubt
        return Reason.CAPTURE_ENDED
