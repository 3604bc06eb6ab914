"""What the steps of one server say of queues: their names, and who did what to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

from decoders.dcerpc.call_model import BindingSource
from decoders.msmq.format_names import format_name
from decoders.registry import DSCOMM, DSCOMM2
from pipelines.facts import vocabulary as v
from pipelines.facts.queue_names import QueueNames, queue_names
from pipelines.sessions.acts import MoveStep, SendStep
from pipelines.sessions.model import ReadOutcome, SessionKind
from pipelines.sessions.naming import for_whom, queue_of
from pipelines.sessions.steps import CallStep, ReadStep, SessionStep

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator

    from pipelines.facts.model import CallFact, Method
    from pipelines.mqac.story import QueueAct
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import Step
    from schemas.state import QueueNoteRow

Row = dict[str, Any]
MAX_NOTES: Final = 65_536
"""Of one server: a peer may name any number of queues."""
_QUEUE: Final = 1
"""Object type of a queue: [MS-MQDS] 2.2.8, [MS-MQMP] 3.1.4.5."""
_PURGES: Final = frozenset((v.PURGE, v.REMOTE_PURGE, v.AC_PURGE))
_MGMT_QUEUE: Final = 2
_PATHNAME_PROPERTIES: Final = frozenset((103, 124))
_MGMT_PATHNAME, _MGMT_FORMATNAME = 1, 2
_Key = TypeVar("_Key", bound="Hashable")
_READ: Final = frozenset((ReadOutcome.PEEKED, ReadOutcome.ACKED, ReadOutcome.NACKED, ReadOutcome.RUNDOWN))


class _Named(NamedTuple):
    """A queue as a call names it."""

    names: tuple[str | None, ...]
    owned: bool


class _Note(NamedTuple):
    keys: frozenset[str]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    act: str | None
    address: str
    username: str | None
    domain: str | None
    opened_for_username: str | None
    naming_doubt: str | None


class _Act(NamedTuple):
    act: str
    address: str
    username: str | None
    domain: str | None


class QueueNotes:
    def __init__(self, server: str) -> None:
        self._server = server
        self._notes: dict[_Note, list[int]] = {}
        self._of_sessions: dict[int, dict[_Act, list[int]]] = {}
        """By id(), of those that are not over: what names a queue may come late."""

    def see(self, step: Step) -> None:
        if isinstance(step, CallStep):
            if step.call.method in _OF_CALLS and step.succeeded:
                self._call(step)
        elif isinstance(step, SessionStep):
            self._session(step.session)
        elif isinstance(step, ReadStep):
            self._read(step)
        elif isinstance(step, MoveStep):
            self._move(step)
        elif isinstance(step, SendStep):
            self._send(step)

    def see_object(self, told: QueueAct) -> None:
        """Done through one of MSMQ's objects."""
        found = [queue_names(name, self._server, owned=False) for name in told.queue.names]
        known = [one for one in found if one is not None]
        if not known:
            return
        call, doubt = told.call, told.doubt
        keys = frozenset().union(*(one.keys for one in known))
        names = tuple(sorted({name for one in known for name in one.shown}))
        who = call.client, call.username, call.domain, None, None if doubt is None else str(doubt)
        _add(self._notes, _Note(keys, names, (), told.act, *who), 1, call.began.ts_ns, call.began.ts_ns)

    def rows(self) -> Iterator[QueueNoteRow]:
        for note, (count, first, last) in self._notes.items():
            yield {
                "server": self._server,
                "keys": sorted(note.keys),
                "names": list(note.names),
                "numbers": list(note.numbers),
                "act": note.act,
                "address": note.address,
                "username": note.username,
                "domain": note.domain,
                "opened_for_username": note.opened_for_username,
                "naming_doubt": note.naming_doubt,
                "count": count,
                "first_ts_ns": first,
                "last_ts_ns": last,
            }

    def _note(self, named: _Named, act: str | None, call: CallFact) -> None:
        found = [queue_names(name, self._server, owned=named.owned) for name in named.names]
        known = [one for one in found if one is not None]
        if known:
            keys = frozenset().union(*(one.keys for one in known))
            names = tuple(sorted({name for one in known for name in one.shown}))
            note = _Note(keys, names, (), act, call.client, call.username, call.domain, None, None)
            _add(self._notes, note, 1, call.began.ts_ns, call.began.ts_ns)

    def _act(self, session: Session, act: str, call: CallFact) -> None:
        """On an open queue."""
        acts = self._of_sessions.setdefault(id(session), {})
        _add(acts, _Act(act, call.client, call.username, call.domain), 1, call.began.ts_ns, call.began.ts_ns)

    def _session(self, session: Session) -> None:
        if session.opened is not None:
            self._act(session, "opened", session.first)
        acts = self._of_sessions.pop(id(session), {})
        named, behind = queue_of(session), for_whom(session)["opened_for_username"]
        number = _number(session)
        # At the owner, unless it was opened through a supporting server.
        known = queue_names(named["queue_name"], self._server, owned=session.kind is not SessionKind.QUEUE)
        if known is None:
            # Numbers are given again: who has one open knows no more than that.
            known = QueueNames(frozenset((f"#{session.session_uid}",)), ())
        for act, (count, first, last) in acts.items():
            note = _Note(known.keys, known.shown, number, *act, behind, named["naming_doubt"])
            _add(self._notes, note, count, first, last)

    def _read(self, step: ReadStep) -> None:
        read = step.read
        if read.session is None:
            return
        if read.unknown_fate:
            self._act(read.session, "read", step.call)
        elif read.outcome in _READ:
            looked = read.is_peek and not read.removed_or_put_back
            self._act(read.session, "peeked" if looked else "received", step.call)

    def _send(self, step: SendStep) -> None:
        if not step.succeeded or step.undone:
            return
        if step.session is not None:
            self._act(step.session, "sent", step.call)
        else:
            self._note(_Named((step.queue_name,), owned=False), "sent", step.call)

    def _move(self, step: MoveStep) -> None:
        if step.succeeded and not step.undone:
            for session, act in ((step.session, "moved_from"), (step.target, "moved_to")):
                if session is not None:
                    self._act(session, act, step.call)

    def _call(self, step: CallStep) -> None:
        if step.session is not None and step.call.method in _PURGES:
            self._act(step.session, "purged", step.call)
        found = _NAMING.get(step.call.method)
        if found is not None and step.call.source == BindingSource.BIND:
            act, naming = found
            named = naming(step)
            if named is not None:
                self._note(named, act, step.call)


