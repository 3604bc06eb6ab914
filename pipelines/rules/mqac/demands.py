"""What rules of MSMQ's objects have in common: whom they are about, what is known, and errors that are demanded."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from pipelines.com.answers import unsure
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, Broken, Level, Party, Rule, Subject
from pipelines.rules.object_members import asked
from pipelines.rules.shown import code_shown

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipelines.facts.model import CallFact
    from pipelines.mqac.objects import ObjectState
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

Condition: TypeAlias = "Callable[[MqacStep], bool | Reason]"
"""Whether something holds of a call; a Reason: it may."""

mqac_rule: Final = partial(Rule, document="MC-MQAC", subject=Subject.MQAC, level=Level.LOW, keyword="MUST", needs=BOTH)
of_client: Final = partial(mqac_rule, party=Party.CLIENT)
of_server: Final = partial(mqac_rule, party=Party.SERVER)

E_NOTIMPL: Final = 0x8000_4001
E_INVALIDARG: Final = 0x8007_0057
E_INVALIDARG_PRINTED: Final = 0x8000_0003
"""As 3.17.4.1.22 and 3.17.4.1.48 print it."""
OLE_E_BLANK: Final = 0x8004_0007
MQ_ERROR_ILLEGAL_PROPERTY_VALUE: Final = 0xC00E_0018
_FAILED: Final = 0x8000_0000
_FACILITIES_BELOW: Final = frozenset((1, 2, 7))
"""RPC, Dispatch and Win32: COM, Invoke and the runtime refuse a call before its object sees it."""
_BELOW: Final = frozenset(
    (
        0x8000_4002,  # E_NOINTERFACE
        0x8000_4005,  # E_FAIL
        0x8000_FFFF,  # E_UNEXPECTED
        0xC00E_000B,  # MQ_ERROR_SERVICE_NOT_AVAILABLE
        0xC00E_0024,  # MQ_ERROR_CANNOT_IMPERSONATE_CLIENT
        v.MQ_ERROR_ACCESS_DENIED,
        0xC00E_0027,  # MQ_ERROR_INSUFFICIENT_RESOURCES
        0xC00E_0056,  # MQ_ERROR_STALE_HANDLE: the service was restarted
        0xC00E_005A,  # MQ_ERROR_QUEUE_DELETED
    )
)
"""Errors of a server that did not come as far as what the rule is about."""


def made_by_client(state: ObjectState) -> bool:
    """By an activation, so that it began without anything. Others are handed out with what they stand for."""
    return state.born and state.object.clsid is not None


def doubt(step: MqacStep) -> Reason | None:
    """Why more may have been done with the object than is known."""
    state = step.state
    # What the end of the capture may hide comes after the call.
    if (reason := state.unseen or step.pair.within.blind_since(state.first.began) or state.unsure) is not None:
        return reason
    if state.object.holders - {step.call.client}:
        return Reason.OTHERS_NOT_SEEN
    return under_way(step)


def under_way(step: MqacStep) -> Reason | None:
    """Another call of the object was not over when this one was asked, or was asked before it was over."""
    return Reason.TIMES_CROSS if step.overlaps else None


def settled(step: MqacStep, before: CallFact) -> Reason | None:
    """Why the earlier call may have come after this one, or failed."""
    if (reason := unsure(before)) is not None:
        return reason
    return None if before.until <= step.call.began else Reason.TIMES_CROSS


def known(step: MqacStep, holds: bool, after: CallFact | None = None) -> bool | Reason:
    """What the object's history says, as far as it was seen. `after`: the call that made it so."""
    if not holds:
        return False
    return doubt(step) or (settled(step, after) if after is not None else None) or True


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """One line of what a method must refuse."""

    when: Condition
    codes: tuple[int, ...] = ()
    """Any of them will do; empty: any error."""


def refused(demand: Demand, among: Sequence[Demand] = ()) -> Callable[[MqacStep], Answer]:
    """`among`: all that the method must refuse, in the order of the document. The first that holds has the say."""

    def check(step: MqacStep) -> Answer:
        holds = demand.when(step)
        if not holds:
            return None
        others = [one for one in among if one is not demand and one.when(step)]
        if step.succeeded:
            if any(one.when(step) is True for one in among[: _place(among, demand)]):
                return None
            return holds if isinstance(holds, Reason) else _broken(step, demand)
        if step.code in demand.codes or not demand.codes:
            return True
        if is_below(step) or any(not one.codes or step.code in one.codes for one in others):
            return None
        return holds if isinstance(holds, Reason) else _broken(step, demand)

    return check


def _place(among: Sequence[Demand], demand: Demand) -> int:
    return next((place for place, one in enumerate(among) if one is demand), 0)


def _broken(step: MqacStep, demand: Demand) -> Broken:
    wanted = " or ".join(map(code_shown, demand.codes)) or "an error"
    return Broken({**asked(step), "demanded": wanted, "answer": code_shown(step.code)})


def is_below(step: MqacStep) -> bool:
    """It failed before the object saw it, or for want of something that no rule is about."""
    code = step.code
    if code is None or not code & _FAILED:
        return step.call.fault is not None
    return code in _BELOW or (code >> 16 & 0x1FFF in _FACILITIES_BELOW and code != E_INVALIDARG)


def is_failure(code: int) -> bool:
    return bool(code & _FAILED)
