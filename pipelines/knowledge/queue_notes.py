"""What the steps of one server say of queues: their names, and who did what to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.dcerpc.call_model import BindingSource
from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.knowledge.names import queue_names
from pipelines.sessions.model import Kind, ReadOutcome
from pipelines.sessions.steps import CallStep, MoveStep, ReadStep, SessionStep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipelines.facts.model import CallFact
    from pipelines.sessions.model import Acts, Session
    from pipelines.sessions.steps import Step

Row = dict[str, Any]
MAX_NOTES: Final = 65_536
"""Of one server: a peer may name any number of queues."""
_QUEUE: Final = 1
"""Object type of a queue: [MS-MQDS] 2.2.8, [MS-MQMP] 3.1.4.5."""
_MGMT_QUEUE: Final = 2
_PATHNAME_PROPERTIES: Final = frozenset((103, 124))
_MGMT_PATHNAME, _MGMT_FORMATNAME = 1, 2
_READ: Final = frozenset((ReadOutcome.PEEKED, ReadOutcome.ACKED, ReadOutcome.NACKED, ReadOutcome.RUNDOWN))


class _Named(NamedTuple):
    """A queue as a call names it."""

    names: tuple[str | None, ...]
    owned: bool


class QueueNotes:
    def __init__(self, server: str) -> None:
        self._server = server
        self._notes: dict[
            tuple[frozenset[str], tuple[str, ...], str | None, str, str | None, str | None], list[int]
        ] = {}

    def see(self, step: Step) -> None:
        if isinstance(step, SessionStep):
            self._session(step.session)
        elif isinstance(step, ReadStep):
            self._read(step)
        elif isinstance(step, MoveStep):
            self._move(step)
        elif isinstance(step, CallStep) and step.succeeded and step.call.source == BindingSource.BIND:
            self._call(step)

    def rows(self) -> Iterator[Row]:
        for (keys, names, act, address, username, domain), (count, first, last) in self._notes.items():
            yield {
                "server": self._server,
                "keys": sorted(keys),
                "names": list(names),
                "act": act,
                "address": address,
                "username": username,
                "domain": domain,
                "count": count,
                "first_ts_ns": first,
                "last_ts_ns": last,
            }

    def _note(self, named: _Named, act: str | None, call: CallFact, count: int = 1) -> None:
        found = [queue_names(name, self._server, owned=named.owned) for name in named.names]
        known = [one for one in found if one is not None]
        if not known or not count:
            return
        keys = frozenset().union(*(one.keys for one in known))
        names = tuple(sorted({name for one in known for name in one.shown}))
        place = keys, names, act, call.client, call.username, call.domain
        ts_ns = call.began.ts_ns
        note = self._notes.get(place)
        if note is not None:
            note[:] = note[0] + count, min(note[1], ts_ns), max(note[2], ts_ns)
        elif len(self._notes) < MAX_NOTES:
            self._notes[place] = [count, ts_ns, ts_ns]

    def _session(self, session: Session) -> None:
        named = _of_session(session)
        if session.opened is not None:
            self._note(named, "opened", session.first)
        self._acts(named, "purged", session.purges)
        self._acts(named, "sent", session.sends)

    def _acts(self, named: _Named, act: str, acts: Acts) -> None:
        """Known by name at the end only: what names the queue may come late."""
        if acts.first is not None and acts.last is not None:
            self._note(named, act, acts.first, acts.count - 1)
            self._note(named, act, acts.last)

    def _read(self, step: ReadStep) -> None:
        read = step.read
        if read.session is not None and read.outcome in _READ:
            self._note(_of_session(read.session), "peeked" if read.is_peek else "received", step.call)

    def _move(self, step: MoveStep) -> None:
        if step.call.status == v.MQ_OK:
            for session, act in ((step.session, "moved_from"), (step.target, "moved_to")):
                if session is not None:
                    self._note(_of_session(session), act, step.call)

    def _call(self, step: CallStep) -> None:
        found = _NAMING.get(step.call.operation or "")
        if found is not None:
            act, naming = found
            named = naming(step)
            if named is not None:
                self._note(named, act, step.call)


def _of_session(session: Session) -> _Named:
    """At the owner, unless it was opened through a supporting server."""
    name = session.queue_name or (session.behind.queue_name if session.behind else None)
    return _Named((name,), session.kind is not Kind.QUEUE)


def _of_object(step: CallStep) -> _Named:
    return _Named((_object_name(step.request),), owned=True)


def _of_path(step: CallStep) -> _Named:
    return _Named((step.request.get("lpwcsPathName"),), owned=True)


def _path_and_format(step: CallStep) -> _Named:
    return _Named((step.request.get("lpwcsPathName"), _object_name(step.response)), owned=True)


def _object_and_path(step: CallStep) -> _Named:
    return _Named((_object_name(step.request), *_told_texts(step, _PATHNAME_PROPERTIES)), owned=True)


def _sent_to(step: CallStep) -> _Named:
    return _Named((format_name(step.request.get("pQueueFormat") or {}),), owned=False)


def _remote_path(step: CallStep) -> _Named | None:
    """[MS-MQMP] 3.1.4.17: where the queue lies elsewhere, the answer has its path name."""
    path = step.response.get("lplpRemoteQueueName")
    if not isinstance(path, str):
        return None
    return _Named((format_name(step.request.get("pQueueFormat") or {}), path), owned=False)


def _managed(step: CallStep) -> _Named | None:
    asked = step.request.get("pObjectFormat") or {}
    if asked.get("type") != _MGMT_QUEUE:
        return None
    told = _told_texts(step, frozenset((_MGMT_PATHNAME, _MGMT_FORMATNAME)))
    return _Named((format_name(asked.get("pQueueFormat") or {}), *told), owned=False)


def _in_directory(step: CallStep) -> _Named | None:
    if step.request.get("dwObjectType") != _QUEUE:
        return None
    return _Named((step.request.get("pwcsPathName"),), owned=False)


def _object_name(values: Row) -> str | None:
    return format_name((values.get("pObjectFormat") or {}).get("pQueueFormat") or {})


def _told_texts(step: CallStep, properties: frozenset[int]) -> Iterator[str]:
    answers = step.response.get("apVar") or ()
    for number, answer in zip(step.request.get("aProp") or (), answers, strict=False):
        text = ((answer or {}).get("_varUnion") or {}).get("pwszVal")
        if number in properties and isinstance(text, str) and text:
            yield text


_NAMING: Final[dict[str, tuple[str | None, Callable[[CallStep], _Named | None]]]] = {
    v.CREATE_OBJECT: ("created", _of_path),
    v.DELETE_OBJECT: ("deleted", _of_object),
    v.SET_PROPERTIES: ("changed", _of_object),
    v.SET_SECURITY: ("secured", _of_object),
    v.GET_PROPERTIES: ("inspected", _object_and_path),
    v.GET_SECURITY: ("inspected", _of_object),
    v.PATH_TO_FORMAT: (None, _path_and_format),
    v.QM_OPEN: (None, _remote_path),
    v.QM_SEND: ("sent", _sent_to),
    v.GET_INFO: ("inspected", _managed),
    v.ACTION: ("controlled", _managed),
    "S_DSCreateObject": ("created", _in_directory),
    "S_DSDeleteObject": ("deleted", _in_directory),
    "S_DSSetProps": ("changed", _in_directory),
    "S_DSSetObjectSecurity": ("secured", _in_directory),
    "S_DSGetProps": ("inspected", _in_directory),
    "S_DSGetPropsEx": ("inspected", _in_directory),
    "S_DSGetObjectSecurity": ("inspected", _in_directory),
}