def _add(notes: dict[_Key, list[int]], key: _Key, count: int, first: int, last: int) -> None:
    note = notes.get(key)
    if note is not None:
        note[:] = note[0] + count, min(note[1], first), max(note[2], last)
    elif len(notes) < MAX_NOTES:
        notes[key] = [count, first, last]


def _number(session: Session) -> tuple[str, ...]:
    """By which calls name an open queue, where that is all they do."""
    if session.kind is SessionKind.SESSION and session.queue_handle is not None:
        return (f"0x{session.queue_handle:08x}",)
    known = session.queue_name is not None or session.handle is None
    return () if known else (str(session.handle),)


def _of_object(step: CallStep) -> _Named:
    return _Named((_object_name(step.request),), owned=True)


def _of_path(step: CallStep) -> _Named:
    return _Named((step.request.get("lpwcsPathName"),), owned=True)


def _path_and_format(step: CallStep) -> _Named:
    return _Named((step.request.get("lpwcsPathName"), _object_name(step.response)), owned=True)


def _object_and_path(step: CallStep) -> _Named:
    return _Named((_object_name(step.request), *_told_texts(step, _PATHNAME_PROPERTIES)), owned=True)


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


_NAMING: Final[dict[Method, tuple[str | None, Callable[[CallStep], _Named | None]]]] = {
    v.CREATE_OBJECT: ("created", _of_path),
    v.DELETE_OBJECT: ("deleted", _of_object),
    v.SET_PROPERTIES: ("changed", _of_object),
    v.SET_SECURITY: ("secured", _of_object),
    v.GET_PROPERTIES: ("inspected", _object_and_path),
    v.GET_SECURITY: ("inspected", _of_object),
    v.PATH_TO_FORMAT: (None, _path_and_format),
    v.QM_OPEN: (None, _remote_path),
    v.GET_INFO: ("inspected", _managed),
    v.ACTION: ("controlled", _managed),
    (DSCOMM.name, "S_DSCreateObject"): ("created", _in_directory),
    (DSCOMM.name, "S_DSDeleteObject"): ("deleted", _in_directory),
    (DSCOMM.name, "S_DSSetProps"): ("changed", _in_directory),
    (DSCOMM.name, "S_DSSetObjectSecurity"): ("secured", _in_directory),
    (DSCOMM.name, "S_DSGetProps"): ("inspected", _in_directory),
    (DSCOMM2.name, "S_DSGetPropsEx"): ("inspected", _in_directory),
    (DSCOMM.name, "S_DSGetObjectSecurity"): ("inspected", _in_directory),
}
_OF_CALLS: Final = _PURGES | _NAMING.keys()
