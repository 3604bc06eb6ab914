"""Who has a queue open to read it: an exclusive reader has it alone ([MS-MQMP] 3.1.4.2, dwShareMode).

By [MS-MQDMPR] 3.1.7.1.5 a receiver is in the way of who wants to be alone, and who is alone in the way of receivers.
Who only peeks, and does not want to be alone, goes with everybody.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.sessions.model import SessionKind

if TYPE_CHECKING:
    from pipelines.sessions.model import Session

EXCLUSIVE: Final = 1
"""MQ_DENY_RECEIVE_SHARE."""
READING: Final = (v.RECEIVE_ACCESS, v.PEEK_ACCESS)
_KINDS: Final = frozenset((SessionKind.QUEUE, SessionKind.HANDSHAKE))


class Readers:
    def __init__(self) -> None:
        self._receivers: dict[str, dict[int, Session]] = {}
        """Open ones whose opening was seen, by name and id()."""
        self._exclusive: dict[str, dict[int, Session]] = {}

    def enlist(self, session: Session) -> None:
        name = _name(session)
        if name is not None:
            if session.access == v.RECEIVE_ACCESS:
                self._receivers.setdefault(name, {})[id(session)] = session
            if session.share_mode == EXCLUSIVE:
                self._exclusive.setdefault(name, {})[id(session)] = session

    def delist(self, session: Session) -> None:
        name = _name(session)
        if name is not None:
            for sessions in (self._receivers, self._exclusive):
                named = sessions.get(name, {})
                named.pop(id(session), None)
                if not named:
                    sessions.pop(name, None)

    def against(self, queue_name: str, access: int, share_mode: int) -> Session | None:
        """The oldest that does not go with such a reader."""
        name = queue_name.casefold()
        alone = self._receivers.get(name, {}).values() if share_mode == EXCLUSIVE else ()
        receiving = self._exclusive.get(name, {}).values() if access == v.RECEIVE_ACCESS else ()
        return next(iter((*alone, *receiving)), None)


def _name(session: Session) -> str | None:
    """None for who cannot be in the way. A queue on another server is that one's matter."""
    if session.kind not in _KINDS or session.opened is None or session.access not in READING:
        return None
    return None if session.queue_name is None or session.remote_handle is not None else session.queue_name.casefold()
