"""Who has a queue open to receive from it: an exclusive reader has it alone ([MS-MQMP] 3.1.4.2, dwShareMode)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.sessions.model import Kind

if TYPE_CHECKING:
    from pipelines.sessions.model import Session

EXCLUSIVE: Final = 1
"""MQ_DENY_RECEIVE_SHARE."""
_KINDS: Final = frozenset((Kind.QUEUE, Kind.HANDSHAKE))


class Readers:
    def __init__(self) -> None:
        self._by_name: dict[str, dict[int, Session]] = {}
        """Open ones whose opening was seen, by id()."""
        self._exclusive: dict[str, dict[int, Session]] = {}

    def enlist(self, session: Session) -> None:
        name = _name(session)
        if name is not None:
            self._by_name.setdefault(name, {})[id(session)] = session
            if session.share_mode == EXCLUSIVE:
                self._exclusive.setdefault(name, {})[id(session)] = session

    def delist(self, session: Session) -> None:
        name = _name(session)
        if name is not None:
            for sessions in (self._by_name, self._exclusive):
                named = sessions.get(name, {})
                named.pop(id(session), None)
                if not named:
                    sessions.pop(name, None)

    def against(self, queue_name: str, share_mode: int) -> Session | None:
        """The oldest that does not go with another reader."""
        sessions = self._by_name if share_mode == EXCLUSIVE else self._exclusive
        return next(iter(sessions.get(queue_name.casefold(), {}).values()), None)


def _name(session: Session) -> str | None:
    """None for who cannot be in the way. A queue on another server is that one's matter."""
    if session.kind not in _KINDS or session.opened is None or session.access != v.RECEIVE_ACCESS:
        return None
    return None if session.queue_name is None or session.remote_handle is not None else session.queue_name.casefold()
