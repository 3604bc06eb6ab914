"""[MC-MQAC] 3.3 to 3.5: management objects, which Init gives a queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.dcom.classes import class_name
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import ManagementState
from pipelines.rules.com_duties import of_client as com_client
from pipelines.rules.model import REQUEST, Broken, Level
from pipelines.rules.mqac.demands import Demand, doubt, known, of_client, of_server, refused, settled
from pipelines.rules.mqac.managed_queues import BY_QUERY, LOCAL, MANAGEMENT, OUTGOING
from pipelines.rules.mqac.values import NULLS, is_given, same_name
from pipelines.rules.object_members import answered, asked, gets, methods

if TYPE_CHECKING:
    from pipelines.com.steps import ComStep
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer

_UNINITIALIZED: Final = 0xC00E_0094
_AFTER_INIT: Final = (
    *gets(
        MANAGEMENT,
        "FormatName",
        "Machine",
        "MessageCount",
        "ForeignStatus",
        "QueueType",
        "IsLocal",
        "TransactionalStatus",
        "BytesInQueue",
    ),
    *LOCAL,
    *OUTGOING,
)


def _never(step: MqacStep) -> bool | Reason:
    """No Init was seen."""
    state = step.state
    return isinstance(state, ManagementState) and known(step, state.init is None and state.failed_init is None)


def _in_vain(step: MqacStep) -> bool | Reason:
    """Each Init failed."""
    state = step.state
    if not isinstance(state, ManagementState) or state.failed_init is None:
        return False
    return known(step, state.init is None, state.failed_init)


_NEVER: Final = Demand(_never, (_UNINITIALIZED,))
_IN_VAIN: Final = Demand(_in_vain, (_UNINITIALIZED,))
_refuses_before_init: Final = refused(_NEVER)


def _uninitialized(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, ManagementState) or state.init is None:
        return _refuses_before_init(step)
    if step.code != _UNINITIALIZED:
        return True
    return settled(step, state.init) or Broken(answered(step))


def _init_first(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, ManagementState):
        return None
    if state.init is not None:
        return True
    if step.code != _UNINITIALIZED:
        return Reason.OPEN_NOT_SEEN
    if state.failed_init is not None:
        # A client whose Init fails has done what it had to do.
        return None
    return doubt(step) or Broken(answered(step))


def _names(step: MqacStep) -> bool | Reason:
    given = [is_given(step, name) for name in ("Pathname", "FormatName")]
    # An empty text is no name, and no NULL either.
    unclear = any(_is_empty(step, name) for name in ("Pathname", "FormatName"))
    return not unclear and given[0] == given[1]


def _is_empty(step: MqacStep, name: str) -> bool:
    one = step.arguments.get(name)
    return one is not None and one.vt not in NULLS and not one.value


_ONE_NAME: Final = Demand(_names, (v.MQ_ERROR_INVALID_PARAMETER,))


def _format_name(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, ManagementState) or not step.succeeded or state.init is None or state.queue.format is None:
        return None
    given, told = state.queue.format.text, step.result.value if step.result else None
    if same_name(told, given):
        return True
    return doubt(step) or Broken({**asked(step), "given": given, "told": told})


def _queried(step: ComStep) -> Answer:
    activation = step.com.activation
    found = class_name(activation.clsid) if activation is not None and activation.clsid else None
    if found not in (MANAGEMENT, *BY_QUERY):
        return None
    return Broken({"class": found}) if found in BY_QUERY else True


RULES: Final = (
    of_server(
        "mqac-management-uninitialized",
        "A management object answered before Init, or knew nothing of its Init",
        section="3.3.3, 3.3.4.1.4, 3.4.4.1.1, 3.5.4.1.1",
        requirement="Before Init each member of a management object is answered MQ_ERROR_UNINITIALIZED_OBJECT; after "
        "an Init that succeeded none is.",
        members=_AFTER_INIT,
        check=_uninitialized,
        undecidable_when="the object's history was not captured whole, or Init was still under way",
    ),
    of_server(
        "mqac-management-init-failed",
        "A management object answered though its Init had failed",
        section="3.3.4.1.1",
        requirement="An Init that fails leaves the object as it was: its members are answered "
        "MQ_ERROR_UNINITIALIZED_OBJECT.",
        members=_AFTER_INIT,
        check=refused(_IN_VAIN),
        undecidable_when="the object's history was not captured whole, or Init was still under way",
    ),
    of_client(
        "mqac-management-first",
        "A management object was used before Init",
        section="3.3.3, 3.3.4.1.1, 3.4.3, 3.5.3",
        requirement="A client calls Init before any other member of a management object. Held against it only where "
        "the server denies the call as well.",
        members=_AFTER_INIT,
        check=_init_first,
        undecidable_when="the server answers all the same, or the object's history was not captured whole",
    ),
    of_server(
        "mqac-management-names",
        "Init took both names of a queue, or none",
        section="3.3.4.1.1",
        requirement="Init with both Pathname and FormatName, or with neither, is answered MQ_ERROR_INVALID_PARAMETER.",
        members=methods(MANAGEMENT, "Init"),
        check=refused(_ONE_NAME),
    ),
    of_server(
        "mqac-management-name",
        "A management object told another format name than Init had given",
        section="3.3.4.1.2",
        requirement="Get FormatName tells the format name that Init gave.",
        members=gets(MANAGEMENT, "FormatName"),
        check=_format_name,
        undecidable_when="the object's history was not captured whole",
    ),
    com_client(
        "mqac-management-by-query",
        "A further interface of queue management was activated instead of asked for",
        document="MC-MQAC",
        section="3.4.3, 3.5.3",
        requirement="A client gets IMSMQQueueManagement and IMSMQOutgoingQueueManagement from an MSMQManagement "
        "object; it does not activate their classes.",
        level=Level.INFORMATIONAL,
        operations=v.ACTIVATIONS,
        needs=REQUEST,
        check=_queried,
    ),
)
