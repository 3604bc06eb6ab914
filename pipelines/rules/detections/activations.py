"""What an investigator asks for: who makes objects on this server from afar. Nobody is accused."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from decoders.dcom.classes import MSMQ_CLASSES, REMOTE_EXECUTION_CLASSES
from pipelines.rules.model import BOTH, REQUEST, RESPONSE, Broken, Detected, Level, Subject
from pipelines.rules.shown import code_shown
from pipelines.rules.watching import MAX_CLIENTS, ComWatcher, detection
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pipelines.com.steps import ComStep
    from pipelines.rules.model import Answer, Settings, Undecided

_ACTIVATIONS: Final = ("RemoteGetClassObject", "RemoteCreateInstance", "RemoteActivation")
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
    return _activated(step, MSMQ_CLASSES) if step.succeeded else None


def _for_execution(step: ComStep) -> Answer:
    return _activated(step, REMOTE_EXECUTION_CLASSES)


@dataclass(slots=True)
class _Refusals:
    times: deque[int]
    """Of the last ones, as many as the threshold says."""
    told: int | None = None


class _RefusedActivations(ComWatcher):
    """A client is reported once a period, however often it goes on."""

    needs: ClassVar = dict.fromkeys(_ACTIVATIONS, RESPONSE)

    def __init__(self, settings: Settings) -> None:
        self._threshold = settings["refused_activations"]
        self._period = settings["refused_activations_seconds"] * 1_000_000_000
        self._clients: Recent[str, _Refusals] = Recent(MAX_CLIENTS)

    def look(self, step: ComStep) -> Iterable[Detected | Undecided | bool]:
        if step.code not in _DENIED:
            return (True,)
        now, client = step.call.until.ts_ns, step.call.client
        refusals = self._clients.get(client) or _Refusals(deque(maxlen=self._threshold))
        self._clients.put(client, refusals)
        refusals.times.append(now)
        if len(refusals.times) < self._threshold or now - refusals.times[0] > self._period:
            return (True,)
        if refusals.told is not None and now - refusals.told <= self._period:
            return ()
        refusals.told = now
        return (Detected(step, {"refused": len(refusals.times), "last": code_shown(step.code)}),)


_of_com: Final = partial(
    detection, document="MS-DCOM", section="3.1.2.5.2.3", subject=Subject.COM, attack=("T1021.003",)
)

RULES: Final = (
    _of_com(
        "detect-msmq-object-activated",
        "An object of MSMQ was activated from afar",
        requirement="Reported is an activation, with success, of one of MSMQ's classes: by it queues can be read, "
        "changed and managed.",
        level=Level.LOW,
        operations=_ACTIVATIONS,
        needs=BOTH,
        check=_of_msmq,
    ),
    _of_com(
        "detect-execution-class-activated",
        "A class was to be activated by which commands can be run from afar",
        requirement="Reported is an activation of a class that runs commands or code for whoever may activate it, "
        "such as MMC20.Application or ShellWindows, whatever the server made of it.",
        level=Level.HIGH,
        operations=_ACTIVATIONS,
        needs=REQUEST,
        check=_for_execution,
    ),
    _of_com(
        "detect-refused-activations",
        "One client was denied many times when it activated objects",
        requirement="Reported are at least refused_activations activations within refused_activations_seconds that "
        "were answered with access denied; once a client and period.",
        level=Level.MEDIUM,
        operations=_ACTIVATIONS,
        needs=RESPONSE,
        watch=_RefusedActivations,
        settings={"refused_activations": 5, "refused_activations_seconds": 600},
    ),
)
