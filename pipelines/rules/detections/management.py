"""What an investigator asks for: management that maps out a server or takes it away. Nobody is accused."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from decoders.interfaces.qmmgmt import MgmtObjectType
from decoders.msmq.format_names import format_name
from decoders.msmq.properties import PROPERTIES, property_name
from pipelines.facts import vocabulary as v
from pipelines.mqac.objects import ManagementState
from pipelines.mqac.steps import MqacStep
from pipelines.rules.model import BOTH, REQUEST, Broken, Detected, Level, Subject, Undecided
from pipelines.rules.mqac.demands import answered, gets, methods
from pipelines.rules.plans import is_moot, unreadable
from pipelines.rules.shown import code_shown
from pipelines.rules.watching import MAX_CLIENTS, CallWatcher, detection
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.rules.model import Answer, Judged, Settings
    from pipelines.sessions.steps import CallStep

_TYPES: Final = dict(MgmtObjectType.members)
_MACHINE: Final = _TYPES["MGMT_MACHINE"]
_QUEUE: Final = _TYPES["MGMT_QUEUE"]
_LIST_NAMES: Final = frozenset(("PROPID_MGMT_MSMQ_ACTIVEQUEUES", "PROPID_MGMT_MSMQ_PRIVATEQ"))
_LISTS: Final = frozenset(
    propid for (kind, propid), entry in PROPERTIES.items() if kind == _MACHINE and entry.name in _LIST_NAMES
)
_ACTIONS: Final = {
    **dict.fromkeys(("CONNECT", "DISCONNECT", "TIDY"), _MACHINE),
    **dict.fromkeys(("PAUSE", "RESUME", "EOD_RESEND"), _QUEUE),
}
_DISRUPTIVE: Final = frozenset(("DISCONNECT", "PAUSE", "TIDY"))


def _service_disruption(step: CallStep | MqacStep) -> Answer:
    if isinstance(step, MqacStep):
        return Broken(answered(step)) if step.succeeded else True
    action = str(step.request.get("lpwszAction", ""))
    if action.upper() not in _DISRUPTIVE or not step.succeeded:
        return True
    return Broken({"lpwszAction": action, "object": _object_shown(step), "answer": code_shown(step.code)})


def _action_misplaced(step: CallStep) -> Answer:
    action, kind = str(step.request.get("lpwszAction", "")), _object(step).get("type")
    of = _ACTIONS.get(action.upper())
    if of is None or kind not in (_MACHINE, _QUEUE):
        return None
    return kind == of or Broken({"lpwszAction": action, "object": _object_shown(step), "answer": code_shown(step.code)})


def _object(step: CallStep) -> dict[str, Any]:
    return step.request.get("pObjectFormat") or {}


def _object_shown(step: CallStep) -> str:
    asked = _object(step)
    if asked.get("type") == _MACHINE:
        return "machine"
    return format_name(asked.get("pQueueFormat") or {}) or "unknown"


@dataclass(slots=True)
class _Asked:
    """By one client."""

    queues: set[bytes] = field(default_factory=set)
    """Up to the threshold; then it was reported."""
    lists: set[int] = field(default_factory=set)


_BY_OBJECT: Final = methods("MSMQManagement", "Init")
_LISTS_BY_OBJECT: Final = {
    **dict.fromkeys(methods("MSMQApplication", "ActiveQueues"), "PROPID_MGMT_MSMQ_ACTIVEQUEUES"),
    **dict.fromkeys(gets("MSMQApplication", "PrivateQueues"), "PROPID_MGMT_MSMQ_PRIVATEQ"),
}


class _QueueEnumeration(CallWatcher):
    subjects: ClassVar = frozenset((Subject.MQAC,))
    needs: ClassVar = {v.GET_INFO: REQUEST, v.GET_PROPERTIES: REQUEST}

    def __init__(self, settings: Settings) -> None:
        self._threshold = settings["enumerated_queues"]
        self._clients: Recent[str, _Asked] = Recent(MAX_CLIENTS)

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        """Of MSMQ's objects: each names its queue by Init."""
        if not isinstance(step, MqacStep) or step.member not in (*_BY_OBJECT, *_LISTS_BY_OBJECT):
            return ()
        if is_moot(step.call, REQUEST):
            return ()
        if (reason := unreadable(step.call, REQUEST)) is not None:
            return (Undecided(step, reason),)
        queues: list[str] = []
        lists: set[int] = set()
        if step.member in _LISTS_BY_OBJECT:
            lists = {one for one in _LISTS if property_name(_MACHINE, one) == _LISTS_BY_OBJECT[step.member]}
        elif isinstance(step.state, ManagementState):
            queues = [name for one in ("FormatName", "Pathname") if (name := step.text(one))]
        return self._noted(step, lists if step.succeeded else set(), {_digest(name) for name in queues})

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        what = _object(step)
        kind = _QUEUE if step.call.method == v.GET_PROPERTIES else what.get("type")
        is_list = kind == _MACHINE and step.succeeded
        lists = _LISTS.intersection(step.request.get("aProp", ())) if is_list else frozenset()
        return self._noted(
            step, lists, {_queue(what["pQueueFormat"])} if kind == _QUEUE and "pQueueFormat" in what else ()
        )

    def _noted(
        self, step: CallStep | MqacStep, lists: Iterable[int], queues: Iterable[bytes]
    ) -> Iterable[Detected | Undecided | bool]:
        asked = self._clients.get(step.call.client) or _Asked()
        self._clients.put(step.call.client, asked)
        if len(asked.queues) >= self._threshold:
            return ()
        asked.lists |= set(lists)
        asked.queues |= set(queues)
        if len(asked.queues) < self._threshold:
            return (True,)
        read = ", ".join(str(property_name(_MACHINE, propid)) for propid in sorted(asked.lists))
        return (Detected(step, {"queues": len(asked.queues), "lists read before": read or "none"}),)


