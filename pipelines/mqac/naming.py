"""Which queue an object stands for, and how well that is known: the columns NAMING."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipelines.facts.reasons import Reason
from pipelines.mqac.acts import Read
from pipelines.mqac.objects import (
    DestinationState,
    Known,
    ManagementState,
    MessageState,
    QueueIdentity,
    QueueInfoState,
    QueueState,
)
from pipelines.sessions.naming import named_by_call
from pipelines.sessions.rows import text_of

if TYPE_CHECKING:
    from pipelines.mqac.objects import ObjectState
    from pipelines.mqac.steps import MqacStep
    from schemas.shared_columns import Naming

BY_OBJECT = "object"
NAMES = {"PathName": "path", "FormatName": "format", "MulticastAddress": "other", "ADsPath": "other"}
"""Properties that name a queue, and where they stand in its identity."""


def known(step: MqacStep, name: str) -> Known | None:
    """An argument, as it is remembered."""
    value = step.arguments.get(name)
    return None if value is None else Known(value, step.call.until, step.call.call_uid)


def answered(step: MqacStep) -> Known | None:
    return None if step.result is None else Known(step.result, step.call.until, step.call.call_uid)


def named_anew(step: MqacStep, place: str, value: Known | None) -> QueueIdentity:
    """[MC-MQAC] 3.10.4.1.7, .9: a name that is put takes the place of all others."""
    doubt = None
    if value is None:
        doubt = step.asked_hidden or Reason.NOT_DECODED
    elif not step.succeeded:
        doubt = step.answer_hidden or Reason.RESPONSE_NOT_CAPTURED
    found = QueueIdentity(doubt=doubt)
    setattr(found, place, value)
    return found


def unseen_since_named(step: MqacStep, queue: QueueIdentity) -> Reason | None:
    """What was missed since the queue was named may have put another one in its place."""
    since = [one.at for one in (queue.path, queue.format, queue.other) if one is not None]
    return step.pair.within.blind_since(min(since)) if since else None


def naming_of(queue: QueueIdentity | None, doubt: Reason | None = None) -> Naming:
    """`doubt`: of whoever used it."""
    name = queue.name if queue is not None else None
    doubt = (queue.doubt if queue is not None else None) or doubt
    if name is None:
        return {"queue_name": None, "named_by": None, "naming_doubt": str(doubt or Reason.OPEN_NOT_SEEN)}
    return {"queue_name": name, "named_by": BY_OBJECT, "naming_doubt": text_of(doubt)}


def fill(step: MqacStep, state: ObjectState, queue: QueueIdentity, place: str, value: Known) -> QueueIdentity:
    """The object tells a name of its queue. What was missed since may have put another queue in its place."""
    if queue.names and (unseen := unseen_since_named(step, queue)) is not None:
        queue = QueueIdentity(doubt=unseen)
    elif not queue.names:
        queue.doubt = queue.doubt or step.pair.within.blind_since(state.first.began)
    setattr(queue, place, value)
    return queue


def queue_of_object(state: ObjectState) -> Naming:
    """Which queue an object is about; none of those that are about no queue."""
    match state:
        case QueueState():
            return naming_of(state.queue, state.naming_doubt)
        case QueueInfoState() | DestinationState() | ManagementState() if state.queue.names:
            return naming_of(state.queue, state.unseen)
        case MessageState(read=Read() as read):
            return naming_of(read.queue.queue, read.queue.naming_doubt)
    return named_by_call(None)


def session_of_object(state: ObjectState) -> str | None:
    """The opened queue that it is, or was read from."""
    queue = state.read.queue if isinstance(state, MessageState) and state.read is not None else state
    return queue.session_uid if isinstance(queue, QueueState) else None
