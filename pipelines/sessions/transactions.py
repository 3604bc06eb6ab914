"""Units of work: enlisted, used by reads, and for internal ones decided in view ([MS-MQMP] 3.1.4.13 to 3.1.4.16).

An external transaction is decided between the client and its coordinator: its outcome is not on this wire.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.model import END, slim
from pipelines.facts.readable import not_whole
from pipelines.facts.reasons import Reason
from pipelines.sessions.ending import unseen_since
from pipelines.sessions.memory import Recent
from pipelines.sessions.model import ReadOutcome, SessionKind, TransactionState
from pipelines.sessions.references import not_of_here
from pipelines.sessions.steps import TransactionStep
from pipelines.sessions.units import Transaction, Units

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact, Moment
    from pipelines.sessions.acts import Act
    from pipelines.sessions.association import Association
    from pipelines.sessions.ending import EndingSteps
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.parties import Pair
    from pipelines.sessions.shared_state import OnAnswered, OnAsked
    from pipelines.sessions.steps import CallStep, Values
    from pipelines.sessions.units import UnitOfWork

MAX_TRANSACTIONS: Final = 65_536
"""Of one server, by their units of work."""
MAX_HANDLES: Final = 4_096
"""Internal transactions under way of one association; past it the oldest is forgotten."""
_NONE: Final = "00" * 16
_OUTCOMES: Final = {
    TransactionState.COMMITTED: ReadOutcome.ACKED,
    TransactionState.ABORTED: ReadOutcome.NACKED,
    TransactionState.RUNDOWN: ReadOutcome.RUNDOWN,
}
"""Of what was received in it."""


def unit_of_work(value: Values | None) -> str | None:
    """An XACTUOW as text; None for a null pointer, and for all zero, by which [MS-MQRR] 3.2.4.6 says none."""
    octets = ((value or {}).get("rgb") or {}).get("hex")
    return None if octets == _NONE else octets


def doubt_of_unit(call: CallFact, uow: str | None) -> Reason | None:
    """A request that was cut may have named a transaction, which may undo what the call did."""
    return not_whole(call) if uow is None and not call.request_whole else None


def enlisted_late(unit: UnitOfWork | None, call: CallFact) -> Reason | None:
    """The answer to its enlistment was captured after what was done in it: so may its end have been, before that."""
    crossed = unit is not None and unit.enlisted is not None and unit.enlisted.until > call.began
    return Reason.TIMES_CROSS if crossed else None


class Transactions:
    def __init__(self, ending: EndingSteps) -> None:
        self._ending = ending
        self._known: Recent[str, Transaction] = Recent(MAX_TRANSACTIONS)
        self._units = Units(ending)
        self.asked: OnAsked = {
            v.ENLIST_INTERNAL: self._enlist_asked,
            v.ENLIST_EXTERNAL: self._enlist_asked,
            v.ENLIST_REMOTE: self._enlist_asked,
            v.COMMIT: self._end_asked,
            v.ABORT: self._end_asked,
        }
        self.answered: OnAnswered = {
            v.ENLIST_INTERNAL: self._enlist_answered,
            v.ENLIST_EXTERNAL: self._enlist_answered,
            v.ENLIST_REMOTE: self._enlist_answered,
            v.COMMIT: self._end_answered,
            v.ABORT: self._end_answered,
        }

    def find(self, uow: str | None) -> Transaction | None:
        return None if uow is None else self._known.get(uow)

    def refer(self, step: CallStep, uow: str | None) -> None:
        step.transaction = self.find(uow)
        step.transactions_forgotten = self._known.full

    def join(self, read: Read, uow: str | None) -> None:
        """The read is asked for in it."""
        read.uow, read.transaction = uow, self.find(uow)
        if read.transaction is not None:
            read.transaction.under_way[id(read)] = read

    def given(self, read: Read, start: CallFact) -> None:
        """The server gave the message in it."""
        read.unit = self._units.of(read.uow, start, read.session)
        if read.unit is not None:
            read.unit.reads += 1
            if read.transaction is None:
                # Its enlistment may have been answered meanwhile.
                read.transaction = self.find(read.uow)
                read.doubt = read.doubt or enlisted_late(read.unit, start)

    def settled(self, read: Read) -> None:
        """Or never to be answered: what came of it is known."""
        transaction = read.transaction
        if transaction is None:
            return
        transaction.under_way.pop(id(read), None)
        if transaction.decided_at is not None and not transaction.under_way:
            self._units.over(transaction.unit, transaction.state, transaction.decided_at)

    def decided(self, read: Read) -> ReadOutcome | None:
        """By an end that was answered before the read was: the server gives nothing in a transaction that is over."""
        transaction = read.transaction
        if transaction is None or not transaction.internal or transaction.decided_at is None:
            return None
        read.end, read.doubt = transaction.ended, read.doubt or transaction.unit.doubt_of_reads
        return _OUTCOMES[transaction.state]

    def unit(self, uow: str | None, call: CallFact, session: Session | None) -> UnitOfWork | None:
        """Of an act; None where the server refused it, or nobody knows."""
        return self._units.of(uow, call, session) if call.status == v.MQ_OK else self._units.get(uow)

    def act(self, act: Act) -> None:
        self._units.act(act)

    def waits(self, read: Read) -> bool:
        """Whether what becomes of its message is decided in view; then it is noted for that."""
        transaction = read.transaction
        if transaction is None or not transaction.internal or transaction.ended is not None:
            return False
        transaction.reads[id(read)] = read
        if read.association is not None:
            # The message came by a call without a context handle: only the transaction's handle can be run down.
            read.association.reads.pop(id(read), None)
        return True

    def _enlist_asked(self, step: CallStep) -> None:
        step.transaction = self.find(_uow_of(step))

    def _enlist_answered(self, step: CallStep, _: Moment) -> None:
        uow = _uow_of(step)
        if uow is None or not step.succeeded:
            return
        internal = step.call.method == v.ENLIST_INTERNAL
        unit = self._units.enlist(uow, step.call, internal=internal)
        transaction = Transaction(uow, step.pair, step.call, unit, internal)
        self._known.put(uow, transaction)
        handle = step.response.get("phIntXact")
        if internal and handle is not None:
            transaction.handle = handle
            step.pair.transactions[handle] = transaction
            if step.connection is not None:
                self._attach(transaction, step.connection.association)

    def _attach(self, transaction: Transaction, association: Association) -> None:
        transaction.association = association
        held = association.transactions
        held[transaction.handle or ""] = transaction
        if len(held) > MAX_HANDLES:
            oldest = held[next(iter(held))]
            oldest.unit.doubt = Reason.LIMIT
            # Whoever ends it later ends something that is no longer known here.
            oldest.pair.forgot.go_blind(transaction.enlisted.until, Reason.LIMIT)
            self._decide(oldest, ReadOutcome.UNFINISHED, transaction.enlisted.until)

    def _end_asked(self, step: CallStep) -> None:
        handle = step.request.get("phIntXact")
        if handle is None:
            return
        pair = step.pair
        transaction = pair.transactions.get(handle)
        if transaction is None:
            holder = pair.by_handle.get(handle) or pair.reads.get(handle)
            if holder is not None and holder.kind is not SessionKind.TRANSACTION:
                step.misplace(holder)
            step.past_transaction = pair.past_transactions.get(handle)
            step.first_seen = True
            return
        transaction.end_tried = True
        if transaction.end_asked is None:
            step.transaction, transaction.end_asked = transaction, step.call
        else:
            step.past_transaction = transaction

    def _end_answered(self, step: CallStep, moment: Moment) -> None:
        transaction = step.transaction
        if transaction is None:
            return
        if step.failed:
            transaction.end_asked, transaction.end_given_up = None, step.call.given_up
            return
        committed = step.call.method == v.COMMIT
        transaction.state = TransactionState.COMMITTED if committed else TransactionState.ABORTED
        transaction.ended = step.call
        transaction.unit.doubt = transaction.unit.doubt or not_of_here(step, transaction)
        self._decide(transaction, _OUTCOMES[transaction.state], moment, unanswered=step.call.status is None)

    def severed(self, association: Association, moment: Moment) -> None:
        """[MS-MQMP] 3.1.7.3: with its handle a transaction is run down, which aborts it."""
        for transaction in list(association.transactions.values()):
            transaction.severance = association.severance_of(transaction.enlisted.until)
            unseen = unseen_since(transaction.pair, association, transaction.enlisted.until)
            gone = association.all_closed or association.has_lost(transaction.enlisted.until)
            if gone:
                transaction.state = TransactionState.RUNDOWN
                transaction.unit.doubt = transaction.unit.doubt or unseen
            else:
                # What was missed before the capture ended may have been its end.
                transaction.unit.doubt = transaction.unit.doubt or unseen or Reason.CAPTURE_ENDED
            outcome = ReadOutcome.RUNDOWN if gone else ReadOutcome.UNFINISHED
            self._decide(transaction, outcome, moment)

    def capture_ended(self, pair: Pair) -> None:
        for transaction in list(pair.transactions.values()):
            if transaction.association is not None:
                transaction.association.all_closed = False
            self._decide(transaction, ReadOutcome.UNFINISHED, END)

    def finish(self) -> None:
        self._units.finish()

    def _decide(
        self, transaction: Transaction, outcome: ReadOutcome, moment: Moment, *, unanswered: bool = False
    ) -> None:
        handle = transaction.handle or ""
        transaction.pair.transactions.pop(handle, None)
        transaction.pair.past_transactions.put(handle, transaction)
        if transaction.association is not None:
            transaction.association.transactions.pop(handle, None)
        unit = transaction.unit
        unit.ended, unit.outcome = slim(transaction.ended), transaction.state
        if unanswered:
            unit.doubt = unit.doubt or Reason.RESPONSE_NOT_CAPTURED
        if transaction.end_given_up and transaction.ended is None:
            unit.doubt = unit.doubt or Reason.TIMES_CROSS
        for read in list(transaction.reads.values()):
            read.end, read.doubt = read.end or transaction.ended, read.doubt or unit.doubt_of_reads
            self._ending.read(read, outcome, moment, unanswered=unanswered)
        transaction.reads.clear()
        if transaction.state is TransactionState.UNKNOWN:
            self._units.over(unit, transaction.state, None)
        elif transaction.under_way:
            transaction.decided_at = moment
        else:
            self._units.over(unit, transaction.state, moment)
        self._ending.add(TransactionStep(transaction, transaction.pair, transaction.enlisted))


def _uow_of(step: CallStep) -> str | None:
    return unit_of_work(step.request.get("pUow") or step.request.get("pTransactionId"))
