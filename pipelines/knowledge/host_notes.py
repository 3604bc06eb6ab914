"""What the steps of one server prove of it and of its clients."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from decoders.dcerpc.call_model import BindingSource, CallOutcome
from decoders.dcerpc.well_known import ENDPOINT_MAPPER, MSMQ, MSMQ_COM
from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.queue_names import computer_name, queue_manager_of
from pipelines.facts.versions import opened_as, said_version
from pipelines.sessions.steps import CallStep, ConnectionStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.facts.model import CallFact, Method
    from pipelines.facts.versions import Version
    from pipelines.mqac.steps import MqacStep
    from pipelines.sessions.steps import Step
    from schemas.state import HostNoteRow

MAX_NOTES: Final = 65_536
"""Of one server: a peer may claim any number of names."""
_INTERFACES: Final = MSMQ | MSMQ_COM | ENDPOINT_MAPPER
_GUID: Final = re.compile(r"\{?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}?", re.IGNORECASE)
_TOLD_OF_ITSELF: Final = (3, 4)
"""dwQueryType: [MS-MQMP] 3.1.4.23."""
_ANSWERED: Final = frozenset((CallOutcome.ANSWERED, CallOutcome.FAULTED))


class HostNotes:
    def __init__(self, server: str) -> None:
        self._server = server
        self._notes: dict[tuple[str, str, str], list[int]] = {}
        self._of_calls: dict[tuple[str, str | None, str | None, bool], list[list[int]]] = {}
        """By client, interface, workstation and whether it was answered: the times that a call with these changes."""

    def see(self, step: Step) -> None:
        if isinstance(step, ConnectionStep):
            for bind in step.fact.binds:
                names = {_INTERFACES[uuid] for uuid in bind.interfaces if uuid in _INTERFACES}
                for name in names:
                    self._note(step.fact.ends.orig_h, "calls", name, bind.ts_ns)
                    if bind.answer == "accepted" and len(set(bind.interfaces)) == 1:
                        self._note(self._server, "serves", name, bind.ts_ns)
        elif isinstance(step, CallStep) and step.call.source == BindingSource.BIND:
            self._call(step)

    def see_object(self, step: MqacStep) -> None:
        """A call of one of MSMQ's objects. Of a script the object's class tells the interface that it stands for."""
        call = step.call
        name = step.endpoint if step.com.invoked is not None else call.endpoint
        self._note(call.client, "calls", name, call.began.ts_ns)
        self._note(call.client, "ntlm", call.workstation, call.began.ts_ns)
        if call.outcome in _ANSWERED:
            self._note(call.server, "serves", name, call.began.ts_ns)

    def rows(self) -> Iterator[HostNoteRow]:
        for (address, kind, value), (first, last) in self._notes.items():
            yield {
                "server": self._server,
                "address": address,
                "kind": kind,
                "value": value,
                "first_ts_ns": first,
                "last_ts_ns": last,
            }

    def _note(self, address: str, kind: str, value: str | None, ts_ns: int) -> None:
        if not value:
            return
        times = self._notes.get((address, kind, value))
        if times is not None:
            times[0], times[1] = min(times[0], ts_ns), max(times[1], ts_ns)
        elif len(self._notes) < MAX_NOTES:
            self._notes[address, kind, value] = [ts_ns, ts_ns]

    def _call(self, step: CallStep) -> None:
        call, ts_ns = step.call, step.call.began.ts_ns
        alike = call.ends.orig_h, call.endpoint, call.workstation, call.outcome in _ANSWERED
        known = self._of_calls.get(alike)
        if known is None:
            self._first(call, ts_ns)
        else:
            for times in known:
                if ts_ns > times[1]:
                    times[1] = ts_ns
                elif ts_ns < times[0]:
                    times[0] = ts_ns
        told = _TOLD.get(call.method)
        if told is not None and step.succeeded:
            for address, kind, value in told(call):
                self._note(address, kind, value, ts_ns)

    def _first(self, call: CallFact, ts_ns: int) -> None:
        """Of calls alike, as long as there is room."""
        answered = call.outcome in _ANSWERED
        notes = [(call.client, "calls", call.endpoint), (call.client, "ntlm", call.workstation)]
        if answered:
            notes.append((call.server, "serves", call.endpoint))
        for address, kind, value in notes:
            self._note(address, kind, value, ts_ns)
        if len(self._notes) < MAX_NOTES:
            times = [self._notes[address, kind, value] for address, kind, value in notes if value]
            self._of_calls[call.ends.orig_h, call.endpoint, call.workstation, answered] = times


def _opened_by_queue_manager(call: CallFact) -> Iterator[tuple[str, str, str | None]]:
    yield call.client, "queue_manager", (call.request or {}).get("pLicGuid")


def _opened_remotely(call: CallFact) -> Iterator[tuple[str, str, str | None]]:
    asked = call.request or {}
    yield call.client, "queue_manager", asked.get("pClientId")
    yield call.client, "version", _shown(opened_as(call))
    yield from _owner(call)


def _owner(call: CallFact) -> Iterator[tuple[str, str, str | None]]:
    """The queue is the server's own."""
    name = format_name((call.request or {}).get("pQueueFormat") or {})
    yield call.server, "format_name", computer_name(name)
    yield call.server, "queue_manager", queue_manager_of(name)


def _owner_of_object(call: CallFact) -> Iterator[tuple[str, str, str | None]]:
    asked = call.request or {}
    yield call.server, "path_name", computer_name(asked.get("lpwcsPathName"))
    name = format_name((asked.get("pObjectFormat") or {}).get("pQueueFormat") or {})
    yield call.server, "format_name", computer_name(name)
    yield call.server, "queue_manager", queue_manager_of(name)


def _opened_for_application(call: CallFact) -> Iterator[tuple[str, str, str | None]]:
    yield call.client, "client_name", (call.request or {}).get("lpClientName")
    yield call.client, "opens", "qmcomm"
    yield call.server, "supports", "qmcomm"


def _said_version(call: CallFact) -> Iterator[tuple[str, str, str | None]]:
    yield call.server, "version", _shown(said_version(call))


def _shown(version: Version | None) -> str | None:
    return None if version is None else str(version)


def _registry(call: CallFact) -> Iterator[tuple[str, str, str | None]]:
    """Windows 2000 answers its GUID to what later ones answer their version to: the text tells."""
    yield from _said_version(call)
    asked, said = (call.request or {}).get("dwQueryType"), (call.response or {}).get("lplpMQISServer")
    if asked in _TOLD_OF_ITSELF and isinstance(said, str) and (found := _GUID.fullmatch(said)):
        yield call.server, "queue_manager", found[1].lower()


_TOLD: Final[dict[Method, Callable[[CallFact], Iterator[tuple[str, str, str | None]]]]] = {
    v.OPEN: _opened_by_queue_manager,
    v.REMOTE_OPEN: _opened_remotely,
    v.OPEN_FOR_MOVE: _opened_remotely,
    v.OPEN_REMOTE: _owner,
    v.QM_OPEN: _opened_for_application,
    v.VERSION: _said_version,
    v.QUERY_REGISTRY: _registry,
    **dict.fromkeys(
        (
            *(v.CREATE_OBJECT, v.DELETE_OBJECT, v.GET_PROPERTIES, v.SET_PROPERTIES),
            *(v.GET_SECURITY, v.SET_SECURITY, v.PATH_TO_FORMAT),
        ),
        _owner_of_object,
    ),
}
