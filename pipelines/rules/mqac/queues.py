"""[MC-MQAC] 3.11: what an open queue refuses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import QueueState
from pipelines.mqac.queues import lookup_id
from pipelines.rules.model import Broken, Level
from pipelines.rules.mqac import queue_members as q
from pipelines.rules.mqac.demands import (
    E_INVALIDARG,
    OLE_E_BLANK,
    Demand,
    doubt,
    known,
    made_by_client,
    of_client,
    of_server,
    refused,
    settled,
    under_way,
)
from pipelines.rules.mqac.values import TRANSACTIONS, is_given, is_transaction, no_object
from pipelines.rules.object_members import asked, gets

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_MQ_ERROR_ILLEGAL_CURSOR_ACTION: Final = 0xC00E_001C
_RECEIVE: Final = frozenset((0x01, 0x81))
_PEEK: Final = frozenset((0x20, 0xA0))
"""MQ_PEEK_ACCESS, with MQ_ADMIN_ACCESS or without; so the receiving ones."""
_CURSORS: Final = frozenset((0, 1, 2))


def _queue(step: MqacStep) -> QueueState | None:
    return step.state if isinstance(step.state, QueueState) else None


def _blank(step: MqacStep) -> bool | Reason:
    """A client made it; nothing opened it."""
    queue = _queue(step)
    return queue is not None and queue.opened is None and made_by_client(queue) and known(step, holds=True)


def _closed(step: MqacStep) -> bool | Reason:
    queue = _queue(step)
    if queue is None or queue.opened is None or queue.closed is None:
        return False
    if step.member not in q.OPEN_ONLY:
        # 3.11.1.1 speaks of any method; these say themselves what they do, and refuse nothing.
        return Reason.TEXTS_CONTRADICT
    return settled(step, queue.closed) or True


def _without(allowed: frozenset[int], disputed: frozenset[int] = frozenset()) -> Callable[[MqacStep], bool | Reason]:
    """Opened with an access that is not enough."""

    def holds(step: MqacStep) -> bool | Reason:
        queue = _queue(step)
        if queue is None or queue.opened is None or queue.access is None or queue.access in allowed:
            return False
        return Reason.TEXTS_CONTRADICT if queue.access in disputed else True

    return holds


def _zero(step: MqacStep) -> bool:
    return lookup_id(step.arguments.get("LookupId")) == 0


def _cursor(step: MqacStep) -> bool:
    number = step.number("Cursor")
    return number is not None and number not in _CURSORS


def _reset(step: MqacStep) -> bool | Reason:
    queue = _queue(step)
    if queue is None or queue.cursor not in ("reset", "unread"):
        return False
    # 3.11.3: at first it is Unread, which [MS-MQDMPR] refuses, and this method does not.
    return known(step, holds=True) if queue.cursor == "reset" else Reason.TEXTS_CONTRADICT


_BLANK: Final = Demand(_blank, (OLE_E_BLANK,))
_CLOSED: Final = Demand(_closed, (v.MQ_ERROR_INVALID_HANDLE,))
_NO_RECEIVE: Final = Demand(_without(_RECEIVE), (v.MQ_ERROR_ACCESS_DENIED,))
_NO_PEEK: Final = Demand(_without(_RECEIVE | _PEEK), (v.MQ_ERROR_ACCESS_DENIED,))
_NO_NOTIFICATION: Final = Demand(_without(_PEEK, _RECEIVE), (v.MQ_ERROR_ACCESS_DENIED,))
_ZERO: Final = Demand(_zero)
_CURSOR: Final = Demand(_cursor, (E_INVALIDARG,))
_NO_EVENT: Final = Demand(lambda step: no_object(step, "Event"), (E_INVALIDARG,))
_RESET: Final = Demand(_reset, (_MQ_ERROR_ILLEGAL_CURSOR_ACTION,))
_TRANSACTION: Final = Demand(lambda step: not is_transaction(step))


def _demands(member: Meaning) -> tuple[Demand, ...]:
    """All that it refuses, in the order of the document."""
    if member in q.NOTIFY:
        return (_CURSOR, _BLANK, _CLOSED, _NO_EVENT, _NO_NOTIFICATION)
    found = [_ZERO] if member in q.BY_LOOKUP_ID else []
    found += [_BLANK, _CLOSED]
    if member in (*q.RECEIVES, *q.PURGE):
        found.append(_NO_RECEIVE)
    if member in q.PEEKS:
        found.append(_NO_PEEK)
    if member in q.RECEIVES:
        found.append(_TRANSACTION)
    if member in q.PEEK_NEXT:
        found.append(_RESET)
    return tuple(found)


_BY_MEMBER: Final = {member: _demands(member) for member in q.EVERY}


def _refused(demand: Demand) -> Callable[[MqacStep], Answer]:
    by_member = {member: refused(demand, demands) for member, demands in _BY_MEMBER.items() if demand in demands}
    return lambda step: by_member[step.member](step)


def _argument(step: MqacStep) -> Answer:
    given = step.arguments.get("Transaction")
    if given is None or not is_given(step, "Transaction"):
        return None
    if is_transaction(step) and (given.reference is not None or given.number is None or given.number in TRANSACTIONS):
        return True
    return Broken({**asked(step), "type": given.type})


def _is_open(step: MqacStep) -> Answer:
    queue = _queue(step)
    if queue is None or queue.opened is None or not step.succeeded or step.result is None:
        return None
    told = bool(step.result.number)
    if queue.closed is not None:
        return True if not told else settled(step, queue.closed) or _told(step, "open", told=True)
    return True if told else doubt(step) or _told(step, "closed", told=False)


def _told(step: MqacStep, word: str, *, told: bool) -> Broken:
    return Broken({**asked(step), "told": word, "is open": not told})


def _as_opened(name: str) -> Callable[[MqacStep], Answer]:
    def check(step: MqacStep) -> Answer:
        queue = _queue(step)
        told = step.result.number if step.succeeded and step.result else None
        opened = None if queue is None else {"Access": queue.access, "ShareMode": queue.share_mode}[name]
        if queue is None or queue.opened is None or opened is None or told is None:
            return None
        # What is told of one that was closed nobody says.
        if told == opened or queue.closed is not None:
            return True
        return under_way(step) or Broken({**asked(step), "asked of Open": opened, "told": told})

    return check


RULES: Final = (
    of_server(
        "mqac-queue-blank",
        "A queue object that never was open answered as one that was",
        section="3.11.3",
        requirement="Every method of a queue object that a client made, instead of Open, is answered OLE_E_BLANK.",
        members=q.EVERY,
        check=_refused(_BLANK),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-queue-closed",
        "A queue that was closed was read, purged or reset",
        section="3.11.1.1",
        requirement="After Close, methods that read, purge, reset or notify are answered MQ_ERROR_INVALID_HANDLE. Of "
        "the others two sentences say different things.",
        members=q.EVERY,
        check=_refused(_CLOSED),
        undecidable_when="the method is one of the others, the answer to Close was not captured, or both were under "
        "way",
    ),
    of_server(
        "mqac-receive-access",
        "Messages were received or purged over a queue that was not opened to receive",
        section="3.11.4.1.7, 3.11.4.1.11, 3.11.4.1.14, 3.11.4.1.16, 3.11.4.1.21, 3.11.4.1.22, 3.11.4.1.23, "
        "3.11.4.1.24, 3.11.4.1.25, 3.11.4.1.31, 3.11.4.1.33",
        requirement="The receiving methods and Purge are answered MQ_ERROR_ACCESS_DENIED unless the queue was opened "
        "to receive, with MQ_ADMIN_ACCESS or without.",
        level=Level.MEDIUM,
        members=(*q.RECEIVES, *q.PURGE),
        check=_refused(_NO_RECEIVE),
    ),
    of_server(
        "mqac-peek-access",
        "Messages were peeked at over a queue that was opened to send",
        section="3.11.4.1.8, 3.11.4.1.12, 3.11.4.1.13, 3.11.4.1.15, 3.11.4.1.17, 3.11.4.1.18, 3.11.4.1.26, "
        "3.11.4.1.27, 3.11.4.1.28, 3.11.4.1.29, 3.11.4.1.30",
        requirement="The peeking methods are answered MQ_ERROR_ACCESS_DENIED unless the queue was opened to peek or to "
        "receive, with MQ_ADMIN_ACCESS or without.",
        level=Level.MEDIUM,
        members=q.PEEKS,
        check=_refused(_NO_PEEK),
    ),
    of_server(
        "mqac-notification-access",
        "A queue that was opened to send was to notify of messages",
        section="3.11.4.1.9",
        requirement="EnableNotification is answered MQ_ERROR_ACCESS_DENIED unless the queue was opened to peek. The "
        "document's own example opens it to receive.",
        members=q.NOTIFY,
        check=_refused(_NO_NOTIFICATION),
        undecidable_when="the queue was opened to receive",
    ),
    of_server(
        "mqac-notification-cursor",
        "A notification was asked for at a cursor that there is not",
        section="3.11.4.1.9",
        requirement="EnableNotification with a Cursor that is no value of MQMSGCURSOR is answered E_INVALIDARG.",
        members=q.NOTIFY,
        check=_refused(_CURSOR),
    ),
    of_server(
        "mqac-notification-event",
        "A notification was asked for without an object to notify",
        section="3.11.4.1.9",
        requirement="EnableNotification without an Event is answered E_INVALIDARG.",
        members=q.NOTIFY,
        check=_refused(_NO_EVENT),
    ),
    of_server(
        "mqac-lookup-zero",
        "A message was read by a LookupId of 0",
        section="3.11.4.1.21, 3.11.4.1.22, 3.11.4.1.23, 3.11.4.1.26, 3.11.4.1.27, 3.11.4.1.28, 3.11.4.1.33",
        requirement="A LookupId of 0 is refused.",
        members=q.BY_LOOKUP_ID,
        check=_refused(_ZERO),
    ),
    of_server(
        "mqac-cursor-reset",
        "PeekNext found a next message of a cursor that had just been reset",
        section="3.11.4.1.12, 3.11.4.1.17",
        requirement="PeekNext as the first use of the cursor after Reset is answered MQ_ERROR_ILLEGAL_CURSOR_ACTION. "
        "After Open two documents say different things.",
        members=q.PEEK_NEXT,
        check=_refused(_RESET),
        undecidable_when="it is the first use after Open, or the object's history was not captured whole",
    ),
    of_client(
        "mqac-transaction-argument",
        "A Transaction was given that is neither an object nor a kind of transaction",
        section="3.11.4.1.7, 3.11.4.1.11, 3.11.4.1.14, 3.11.4.1.16, 3.11.4.1.21, 3.11.4.1.22, 3.11.4.1.23, "
        "3.11.4.1.24, 3.11.4.1.25, 3.11.4.1.33",
        requirement="The Transaction of a receiving method is VT_DISPATCH, or VT_I4 with a value of MQTRANSACTION.",
        level=Level.INFORMATIONAL,
        members=q.RECEIVES,
        check=_argument,
    ),
    of_server(
        "mqac-transaction-refused",
        "A Transaction of a type that holds none was taken",
        section="3.11.4.1.7, 3.11.4.1.11, 3.11.4.1.14, 3.11.4.1.16, 3.11.4.1.21, 3.11.4.1.22, 3.11.4.1.23, "
        "3.11.4.1.24, 3.11.4.1.25, 3.11.4.1.33",
        requirement="A receiving method whose Transaction is neither VT_DISPATCH nor VT_I4 fails.",
        level=Level.INFORMATIONAL,
        members=q.RECEIVES,
        check=_refused(_TRANSACTION),
    ),
    of_server(
        "mqac-is-open",
        "An open queue was said to be closed, or a closed one to be open",
        section="3.11.4.1.5, 3.11.4.1.32",
        requirement="IsOpen and IsOpen2 are true from Open to Close.",
        members=gets(q.QUEUE, "IsOpen"),
        check=_is_open,
        undecidable_when="the object's history was not captured whole, or calls of it were under way at once",
    ),
    of_server(
        "mqac-access-told",
        "A queue told another access than it was opened with",
        section="3.11.4.1.1",
        requirement="Get Access of an open queue tells the Access of Open.",
        members=gets(q.QUEUE, "Access"),
        check=_as_opened("Access"),
    ),
    of_server(
        "mqac-share-told",
        "A queue told another share mode than it was opened with",
        section="2.2.2.2, 3.11.4.1.2",
        requirement="Get ShareMode of an open queue tells the ShareMode of Open.",
        members=gets(q.QUEUE, "ShareMode"),
        check=_as_opened("ShareMode"),
    ),
)
