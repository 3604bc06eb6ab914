"""What an investigator asks for: doors that stay open. Nobody is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.registry import DSCOMM
from pipelines.facts import vocabulary as v
from pipelines.mqac.steps import MqacStep
from pipelines.rules.model import BOTH, Broken, Level
from pipelines.rules.object_members import answered, methods
from pipelines.rules.shown import code_shown
from pipelines.rules.watching import detection

if TYPE_CHECKING:
    from pipelines.rules.model import Answer
    from pipelines.sessions.steps import CallStep

_OPERATIONS: Final = (
    *(v.CREATE_OBJECT, v.SET_SECURITY),
    *((DSCOMM.name, f"S_DS{name}") for name in ("CreateObject", "SetObjectSecurity", "SetObjectSecurityGuid")),
)


def _opened_to_anybody(step: CallStep | MqacStep) -> Answer:
    if isinstance(step, MqacStep):
        is_open = step.succeeded and step.number("IsWorldReadable")
        return Broken(answered(step)) if is_open else True
    given = (step.call.in_words or {}).get("open_to")
    if not given or not step.succeeded:
        return True
    return Broken({**{who: ", ".join(rights) for who, rights in given.items()}, "answer": code_shown(step.code)})


RULES: Final = (
    detection(
        "detect-rights-for-anybody",
        "A queue was opened to anybody",
        document="MS-MQMQ",
        section="2.2.24",
        requirement="Reported is a security descriptor, given to a queue with success, by which everyone or the "
        "anonymous may peek or receive, delete the queue, or change its rights; or Create of MSMQ's queue object with "
        "IsWorldReadable.",
        level=Level.HIGH,
        operations=_OPERATIONS,
        members=methods("MSMQQueueInfo", "Create"),
        needs=BOTH,
        check=_opened_to_anybody,
        attack=("T1222",),
    ),
)
