"""[MC-MQAC] 3.14, 3.15: what a query found, and collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.mqac.objects import ObjectState, QueueInfosState
from pipelines.rules.model import Broken
from pipelines.rules.mqac.demands import (
    MQ_ERROR_INVALID_PARAMETER,
    Demand,
    answered,
    asked,
    doubt,
    gets,
    is_below,
    known,
    made_by_client,
    methods,
    of_server,
    refused,
)
from pipelines.rules.mqac.values import only_argument

if TYPE_CHECKING:
    from pipelines.facts.reasons import Reason
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_RESULTS: Final = "MSMQQueueInfos"
_COLLECTION: Final = "MSMQCollection"
_RESET: Final = methods(_RESULTS, "Reset")
_NEXT: Final = methods(_RESULTS, "Next")
_KEYS: Final = frozenset(
    name.lower()
    for name in (
        *("QueueFormatName", "SenderID", "SeqID", "SeqNo", "LastAccessTime", "RejectCount"),
        *("EodLastAckCount", "EodLastAckTime", "EodNoAckCount", "EodNoReadCount", "EodResendCount"),
        *("EodResendInterval", "EodResendTime", "EodFirstNonAck", "EodLastAck", "EodLastNonAck", "EodNextSeq"),
        "PrevNo",
    )
)
"""2.2.4: of all collections that there are."""


def _made_by_client(step: MqacStep) -> bool | Reason:
    """An activation handed it out, no query."""
    state = step.state
    if not isinstance(state, QueueInfosState) or state.asked is not None:
        return False
    return made_by_client(state) and known(step, holds=True)


def _is_empty(state: ObjectState) -> bool:
    """3.15.3: what a client makes has no elements; what it gets from a queue has some."""
    return made_by_client(state)


def _unknown_key(step: MqacStep) -> bool | Reason:
    given = only_argument(step)
    if given is None or not given.value:
        return False
    return _is_empty(step.state) or given.value.lower() not in _KEYS


def _count(step: MqacStep) -> Answer:
    told = step.result.number if step.succeeded and step.result else None
    if told is None:
        return None
    if told < 0 or (told and _is_empty(step.state)):
        return Broken({**asked(step), "told": told})
    return True


def _end(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, QueueInfosState) or not state.at_end or not step.succeeded:
        return None
    return True if step.result is None else doubt(step) or Broken(answered(step))


def _usable(step: MqacStep) -> Answer:
    """What a query handed out can be reset."""
    state = step.state
    if not isinstance(state, QueueInfosState) or state.asked is None:
        return None
    return True if step.succeeded else (None if is_below(step) else Broken(answered(step)))


RULES: Final = (
    of_server(
        "mqac-results-made",
        "Results of a query that nobody made were read",
        section="3.14.3, 3.14.4.1.1, 3.14.4.1.2",
        requirement="Reset and Next of an object that a client made, instead of a query, fail.",
        members=(*_RESET, *_NEXT),
        check=refused(Demand(_made_by_client)),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-query-usable",
        "Results that a query had handed out could not be reset",
        section="3.14.3",
        requirement="Reset of what a query handed out succeeds.",
        members=_RESET,
        check=_usable,
    ),
    of_server(
        "mqac-results-end",
        "A queue came after the end of a query's results",
        section="3.14.4.1.2",
        requirement="After a Next without a queue each further Next is without one, until Reset.",
        members=_NEXT,
        check=_end,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-collection-key",
        "A collection had a value under a key that there is not",
        section="3.15.3, 3.15.4.1.1",
        requirement="Item with a key that the collection lacks is answered MQ_ERROR_INVALID_PARAMETER. A collection "
        "that a client makes is empty; all others have keys of section 2.2.4.",
        members=methods(_COLLECTION, "Item"),
        check=refused(Demand(_unknown_key, (MQ_ERROR_INVALID_PARAMETER,))),
    ),
    of_server(
        "mqac-collection-count",
        "A collection that a client made was said to have elements",
        section="3.15.3, 3.15.4.1.2",
        requirement="Count tells the number of elements: 0 of a collection that a client makes.",
        members=gets(_COLLECTION, "Count"),
        check=_count,
    ),
)