def _digest(name: str) -> bytes:
    """Of one size however long its name; names of queues are not case-sensitive."""
    return hashlib.blake2b(name.casefold().encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _queue(queue_format: dict[str, Any]) -> bytes:
    """What tells it from others."""
    return _digest(format_name(queue_format) or json.dumps(queue_format, sort_keys=True, default=str))


RULES: Final = (
    detection(
        "detect-queue-enumeration",
        "One client asked for the properties of many queues",
        document="MS-MQMR",
        section="2.2.3.1",
        requirement="Reported is a client that asks for properties of at least enumerated_queues different queues, by "
        "qmmgmt, qmcomm or MSMQ's management objects, and whether it got the list of active or private queues before; "
        "once a client.",
        level=Level.MEDIUM,
        operations=(v.GET_INFO, v.GET_PROPERTIES),
        needs=REQUEST,
        watch=_QueueEnumeration,
        attack=("T1046",),
        settings={"enumerated_queues": 10},
    ),
    detection(
        "detect-service-disruption",
        "A queue manager or queue was told to stop, or to tidy up",
        document="MS-MQMR",
        section="3.1.4.2",
        requirement="Reported is an R_QMMgmtAction with DISCONNECT, PAUSE or TIDY that succeeded, or the same by one "
        "of MSMQ's objects.",
        level=Level.HIGH,
        operations=(v.ACTION,),
        members=(
            *methods("MSMQApplication", "Disconnect", "Tidy"),
            *methods("MSMQOutgoingQueueManagement", "Pause"),
        ),
        needs=BOTH,
        check=_service_disruption,
        attack=("T1489",),
    ),
    detection(
        "detect-action-misplaced",
        "An action for queues was asked of the machine, or one for the machine of a queue",
        document="MS-MQMR",
        section="3.1.4.2",
        requirement="Reported is an R_QMMgmtAction on an object that it is not made for: CONNECT, DISCONNECT and TIDY "
        "are actions of machines, PAUSE, RESUME and EOD_RESEND of queues. The document forbids it to nobody.",
        level=Level.LOW,
        operations=(v.ACTION,),
        needs=REQUEST,
        check=_action_misplaced,
        attack=("T1489",),
    ),
)
