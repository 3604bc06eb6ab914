"""[MC-MQAC] 3.3 to 3.5: the state of one queue, which Init names."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from decoders.dcom.classes import class_name
from decoders.interfaces.mqac import enumerations as values
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import ManagementState
from pipelines.rules.com_duties import of_client as com_client
from pipelines.rules.model import BOTH, REQUEST, RESPONSE, Broken, Detected, Level, Undecided
from pipelines.rules.mqac.demands import (
    MQ_ERROR_INVALID_PARAMETER,
    Demand,
    answered,
    asked,
    doubt,
    gets,
    known,
    methods,
    of_client,
    of_server,
    refused,
    settled,
)
from pipelines.rules.mqac.values import NULLS, is_given
from pipelines.rules.watching import MqacWatcher
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from decoders.ndr.model import Enum
    from pipelines.com.steps import ComStep
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer, Need, Settings

_MANAGEMENT: Final = "MSMQManagement"
_BY_QUERY: Final = ("MSMQQueueManagement", "MSMQOutgoingQueueManagement")
_MAX_OBJECTS: Final = 4_096
_IS_LOCAL: Final = gets(_MANAGEMENT, "IsLocal")
_UNINITIALIZED: Final = 0xC00E_0094
_LOCAL: Final = (
    *gets(_BY_QUERY[0], "JournalMessageCount", "BytesInJournal"),
    *methods(_BY_QUERY[0], "EodGetReceiveInfo"),
)
_OUTGOING: Final = (
    *gets(_BY_QUERY[1], "State", "NextHops"),
    *methods(_BY_QUERY[1], "EodGetSendInfo", "Resume", "Pause", "EodResend"),
)
_AFTER_INIT: Final = (
    *gets(
        _MANAGEMENT,
        "FormatName",
        "Machine",
        "MessageCount",
        "ForeignStatus",
        "QueueType",
        "IsLocal",
        "TransactionalStatus",
        "BytesInQueue",
    ),
    *_LOCAL,
    *_OUTGOING,
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


_ONE_NAME: Final = Demand(_names, (MQ_ERROR_INVALID_PARAMETER,))


def _format_name(step: MqacStep) -> Answer:
    state = step.state
    if not isinstance(state, ManagementState) or not step.succeeded or state.init is None or state.queue.format is None:
        return None
    given, told = state.queue.format.text, step.result.value if step.result else None
    if told == given:
        return True
    return doubt(step) or Broken({**asked(step), "given": given, "told": told})


def _one_of(enumeration: Enum) -> Callable[[MqacStep], Answer]:
    allowed = frozenset(number for _, number in enumeration.members)

    def check(step: MqacStep) -> Answer:
        told = step.result.number if step.succeeded and step.result else None
        return None if told is None else (True if told in allowed else Broken({**asked(step), "told": told}))

    return check


class QueueLocation(MqacWatcher):
    """By which of the two interfaces an object has answered says what its queue is."""

    needs: ClassVar[Mapping[Meaning, frozenset[Need]]] = dict.fromkeys(
        (*_LOCAL, *_OUTGOING, *_IS_LOCAL, *methods(_MANAGEMENT, "Init")), BOTH
    )

    def __init__(self, _: Settings) -> None:
        self._answered_as: Recent[str, str] = Recent(_MAX_OBJECTS)
        """Class of the interface, by `object_uid`."""

    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        uid = step.state.object.object_uid
        if step.member not in _IS_LOCAL:
            if not step.succeeded:
                return ()
            if step.member.object_class in _BY_QUERY:
                self._answered_as.put(uid, step.member.object_class)
            else:
                self._answered_as.drop(uid)
            return ()
        told, cls = step.result.number if step.succeeded and step.result else None, self._answered_as.get(uid)
        if told is None or cls is None:
            return ()
        if bool(told) is (cls == _BY_QUERY[0]):
            return (True,)
        reason = doubt(step)
        shown = {**asked(step), "told": bool(told), "answered as": cls}
        return (Detected(step, shown) if reason is None else Undecided(step, reason),)


def _only_if(local: bool) -> Callable[[MqacStep], Answer]:
    """Members of an interface that only queues of one kind have."""

    def check(step: MqacStep) -> Answer:
        state = step.state
        if not isinstance(state, ManagementState) or state.is_local is None:
            return None
        if state.is_local is local:
            return True
        if not step.succeeded:
            return None
        return doubt(step) or Broken({**answered(step), "IsLocal": state.is_local})

    return check


def _queried(step: ComStep) -> Answer:
    activation = step.com.activation
    found = class_name(activation.clsid) if activation is not None and activation.clsid else None
    if found not in (_MANAGEMENT, *_BY_QUERY):
        return None
    return Broken({"class": found}) if found in _BY_QUERY else True


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
        members=methods(_MANAGEMENT, "Init"),
        check=refused(_ONE_NAME),
    ),
    of_server(
        "mqac-management-name",
        "A management object told another format name than Init had given",
        section="3.3.4.1.2",
        requirement="Get FormatName tells the format name that Init gave.",
        members=gets(_MANAGEMENT, "FormatName"),
        check=_format_name,
        undecidable_when="the object's history was not captured whole",
    ),
    *(
        of_server(
            f"mqac-{name}",
            f"{what} was told as a number that there is not",
            section=section,
            requirement=f"{member} tells one of the values of {enumeration.name}.",
            members=gets(cls, member),
            needs=RESPONSE,
            check=_one_of(enumeration),
        )
        for name, what, cls, member, section, enumeration in (
            (
                "foreign-status",
                "Whether a queue is foreign",
                _MANAGEMENT,
                "ForeignStatus",
                "3.3.4.1.5",
                values.FOREIGN_STATUS,
            ),
            ("queue-type", "The type of a queue", _MANAGEMENT, "QueueType", "3.3.4.1.6", values.QUEUE_TYPE),
            (
                "transactional-status",
                "Whether a queue is transactional",
                _MANAGEMENT,
                "TransactionalStatus",
                "3.3.4.1.8",
                values.XACT_STATUS,
            ),
            (
                "outgoing-state",
                "The state of an outgoing queue",
                _BY_QUERY[1],
                "State",
                "3.5.4.1.1",
                values.QUEUE_STATE,
            ),
        )
    ),
    of_server(
        "mqac-queue-location",
        "IsLocal contradicts the interface by which the object had answered",
        section="3.3.4.1.7",
        requirement="IsLocal is true of an object that answers as IMSMQQueueManagement, and false of one that answers "
        "as IMSMQOutgoingQueueManagement.",
        members=_IS_LOCAL,
        watch=QueueLocation,
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-interface-local",
        "An outgoing queue answered as if it were a local one",
        section="3.3.1, 3.4.3",
        requirement="The object of an outgoing queue, by its IsLocal, has no IMSMQQueueManagement.",
        members=_LOCAL,
        check=_only_if(local=True),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-interface-outgoing",
        "A local queue answered as if it were an outgoing one",
        section="3.3.1, 3.5.3",
        requirement="The object of a queue that is not outgoing, by its IsLocal, has no IMSMQOutgoingQueueManagement.",
        members=_OUTGOING,
        check=_only_if(local=False),
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
