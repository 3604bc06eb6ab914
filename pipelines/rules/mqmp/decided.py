"""[MS-MQMP], the server: what an abort undoes, and what a receive or commit takes away, is not given (again)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.rules.copies import Copies
from pipelines.rules.model import BOTH, Detected, Level, Party, Rule, Undecided, Watcher
from pipelines.rules.plans import unreadable
from pipelines.rules.queue_access import opened_here
from pipelines.sessions.memory import Recent
from pipelines.sessions.model import TransactionState
from pipelines.sessions.steps import CallStep
from pipelines.sessions.transactions import unit_of_work

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import CallFact, Method
    from pipelines.rules.model import Judged, Settings
    from pipelines.sessions.units import Transaction

_MAX_MESSAGES: Final = 4_096
"""Of each kind; those forgotten are not judged."""


class _Taken(NamedTuple):
    by: CallFact
    session_uid: str
    transaction: Transaction | None


class _TransactionDecides(Watcher):
    def __init__(self, _: Settings) -> None:
        self._sent: Recent[str, tuple[CallFact, Transaction]] = Recent(_MAX_MESSAGES)
        """In internal transactions."""
        self._taken: Recent[str, _Taken] = Recent(_MAX_MESSAGES)
        self._copies = Copies()

    def sees_calls_of(self, method: Method) -> bool:
        return method in (v.AC_SEND, v.AC_RECEIVE)

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if not isinstance(step, CallStep) or step.call.method not in (v.AC_SEND, v.AC_RECEIVE):
            return ()
        message = (step.call.message or {}).get("id")
        if not message or not step.succeeded or unreadable(step.call, BOTH) is not None:
            return ()
        call = slim(step.call) or step.call
        transaction = step.transaction
        if step.call.method == v.AC_SEND:
            self._copies.sent(step)
            if transaction is not None and transaction.internal:
                self._sent.put(message, (call, transaction))
            return ()
        found = (*self._given(step, message), *self._again(step, message))
        session, transfer = opened_here(step), transfer_buffer(step.request)
        receives = (transfer.get("Receive") or {}).get("Action", 0) == v.RECEIVE
        decided_here = unit_of_work(transfer.get("pUow")) is None or (transaction is not None and transaction.internal)
        if receives and session is not None and session.remote_handle is None and decided_here:
            self._taken.put(message, _Taken(call, session.session_uid, transaction))
        return found

    def _given(self, step: CallStep, message: str) -> Iterable[Detected | Undecided | bool]:
        sent = self._sent.get(message)
        if sent is None:
            return ()
        call, transaction = sent
        if transaction.state is TransactionState.COMMITTED:
            return (True,)
        if transaction.state is not TransactionState.ABORTED:
            return ()
        shown = {"message": message, "sent by": call.call_uid, "unit of work": transaction.uow}
        if transaction.ended is not None:
            if transaction.ended.answered is None:
                return (Undecided(step, Reason.RESPONSE_NOT_CAPTURED),)
            return (Detected(step, shown | {"aborted by": transaction.ended.call_uid}),)
        # Run down with its connection: what was missed may have been the commit.
        since, association = transaction.enlisted.until, transaction.association
        reason = transaction.pair.blind_since(since) or (association.blind_since(since) if association else None)
        return (Detected(step, shown | {"aborted by": "rundown"}),) if reason is None else (Undecided(step, reason),)

    def _again(self, step: CallStep, message: str) -> Iterable[Detected | Undecided | bool]:
        taken, session = self._taken.get(message), opened_here(step)
        # A journal has a copy: only in the very queue that it was taken from it is the same.
        if taken is None or session is None or session.opened is None or session.session_uid != taken.session_uid:
            return ()
        last = taken.by
        if taken.transaction is not None:
            ended = taken.transaction.ended
            if taken.transaction.state is not TransactionState.COMMITTED or ended is None or ended.answered is None:
                return ()
            last = ended
        if (reason := step.blind_since(session.opened.until) or self._copies.doubt(message)) is not None:
            return (Undecided(step, reason),)
        if step.call.began <= last.until or step.soon_after(last.until):
            return (Undecided(step, Reason.TIMES_CROSS),)
        return (Detected(step, {"message": message, "received by": taken.by.call_uid}),)


RULES: Final = (
    Rule(
        "mqmp-transaction-decides",
        "A message was given that a receive had removed, or that belonged to an aborted transaction",
        "MS-MQMP",
        "3.1.4.15, 3.1.4.16, 3.1.5.3, 3.1.7.3",
        "A receive without transaction, or in one that was committed, takes the message away. What was sent in an "
        "internal transaction that was aborted, also because its client was gone, is given to nobody.",
        "MUST",
        Party.SERVER,
        Level.HIGH,
        operations=(v.AC_SEND, v.AC_RECEIVE),
        needs=BOTH,
        watch=_TransactionDecides,
        undecidable_when="the calls may have crossed, or anything was missed since the queue was opened or the "
        "transaction enlisted; or a message comes twice that was not seen to be sent: to two names of one queue, it is "
        "there twice",
    ),
)
