"""[MS-MQRR], the client: moves and transactions.

A unit of work and a move context are known to the whole server, so what may have been missed is what any association
of the client carried.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.model import BEGINNING
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule
from pipelines.rules.mqrr.handles import is_destination
from pipelines.rules.queue_access import opened_here
from pipelines.rules.shown import code_shown
from pipelines.rules.stale import blameless
from pipelines.sessions.transactions import unit_of_work

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_DIRECT: Final = "DIRECT="
_SYSTEM_QUEUES: Final = (";JOURNAL", ";DEADLETTER", ";DEADXACT", ";XACTONLY")
"""By their suffix, which is no subqueue's name."""


def _move_context_known(step: CallStep) -> Answer:
    number = step.request.get("ullContextTo", 0)
    if not number:
        return None
    if step.target is not None:
        return True
    source = opened_here(step)
    # The code could mean the source as well.
    if step.code != v.MQ_ERROR_INVALID_HANDLE or source is None or is_destination(source):
        return Reason.OPEN_NOT_SEEN
    if (reason := step.pair_incomplete()) is not None:
        return reason
    past = step.pair.past_sessions.get(("ullContextTo", number))
    closed = past.closed.call_uid if past is not None and past.closed is not None else None
    shown = {"ullContextTo": f"0x{number:x}", "answer": code_shown(step.code), "closed by": closed}
    return blameless(step, past) or Broken(shown)


def surely_unrelated(source: Session, target: Session) -> bool:
    """By names: one server has many, so two queues are surely two where it goes by the same."""
    first, second = _parent(source.queue_name), _parent(target.queue_name)
    return first is not None and second is not None and first.host == second.host and first.queue != second.queue


def _move_related(step: CallStep) -> Answer:
    source, target = opened_here(step), step.target
    if source is None or source.opened is None or target is None or target.opened is None:
        return Reason.OPEN_NOT_SEEN
    names = _parent(source.queue_name), _parent(target.queue_name)
    if names[0] is None or names[1] is None:
        return None
    related = names[0] == names[1] and source.queue_name != target.queue_name
    if related:
        return True if step.succeeded else None
    if step.code != v.STATUS_INVALID_PARAMETER or names[0].host != names[1].host:
        return None
    since = min(source.opened.until, target.opened.until)
    shown = {"from": source.queue_name, "to": target.queue_name, "answer": code_shown(step.code)}
    return step.blind_since(since) or Broken(shown)


class _Parent(NamedTuple):
    host: str
    queue: str


def _parent(name: str | None) -> _Parent | None:
    """Of a direct name without its subqueue; None where that cannot be told."""
    if name is None or not name.upper().startswith(_DIRECT) or name.upper().endswith(_SYSTEM_QUEUES):
        return None
    host, _, queue = name.partition(";")[0].casefold().partition("\\")
    return _Parent(host, queue)


def _enlist_before_use(step: CallStep) -> Answer:
    transaction = unit_of_work(step.request.get("pTransactionId"))
    if transaction is None or step.request.get("ulAction", v.RECEIVE) not in v.RECEIVING:
        return None
    if step.transaction is not None:
        return True
    if step.transactions_forgotten:
        return Reason.LIMIT
    # 3.1.4.13: a receive may bring a transaction that the server has not heard of.
    if step.code != v.MQ_ERROR_TRANSACTION_SEQUENCE:
        return Reason.OPEN_NOT_SEEN
    if (reason := step.pair_incomplete() or step.pair.blind_since(BEGINNING)) is not None:
        return reason
    if not _long_in_view(step):
        return Reason.OPEN_NOT_SEEN
    return Broken({"pTransactionId": transaction, "answer": code_shown(step.code)})


def _long_in_view(step: CallStep) -> bool:
    """A transaction outlives connections: one that was enlisted before the capture would be over by now."""
    births = [
        one.association.born for one in step.pair.associations.connections.values() if one.association.born is not None
    ]
    since = min(births, default=step.call.began)
    return step.call.began.ts_ns - since.ts_ns >= step.settings["transaction_seconds"] * v.NANOSECONDS


def _reject_after_receive(step: CallStep) -> Answer:
    session, message = opened_here(step), step.request.get("LookupId", 0) & v.SEQUENTIAL
    if not message:
        return None
    read = session.shown.get(message) if session is not None else None
    if read is None or not read.is_receive or not read.transactional or read.start is None:
        return Reason.OPEN_NOT_SEEN
    if read.end_asked is not None:
        return True
    if _ended_elsewhere(step, message):
        return Reason.OPEN_NOT_SEEN
    shown = {"LookupId": f"0x{message:x}", "received by": read.start.call_uid, "ended": "no"}
    return step.blind_since(read.start.began) or Broken(shown)


def _ended_elsewhere(step: CallStep, message: int) -> bool:
    """A receive that nobody ends is taken back (3.1.5.1): the message may have been received by another handle."""
    others = (one.shown.get(message) for one in step.pair.by_handle.values() if one is not step.session)
    return any(read.end_asked is not None for read in others if read is not None)


_client = partial(Rule, document="MS-MQRR", keyword="MUST", party=Party.CLIENT, level=Level.MEDIUM, needs=BOTH)

RULES: Final[tuple[Rule, ...]] = (
    _client(
        "mqrr-move-context-known",
        "A move names a destination that had been closed",
        section="3.1.4.10, 3.1.4.11, 3.2.4.6",
        requirement="ullContextTo is the pMoveContext of an R_OpenQueueForMove whose handle has not been closed.",
        operations=(v.MOVE,),
        check=_move_context_known,
        undecidable_when="the client was not seen to close it: an earlier association may have given it; the server "
        "does not deny it, or anything between the two hosts was missed",
    ),
    _client(
        "mqrr-move-related",
        "A message was moved between queues that do not belong together",
        section="3.1.4.10",
        requirement="A message moves between a queue and its subqueue, or between two subqueues of one queue.",
        operations=(v.MOVE,),
        check=_move_related,
        undecidable_when="one of the two was not seen to be opened, or anything was missed since",
    ),
    _client(
        "mqrr-enlist-before-use",
        "A transaction was used that the server had not been told of",
        section="3.1.4.10, 3.1.4.12, 3.1.4.13, 3.2.4.2, 3.2.4.6",
        requirement="R_QMEnlistRemoteTransaction with the same transaction comes first, over whatever connection.",
        operations=(v.MOVE, v.REMOTE_START_IN_TRANSACTION),
        check=_enlist_before_use,
        settings={"transaction_seconds": 3600},
        undecidable_when="the server does not deny it, anything between the two hosts was missed, or they were in view "
        "for less than transaction_seconds: it may have been enlisted before, and be over",
    ),
    _client(
        "mqrr-reject-after-receive",
        "A message was rejected before its receive was ended",
        section="3.1.4.14",
        requirement="R_SetUserAcknowledgementClass comes after R_StartTransactionalReceive and "
        "R_EndTransactionalReceive.",
        level=Level.LOW,
        operations=(v.SET_CLASS,),
        check=_reject_after_receive,
        undecidable_when="it was not seen to be received on that handle, was ended on another one, or anything was "
        "missed since",
    ),
)
