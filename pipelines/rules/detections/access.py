"""What an investigator asks for: who opens queues, and who may not. Nobody is accused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from pipelines.facts import vocabulary as v
from pipelines.rules.detections.refusals import Refusals
from pipelines.rules.faults import raised_by_method
from pipelines.rules.model import BOTH, Detected, Level
from pipelines.rules.watching import CallWatcher, detection
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.rules.model import Settings, Undecided
    from pipelines.sessions.steps import CallStep

MAX_QUEUE_MANAGERS: Final = 4_096
"""Kept in mind for one server: anybody may make up GUIDs."""
MAX_ADDRESSES: Final = 64
"""Of one queue manager: those after are not reported."""
_OPENS: Final = {
    **dict.fromkeys((v.OPEN, *v.SUPPORTED_OPENS), "pLicGuid"),
    **dict.fromkeys(v.REMOTE_OPENS, "pClientId"),
}
"""And the parameter by which the client's queue manager, or its computer, says who it is."""
_THROWING: Final = (*v.REMOTE_OPENS, *v.SUPPORTED_OPENS)
"""Those that may throw their errors instead of returning them."""
_NIL: Final = "00000000-0000-0000-0000-000000000000"
_RPC_ACCESS_DENIED: Final = 5
_REFUSING_FAULTS: Final = frozenset((_RPC_ACCESS_DENIED, v.MQ_ERROR_ACCESS_DENIED))


@dataclass(slots=True)
class _QueueManager:
    addresses: list[str] = field(default_factory=list)
    told: set[str] = field(default_factory=set)


class _SeveralAddresses(CallWatcher):
    """Each address is reported once, at the first opening after another was seen: whichever came first.

    Openings that nobody answered do not count: they are told late, and who came first would depend on a lost answer.
    """

    needs: ClassVar = dict.fromkeys(_OPENS, BOTH)

    def __init__(self, _: Settings) -> None:
        self._known: Recent[str, _QueueManager] = Recent(MAX_QUEUE_MANAGERS)

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        name = _OPENS[step.call.method]
        guid, address = step.request.get(name), step.call.client
        if guid is None or guid == _NIL:
            return ()
        known = self._known.get(guid) or _QueueManager()
        self._known.put(guid, known)
        if address not in known.addresses and len(known.addresses) < MAX_ADDRESSES:
            known.addresses.append(address)
        others = [one for one in known.addresses if one != address]
        if not others:
            return (True,)
        if address in known.told or address not in known.addresses:
            return ()
        known.told.add(address)
        return (Detected(step, {name: guid, "address": address, "seen before from": ", ".join(others)}),)


class _RefusedOpens(CallWatcher):
    needs: ClassVar = dict.fromkeys(_OPENS, BOTH)

    def __init__(self, settings: Settings) -> None:
        self._refusals = Refusals(settings, "refused_opens")

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        return (True,) if not _refused(step) else self._refusals.refused(step)


def _refused(step: CallStep) -> bool:
    """By the method, or by RPC for lack of rights; other faults of RPC say nothing about the client."""
    fault = step.call.fault
    if fault is None:
        return step.failed
    return fault in _REFUSING_FAULTS or (step.call.method in _THROWING and raised_by_method(fault))


RULES: Final = (
    detection(
        "detect-qm-several-addresses",
        "One client queue manager came from several addresses",
        document="MS-MQQP",
        section="3.1.4.3",
        requirement="Reported is an answered open of qm2qm, RemoteRead or qmcomm whose pLicGuid or pClientId was seen "
        "from another address before; each address once.",
        level=Level.MEDIUM,
        operations=tuple(_OPENS),
        needs=BOTH,
        watch=_SeveralAddresses,
        attack=("T1078",),
    ),
    detection(
        "detect-refused-opens",
        "One client was refused many times when it opened queues",
        document="MS-MQQP",
        section="3.1.4.3",
        requirement="Reported are at least refused_opens opens of qm2qm, RemoteRead or qmcomm within "
        "refused_opens_seconds that failed or were denied; once a client and period.",
        level=Level.MEDIUM,
        operations=tuple(_OPENS),
        needs=BOTH,
        watch=_RefusedOpens,
        attack=("T1110",),
        settings={"refused_opens": 5, "refused_opens_seconds": 600},
    ),
)
