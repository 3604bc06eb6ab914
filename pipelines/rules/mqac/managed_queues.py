"""[MC-MQAC] 3.3 to 3.5: which queue a management object is about, as its answers and interfaces say."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from decoders.interfaces.mqac import enumerations as values
from pipelines.mqac.objects import ManagementState
from pipelines.rules.model import BOTH, RESPONSE, Broken, Detected, Undecided
from pipelines.rules.mqac.demands import doubt, of_server
from pipelines.rules.object_members import answered, asked, gets, methods
from pipelines.rules.watching import MqacWatcher
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from decoders.ndr.model import Enum
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Answer, Need, Settings

MANAGEMENT: Final = "MSMQManagement"
BY_QUERY: Final = ("MSMQQueueManagement", "MSMQOutgoingQueueManagement")
_MAX_OBJECTS: Final = 4_096
_IS_LOCAL: Final = gets(MANAGEMENT, "IsLocal")
LOCAL: Final = (
    *gets(BY_QUERY[0], "JournalMessageCount", "BytesInJournal"),
    *methods(BY_QUERY[0], "EodGetReceiveInfo"),
)
OUTGOING: Final = (
    *gets(BY_QUERY[1], "State", "NextHops"),
    *methods(BY_QUERY[1], "EodGetSendInfo", "Resume", "Pause", "EodResend"),
)


def _one_of(enumeration: Enum) -> Callable[[MqacStep], Answer]:
    allowed = frozenset(number for _, number in enumeration.members)

    def check(step: MqacStep) -> Answer:
        told = step.result.number if step.succeeded and step.result else None
        return None if told is None else (True if told in allowed else Broken({**asked(step), "told": told}))

    return check


class QueueLocation(MqacWatcher):
    """By which of the two interfaces an object has answered says what its queue is."""

    needs: ClassVar[Mapping[Meaning, frozenset[Need]]] = dict.fromkeys(
        (*LOCAL, *OUTGOING, *_IS_LOCAL, *methods(MANAGEMENT, "Init")), BOTH
    )

    def __init__(self, _: Settings) -> None:
        self._answered_as: Recent[str, str] = Recent(_MAX_OBJECTS)
        """Class of the interface, by `object_uid`."""

    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        uid = step.state.object.object_uid
        if step.member not in _IS_LOCAL:
            if not step.succeeded:
                return ()
            if step.member.object_class in BY_QUERY:
                self._answered_as.put(uid, step.member.object_class)
            else:
                self._answered_as.drop(uid)
            return ()
        told, cls = step.result.number if step.succeeded and step.result else None, self._answered_as.get(uid)
        if told is None or cls is None:
            return ()
        if bool(told) is (cls == BY_QUERY[0]):
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


RULES: Final = (
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
                MANAGEMENT,
                "ForeignStatus",
                "3.3.4.1.5",
                values.FOREIGN_STATUS,
            ),
            ("queue-type", "The type of a queue", MANAGEMENT, "QueueType", "3.3.4.1.6", values.QUEUE_TYPE),
            (
                "transactional-status",
                "Whether a queue is transactional",
                MANAGEMENT,
                "TransactionalStatus",
                "3.3.4.1.8",
                values.XACT_STATUS,
            ),
            (
                "outgoing-state",
                "The state of an outgoing queue",
                BY_QUERY[1],
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
        members=LOCAL,
        check=_only_if(local=True),
        undecidable_when="the object's history was not captured whole",
    ),
    of_server(
        "mqac-interface-outgoing",
        "A local queue answered as if it were an outgoing one",
        section="3.3.1, 3.5.3",
        requirement="The object of a queue that is not outgoing, by its IsLocal, has no IMSMQOutgoingQueueManagement.",
        members=OUTGOING,
        check=_only_if(local=False),
        undecidable_when="the object's history was not captured whole",
    ),
)
