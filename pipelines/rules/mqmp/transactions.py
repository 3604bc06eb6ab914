"""[MS-MQMP]: transactions, which are enlisted, used and ended. Only internal ones end on this wire."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.rules.demanded import demanded
from pipelines.rules.left_open import left_open
from pipelines.rules.model import BOTH, REQUEST, Broken, Level, Party, Rule, Subject
from pipelines.rules.mqmp.handles import denied
from pipelines.rules.queue_access import opened_here
from pipelines.rules.stale import own
from pipelines.sessions.model import TransactionState
from pipelines.sessions.transactions import unit_of_work

if TYPE_CHECKING:
    from pipelines.facts.model import CallFact
    from pipelines.rules.model import Answer
    from pipelines.rules.mqmp.wrong import Wrong
    from pipelines.sessions.steps import CallStep, TransactionStep
    from pipelines.sessions.units import Transaction

_RPC_S_ACCESS_DENIED: Final = 5
"""Of a server that supports no clients any more."""


def _unit(step: CallStep) -> str | None:
    """Of a send or receive."""
    return unit_of_work(transfer_buffer(step.request).get("pUow"))


def wrong_unit(step: CallStep) -> Wrong:
    return {"pUow": "zero"} if unit_of_work(step.request.get("pUow")) is None else None


def _after_end(step: CallStep, transaction: Transaction, ended: CallFact) -> Reason | None:
    """Why the transaction may not have been over, or may have been enlisted again, when the call was made."""
    if transaction.pair is not step.pair:
        return Reason.OTHERS_NOT_SEEN
    if ended.answered is None:
        return Reason.RESPONSE_NOT_CAPTURED
    return step.blind_since(ended.until) or (Reason.TIMES_CROSS if step.soon_after(ended.until) else None)


def _enlist_before_use(step: CallStep) -> Answer:
    if _unit(step) is None:
        return None
    transaction = step.transaction
    if transaction is None:
        # Also before the capture began, on a connection that is over, or by another host.
        return Reason.OPEN_NOT_SEEN
    ended = transaction.ended
    if not transaction.internal or ended is None:
        return True if transaction.state is TransactionState.UNKNOWN else None
    if not step.failed:
        return Reason.OPEN_NOT_SEEN
    return _after_end(step, transaction, ended) or Broken({"pUow": transaction.uow, "ended by": ended.call_uid})


def _uow_unique(step: CallStep) -> Answer:
    if (wrong := wrong_unit(step)) is not None:
        return Broken(wrong)
    before = step.transaction
    # On another association the client may try again what it got no answer to.
    if before is None or not before.internal or not own(step, before):
        return True
    if before.enlisted.uid != step.call.uid:
        # Nor need that answer have come through on another connection, which may be lost.
        return Reason.TIMES_CROSS
    return Broken({"pUow": before.uow, "enlisted before by": before.enlisted.call_uid})


def _transaction_once(step: CallStep) -> Answer:
    handle = step.request.get("phIntXact")
    if handle is None:
        return Broken({"phIntXact": "null"})
    if step.misplaced is not None:
        return None
    if step.transaction is not None and own(step, step.transaction):
        return True
    past = step.past_transaction
    if past is None or not own(step, past):
        return denied(step) or Reason.GIVEN_EARLIER
    if past.ended is None:
        return Reason.TIMES_CROSS
    if not step.failed:
        return Reason.OPEN_NOT_SEEN
    return _after_end(step, past, past.ended) or Broken({"phIntXact": handle, "ended by": past.ended.call_uid})


def _transaction_ended(step: TransactionStep) -> Answer:
    transaction, association = step.transaction, step.transaction.association
    if transaction.ended is not None or transaction.end_tried:
        return True
    if association is None:
        return None
    since = transaction.enlisted.until
    if (reason := step.pair.blind_since(since) or association.blind_since(since)) is not None:
        return reason
    if not association.all_closed:
        return Reason.CAPTURE_ENDED
    # One that began before the capture may have other connections, which say nothing any more.
    doubt = Reason.STARTED_MIDSTREAM if association.born is None else None
    return left_open(transaction.severance, doubt, {"phIntXact": transaction.handle}, transaction.enlisted)


def _transaction_refused(step: CallStep) -> Answer:
    if step.call.method == v.ENLIST_INTERNAL:
        return _enlisted_twice(step)
    if _unit(step) is None:
        return None
    transaction, session = step.transaction, opened_here(step)
    ended = None if transaction is None or not transaction.internal else transaction.ended
    if transaction is not None and ended is not None:
        if not step.succeeded:
            return True if step.failed else None
        return _after_end(step, transaction, ended) or Broken({"pUow": transaction.uow, "ended by": ended.call_uid})
    if step.call.method != v.AC_RECEIVE or session is None or session.opened is None or not session.remote_handle:
        return None
    if not step.succeeded:
        return True if step.failed else None
    return step.blind_since(session.opened.until) or Broken({"pUow": _unit(step), "opened by": session.opened.call_uid})


def _enlisted_twice(step: CallStep) -> Answer:
    before = step.transaction
    if before is None or before.handle is None or step.pair.transactions.get(before.handle) is not before:
        return None
    if before.end_asked is not None or not own(step, before) or step.code == _RPC_S_ACCESS_DENIED:
        return None
    if step.failed:
        return demanded(step, (v.MQ_ERROR_TRANSACTION_SEQUENCE,), {"pUow": before.uow})
    shown = {"pUow": before.uow, "enlisted before by": before.enlisted.call_uid}
    reason = step.blind_since(before.enlisted.until)
    return reason or demanded(step, (v.MQ_ERROR_TRANSACTION_SEQUENCE,), shown)


_rule = partial(Rule, document="MS-MQMP", keyword="MUST")
_client = partial(_rule, party=Party.CLIENT, level=Level.LOW)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqmp-enlist-before-use",
        "A message was sent or received in a transaction that was over",
        section="3.1.5.3, 3.2.4.10, 3.2.4.12",
        requirement="pUow is null, or names a transaction that was enlisted and is under way.",
        operations=(v.AC_SEND, v.AC_RECEIVE),
        needs=BOTH,
        check=_enlist_before_use,
        undecidable_when="it was not seen enlisted, the server accepts it, its end may have crossed the call, or "
        "anything was missed since",
    ),
    _client(
        "mqmp-uow-unique",
        "A unit of work was used for two transactions",
        section="2.2.3.1, 3.1.4.14",
        requirement="pUow of an internal transaction is a value of its own; Windows makes a UUID (note <3>, note <44>, "
        "note <78>).",
        operations=(v.ENLIST_INTERNAL,),
        needs=REQUEST,
        check=_uow_unique,
        undecidable_when="it was enlisted before on another connection: the answer may not have come through",
    ),
    _client(
        "mqmp-transaction-once",
        "A transaction was ended that was not under way",
        section="2.2.1.1.1, 3.1.4.15, 3.1.4.16",
        requirement="phIntXact is a handle of R_QMEnlistInternalTransaction that was neither committed nor aborted.",
        level=Level.MEDIUM,
        operations=(v.COMMIT, v.ABORT),
        needs=BOTH,
        check=_transaction_once,
        undecidable_when="the server accepts it, two ends may have crossed, or anything was missed since",
    ),
    _client(
        "mqmp-transaction-ended",
        "An internal transaction was neither committed nor aborted",
        section="2.2.1.1.1",
        requirement="A client ends with R_QMCommitTransaction or R_QMAbortTransaction what it enlisted.",
        subject=Subject.TRANSACTION,
        check=_transaction_ended,
        undecidable_when="the association was not seen to end, or anything between the two hosts was missed meanwhile",
    ),
    _rule(
        "mqmp-transaction-refused",
        "A transactional call that had to be refused succeeded",
        section="3.1.4.14, 3.1.5.2, 3.1.5.3",
        requirement="To enlist a unit of work that is under way gets MQ_ERROR_TRANSACTION_SEQUENCE. A transaction that "
        "is over is not sent or received in, and none is received in from a queue on another server.",
        party=Party.SERVER,
        level=Level.MEDIUM,
        operations=(v.ENLIST_INTERNAL, v.AC_SEND, v.AC_RECEIVE),
        needs=BOTH,
        check=_transaction_refused,
        undecidable_when="its end may have crossed the call, or anything was missed since",
    ),
)
