"""What an investigator asks for: who makes objects on this server from afar. Nobody is accused."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from decoders.dcom.classes import MSMQ_CLASSES, REMOTE_EXECUTION_CLASSES
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.detections.refusals import Refusals
from pipelines.rules.model import BOTH, REQUEST, RESPONSE, Broken, Detected, Level, Subject
from pipelines.rules.watching import ComWatcher, detection
from schemas.dates import date_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer, Settings, Undecided

_DENIED: Final = frozenset((5, 0x8007_0005))
"""ERROR_ACCESS_DENIED and E_ACCESSDENIED: [MS-DCOM] 3.1.2.5.2.3 lets a server choose."""


def _activated(step: ComStep, classes: Mapping[str, str]) -> Answer:
    activation = step.com.activation
    if activation is None or activation.clsid is None:
        return None
    name = classes.get(activation.clsid)
    if name is None:
        return True
    return Broken({"class": name, "clsid": activation.clsid, "server as named": activation.server_name})


def _of_msmq(step: ComStep) -> Answer:
    found = _activated(step, MSMQ_CLASSES) if step.succeeded else None
    if not isinstance(found, Broken):
        return found
    if step.first_made is not None and step.first_made != step.call.call_uid:
        return True
    if step.first_made is None or step.since_ns <= 0 or date_of(step.since_ns) == date_of(step.call.began.ts_ns):
        return Reason.NO_PAST
    return Broken({**found.values, "server seen since": date_of(step.since_ns)})


def _for_execution(step: ComStep) -> Answer:
    return _activated(step, REMOTE_EXECUTION_CLASSES)


class _RefusedActivations(ComWatcher):
    needs: ClassVar = dict.fromkeys(v.ACTIVATIONS, RESPONSE)

    def __init__(self, settings: Settings) -> None:
        self._refusals = Refusals(settings, "refused_activations")

    def look(self, step: ComStep) -> Iterable[Detected | Undecided | bool]:
        return (True,) if step.code not in _DENIED else self._refusals.refused(step)


_of_com: Final = partial(
    detection, document="MS-DCOM", section="3.1.2.5.2.3", subject=Subject.COM, attack=("T1021.003",)
)

RULES: Final = (
    _of_com(
        "detect-msmq-object-activated",
        "A host activated an object of MSMQ for the first time",
        requirement="Reported is the first activation, with success, of one of MSMQ's classes by a host, at whichever "
        "server and in all that a dataset holds: by it queues can be read, changed and managed.",
        level=Level.LOW,
        operations=v.ACTIVATIONS,
        needs=BOTH,
        check=_of_msmq,
        undecidable_when="nothing of the server was captured on an earlier day (UTC): a capture of one day has no past",
    ),
    _of_com(
        "detect-execution-class-activated",
        "A class was to be activated by which commands can be run from afar",
        requirement="Reported is an activation of a class that runs commands or code for whoever may activate it, "
        "such as MMC20.Application or ShellWindows, whatever the server made of it.",
        level=Level.HIGH,
        operations=v.ACTIVATIONS,
        needs=REQUEST,
        check=_for_execution,
    ),
    _of_com(
        "detect-refused-activations",
        "One client was denied many times when it activated objects",
        requirement="Reported are at least refused_activations activations within refused_activations_seconds that "
        "were answered with access denied; once a client and period.",
        level=Level.MEDIUM,
        operations=v.ACTIVATIONS,
        needs=RESPONSE,
        watch=_RefusedActivations,
        settings={"refused_activations": 5, "refused_activations_seconds": 600},
    ),
)
