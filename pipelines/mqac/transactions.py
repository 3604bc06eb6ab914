"""MSMQTransaction and its dispensers: [MC-MQAC] 3.6 to 3.9. Transactions begun, used, committed and aborted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.mqac.acts import Unit
from pipelines.mqac.objects import TransactionState
from pipelines.sessions.model import TransactionState as Outcome

if TYPE_CHECKING:
    from pipelines.com.com_object import ComObject
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.objects import ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.mqac.story import Story

_CLASS: Final = "MSMQTransaction"
_DISPENSERS: Final = {"MSMQTransactionDispenser": True, "MSMQCoordinatedTransactionDispenser": False}
"""3.6.4.1.1, 3.7.4.1.1: whether their transactions are internal."""
_ENDS: Final = {"Commit": Outcome.COMMITTED, "Abort": Outcome.ABORTED}
_MAX_ENDS: Final = 2


def _begin(story: Story, step: MqacStep, _: ObjectState) -> ObjectState | None:
    made = story.made(step, _CLASS, TransactionState)
    if made is not None and made.unit is None:
        made.unit = Unit(_number(made.object), made.first, begun=made.first)
        made.unit.internal = _DISPENSERS[step.member.object_class]
        made.unit.takes(step, None, None)
    return made


def _end(story: Story, step: MqacStep, state: TransactionState) -> None:
    if step.failed:
        return
    unit = state.unit = state.unit or _unseen(state)
    call = slim(step.call) or step.call
    if step.succeeded:
        state.ended = (*state.ended, call)[:_MAX_ENDS]
    if not unit.is_over:
        unit.ended = call
        if not step.succeeded:
            unit.doubt = unit.doubt or step.answer_hidden or Reason.RESPONSE_NOT_CAPTURED
        story.unit_over(unit, _ENDS[step.member.member], step.call.until)


def _attach(story: Story, step: MqacStep, state: TransactionState) -> None:
    """3.9.4.2.1: a client's own object stands for a transaction begun elsewhere from now on."""
    if not step.succeeded:
        return
    state.attached = slim(step.call)
    other = story.of_argument(step, "varTransaction", TransactionState)
    if other is not None and other.unit is not None:
        state.unit = other.unit
    elif state.unit is None:
        state.unit = Unit(_number(state.object), slim(step.call) or step.call, internal=False)


def _same(story: Story, step: MqacStep, state: TransactionState) -> None:
    """3.9.4.3.1: by another interface, of what may be another object."""
    if step.succeeded:
        story.alias(step, state)


def unit_of(story: Story, step: MqacStep) -> Unit | None:
    """The transaction that the call names; none of a constant, whose transaction is not on this wire."""
    one = step.arguments.get("Transaction")
    if one is None or one.reference is None:
        return None
    state = story.of_argument(step, "Transaction", TransactionState)
    if state is None:
        return story.unit_out_of_sight(one.reference, step.call)
    state.unit = state.unit or _unseen(state)
    return state.unit


def _unseen(state: TransactionState) -> Unit:
    return Unit(_number(state.object), state.first, doubt=Reason.OPEN_NOT_SEEN)


def _number(one: ComObject) -> str:
    """What stands for the unit of work, which is not on this wire."""
    if one.oxid is None or one.oid is None:
        return next(iter(one.interfaces), "").replace("-", "")
    return f"{one.oxid:016x}{one.oid:016x}"


HANDLERS: Final[Handlers] = {
    **{(cls, "BeginTransaction", "method"): _begin for cls in _DISPENSERS},
    **{(_CLASS, name, "method"): _end for name in _ENDS},
    (_CLASS, "InitNew", "method"): _attach,
    (_CLASS, "ITransaction", "get"): _same,
}
