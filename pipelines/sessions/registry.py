"""Who has what open on the server: asked when a client uses a handle that it was not given."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Final

from pipelines.facts.reasons import Reason
from pipelines.sessions.model import SessionKind
from pipelines.sessions.readers import Readers

if TYPE_CHECKING:
    from pipelines.sessions.model import Number, Read, Session
    from pipelines.sessions.parties import Pair

MAX_OF_A_NAME: Final = 256
"""Open sessions of one client that one number or handle names. Past it the oldest ends, in doubt: a server gives out a
number again when it is closed, so that whoever opens it so often closes out of sight, or never.
"""


class Registry:
    def __init__(self) -> None:
        self._sessions: dict[Number | str, dict[int, Session]] = {}
        """By queue handle and by context handle, and by id(), the newest last; only those whose opening was seen."""
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
        _has_numbers(pair, session)
        if session.opened is not None:
            if session.kind is SessionKind.SESSION and not session.numbers and not session.opened.request_whole:
                pair.numberless[id(session)] = pair.numberless_counted[id(session)] = session
            for handle in session.handles:
                named_so = self._sessions.setdefault(handle, {})
                named_so.pop(id(session), None)
                named_so[id(session)] = session
            self.readers.enlist(session)

    def delist(self, session: Session) -> None:
        """New calls with its handles mean another one."""
        pair = session.pair
        _has_numbers(pair, session)
        for number in session.numbers:
            _remove(pair.by_queue, number, session)
        if session.handle is not None and pair.by_handle.get(session.handle) is session:
            del pair.by_handle[session.handle]
        for handle in session.handles:
            named = self._sessions.get(handle, {})
            named.pop(id(session), None)
            if not named:
                self._sessions.pop(handle, None)
            pair.past_sessions.put(handle, session)
        self.readers.delist(session)

    def session_of_another(self, pair: Pair, handle: Number | str) -> Session | None:
        named = islice(reversed(self._sessions.get(handle, {}).values()), MAX_OF_A_NAME + 1)
        return next((one for one in named if one.pair is not pair), None)

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
        return next((one for one in islice(reversed(held.values()), MAX_OF_A_NAME + 1) if one.pair is not pair), None)


def _has_numbers(pair: Pair, session: Session) -> None:
    pair.numberless.pop(id(session), None)
    pair.numberless_counted.pop(id(session), None)


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


def _remove(lists: dict[Number | str, list[Session]], key: Number | str, entry: Session) -> None:
    left = [one for one in lists.get(key, ()) if one is not entry]
    if left:
        lists[key] = left
    else:
        lists.pop(key, None)
