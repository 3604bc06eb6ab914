"""What an investigator asks for: clients that find out what a server offers. Nobody is accused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from decoders.status.ept import EPT
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, REQUEST, Detected, Level, Undecided
from pipelines.rules.watching import MAX_CLIENTS, CallWatcher, detection
from pipelines.sessions.mapper import asked_for
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import Moment
    from pipelines.rules.model import Settings
    from pipelines.sessions.steps import CallStep

MAP: Final = v.EPT_MAP
LOOKUP: Final = v.EPT_LOOKUP
FREE: Final = v.EPT_FREE
_ALL: Final = 0
"""inquiry_type: everything that is registered, [C706] appendix O. Others are limited to an interface or object."""
_NOT_REGISTERED: Final = next(code for code, name in EPT.items() if name == "ept_s_not_registered")
MAX_WALKS: Final = 1_024
"""Listings under way at once: a client may begin any number and finish none."""


class _Walk(NamedTuple):
    since: Moment
    calls: int


@dataclass(slots=True)
class _Client:
    interfaces: set[str] = field(default_factory=set)
    """Asked for; up to the threshold."""
    told: bool = False


class _EndpointScan(CallWatcher):
    needs: ClassVar = {MAP: REQUEST, LOOKUP: BOTH, FREE: REQUEST}

    def __init__(self, settings: Settings) -> None:
        self._most_interfaces = settings["mapped_interfaces"]
        self._most_calls = settings["lookup_calls"]
        self._clients: Recent[str, _Client] = Recent(MAX_CLIENTS)
        self._walks: Recent[tuple[str, str], _Walk] = Recent(MAX_WALKS)
        """By client and entry_handle."""
        self._missed: Recent[str, tuple[Moment, Reason]] = Recent(MAX_CLIENTS)
        """The last call of a client that could not be read."""

    def missed(self, step: CallStep, reason: Reason) -> Undecided:
        self._missed.put(step.call.client, (step.call.until, reason))
        return Undecided(step, reason)

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        if step.call.method == FREE:
            self._walks.drop((step.call.client, str(step.request.get("entry_handle"))))
            return ()
        client = self._clients.get(step.call.client) or _Client()
        self._clients.put(step.call.client, client)
        if client.told:
            return ()
        found = self._mapped(step, client) if step.call.method == MAP else self._looked_up(step)
        client.told = isinstance(found, Detected)
        return (found,)

    def _mapped(self, step: CallStep, client: _Client) -> Detected | Undecided | bool:
        interface = asked_for(step.request)
        if interface is None:
            return Undecided(step, Reason.NOT_DECODED)
        client.interfaces.add(interface)
        if len(client.interfaces) < self._most_interfaces:
            return True
        return Detected(step, {"interfaces asked for": ", ".join(sorted(client.interfaces))})

    def _looked_up(self, step: CallStep) -> Detected | Undecided | bool:
        if step.request.get("inquiry_type") != _ALL:
            return True
        before, after = step.request.get("entry_handle"), step.response.get("entry_handle")
        walk = _Walk(step.call.began, 0) if before is None else self._walks.get((step.call.client, before))
        if walk is None:
            return Undecided(step, Reason.OPEN_NOT_SEEN)
        self._walks.drop((step.call.client, str(before)))
        walk = walk._replace(calls=walk.calls + 1)
        if step.succeeded and after is not None:
            self._walks.put((step.call.client, after), walk)
            return True
        if (not step.succeeded and step.code != _NOT_REGISTERED) or walk.calls < self._most_calls:
            return True
        reason = self._blind_since(step, walk.since)
        return Detected(step, {"ept_lookup calls": walk.calls}) if reason is None else Undecided(step, reason)

    def _blind_since(self, step: CallStep, since: Moment) -> Reason | None:
        """A handle may have been freed and given again out of sight: then two listings look like one."""
        missed = self._missed.get(step.call.client)
        if missed is not None and missed[0] >= since:
            return missed[1]
        return step.blind_since(since)


RULES: Final = (
    detection(
        "detect-endpoint-scan",
        "One client went through the endpoint mapper",
        document="MS-RPCE",
        section="2.2.1.2",
        requirement="Reported is a client that asks by ept_map for at least mapped_interfaces different interfaces, or "
        "lists all endpoints to the end with at least lookup_calls calls of ept_lookup; once a client.",
        level=Level.MEDIUM,
        operations=(MAP, LOOKUP, FREE),
        watch=_EndpointScan,
        attack=("T1046",),
        settings={"mapped_interfaces": 5, "lookup_calls": 3},
        undecidable_when="the listing began out of sight, or anything was missed since it began",
    ),
)
