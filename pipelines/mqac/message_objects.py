"""MSMQMessage: [MC-MQAC] 3.17. Properties put and fetched one by one, and messages sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.interfaces.mqac.members import by_opnum, interface_of_class
from pipelines.facts.model import slim
from pipelines.mqac.acts import Sent
from pipelines.mqac.naming import answered, known, unseen_since_named
from pipelines.mqac.objects import (
    MAX_NAMED,
    DestinationState,
    MessageState,
    QueueIdentity,
    QueueInfoState,
    QueueState,
)
from pipelines.mqac.transactions import unit_of

if TYPE_CHECKING:
    from pipelines.mqac.handling import Handler, Handlers
    from pipelines.mqac.objects import Known, ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

_CLASS: Final = "MSMQMessage"
_QUEUES: Final = frozenset(
    ("DestinationQueueInfo", "AdminQueueInfo", "ResponseQueueInfo", "TransactionStatusQueueInfo")
)
_DESTINATIONS: Final = frozenset(("Destination", "ResponseDestination"))
_OF_SENDING: Final = frozenset(("Id", "SentTime", "SourceMachineGuid", "TransactionId"))
"""3.17.4.1.48: what Send itself puts into the object."""


def _get(story: Story, step: MqacStep, state: MessageState) -> ObjectState | None:
    name, found = step.member.member, answered(step)
    if not step.succeeded or found is None:
        return None
    made: QueueInfoState | DestinationState | None = None
    if name in _QUEUES:
        made = story.made(step, "MSMQQueueInfo", QueueInfoState)
        if made is not None:
            made.from_server = True
    elif name in _DESTINATIONS:
        made = story.made(step, "MSMQDestination", DestinationState)
    if made is not None:
        found = found._replace(queue=made.queue)
    if name not in state.put and len(state.got) < MAX_NAMED:
        # What a client put itself says nothing of the message that it received.
        state.got[name] = found
    if state.read is not None and name not in state.put:
        # What was put out of sight would be fetched like what came.
        state.read.unseen = step.pair.within.blind_since(state.first.until)
    if state.sent is not None and name in _OF_SENDING:
        state.sent.message.got[name] = found
    return made


def _put(story: Story, step: MqacStep, state: MessageState) -> None:
    name, value = step.member.member, next((known(step, name) for name in step.arguments), None)
    if step.failed or value is None or len(state.put) >= MAX_NAMED:
        return
    state.put[name] = value._replace(queue=_queue_of(story, step, value))


def _queue_of(story: Story, step: MqacStep, value: Known) -> QueueIdentity | None:
    found = story.of_ipid(value.value.reference, step.call)
    return found.queue if isinstance(found, QueueInfoState | DestinationState | QueueState) else None


def _send(story: Story, step: MqacStep, state: MessageState) -> None:
    if state.sent is not None:
        story.decided(state.sent)
    message = state.snapshot()
    for name in _OF_SENDING:
        message.got.pop(name, None)
    sent = Sent(slim(step.call) or step.call, step.pair, message, step.code, step.succeeded, step.failed)
    sent.doubt = step.doubt
    target = story.of_argument(step, "DestinationQueue", QueueState)
    other = story.of_argument(step, "DestinationQueue", DestinationState)
    if target is not None:
        sent.queue, sent.identity = target, target.queue
        target.sends[id(sent)] = sent
        target.is_proven |= step.succeeded
    elif other is not None:
        sent.identity = other.queue
        sent.doubt = sent.doubt or unseen_since_named(step, other.queue)
    unit = unit_of(story, step)
    if unit is not None and not step.failed:
        sent.unit = unit
        unit.sends += step.succeeded
        unit.takes(step, target.session_uid if target is not None else None, target)
    sent.unseen = state.unseen or step.pair.within.blind_since(state.first.began)
    state.sent = sent


def _handlers() -> Handlers:
    """All its properties."""
    by_kind: dict[str, Handler] = {"get": _get, "put": _put, "putref": _put}
    iid = interface_of_class(_CLASS) or ""
    members = (by_opnum(iid, opnum) for opnum in range(_OPNUMS))
    meanings = (one.meaning for one in members if one is not None)
    return {(_CLASS, one.member, str(one.kind)): by_kind[one.kind] for one in meanings if one.kind in by_kind}


_OPNUMS: Final = 128
"""More than it has."""
HANDLERS: Final[Handlers] = {**_handlers(), (_CLASS, "Send", "method"): _send}
