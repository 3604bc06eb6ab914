"""Who has what open on the server: asked when a client uses a handle that it was not given."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pipelines.facts.reasons import Reason
from pipelines.sessions.model import SessionKind
from pipelines.sessions.readers import Readers

if TYPE_CHECKING:
    from pipelines.sessions.model import Number, Read, Session
    from pipelines.sessions.parties import Pair

_Entry = TypeVar("_Entry")


class Registry:
    def __init__(self) -> None:
        self._sessions: dict[Number | str, list[Session]] = {}
        """By queue handle and by context handle; only those whose opening was seen."""
        self._reads: dict[str, dict[int, Read]] = {}
        """By handle and id, the newest last: thousands may share a handle, and each is taken out again."""
        self.readers = Readers()

    def enlist(self, session: Session) -> None:
        pair = session.pair
        for number in session.numbers:
            if session not in (named := pair.by_queue.setdefault(number, [])):
                named.append(session)
        if session.handle is not None:
            if _used_before(pair, session):
                session.doubt = session.doubt or Reason.TIMES_CROSS
            pair.by_handle[session.handle] = session
        pair.numberless.pop(id(session), None)
        if session.opened is not None:
            if session.kind is SessionKind.SESSION and not session.numbers and not session.opened.request_whole:
                pair.numberless[id(session)] = session
            for handle in session.handles:
                self._sessions.setdefault(handle, []).append(session)
            self.readers.enlist(session)

    def delist(self, session: Session) -> None:
        """New calls with its handles mean another one."""
        pair = session.pair
        pair.numberless.pop(id(session), None)
        for number in session.numbers:
            _remove(pair.by_queue, number, session)
        if session.handle is not None and pair.by_handle.get(session.handle) is session:
            del pair.by_handle[session.handle]
        for handle in session.handles:
            _remove(self._sessions, handle, session)
            pair.past_sessions.put(handle, session)
        self.readers.delist(session)

    def session_of_another(self, pair: Pair, handle: Number | str) -> Session | None:
        return next((one for one in reversed(self._sessions.get(handle, ())) if one.pair is not pair), None)

    def hold(self, read: Read, handle: str) -> None:
        read.handle, read.given_out = handle, True
        read.pair.reads[handle] = read
        self._reads.setdefault(handle, {})[id(read)] = read

    def release(self, read: Read) -> None:
        if read.handle is None:
            return
        if read.pair.reads.get(read.handle) is read:
            del read.pair.reads[read.handle]
        held = self._reads.get(read.handle, {})
        held.pop(id(read), None)
        if not held:
            self._reads.pop(read.handle, None)
        read.pair.past_reads.put(read.handle, read)

    def read_of_another(self, pair: Pair, handle: str) -> Read | None:
        held = self._reads.get(handle, {})
        return next((one for one in reversed(held.values()) if one.pair is not pair), None)


def _used_before(pair: Pair, session: Session) -> bool:
    """Its handle was named while its opening was under way: the answer was captured too late."""
    handle, opened = session.handle, session.opened
    if handle is None or opened is None:
        return False
    known = (pair.by_handle.get(handle), pair.past_sessions.get(handle))
    return any(
        one is not None and one is not session and one.opened is None and one.first.began >= opened.began
        for one in known
    )


def _remove(lists: dict[Number | str, list[_Entry]], key: Number | str, entry: _Entry) -> None:
    left = [one for one in lists.get(key, ()) if one is not entry]
    if left:
        lists[key] = left
    else:
        lists.pop(key, None)
