"""For what a queue was opened, and whether a call keeps to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.facts.values import transfer_buffer
from pipelines.rules.shown import hexadecimal
from pipelines.rules.stale import own

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.facts.model import Method
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep

_READING: Final = (v.RECEIVE_ACCESS,)
_PEEKING: Final = (v.RECEIVE_ACCESS, v.PEEK_ACCESS)
_WANTED: Final[Mapping[Method, tuple[int, ...]]] = {v.AC_SEND: (v.SEND_ACCESS,), v.AC_PURGE: _READING}
_ACCESSES: Final = frozenset((v.RECEIVE_ACCESS, v.SEND_ACCESS, v.PEEK_ACCESS))


def opened_here(step: CallStep) -> Session | None:
    """The session of the call, where its opening was seen in the call's own association."""
    session = step.session
    return session if session is not None and session.opened is not None and own(step, session) else None


def unopened(step: CallStep) -> Reason | None:
    """Why nothing can be said of a queue that `opened_here` does not know; None: nobody is known to have it."""
    if step.session is not None:
        return Reason.OPEN_NOT_SEEN
    # The client may have several addresses, or it took what is another's.
    return None if step.foreign is None else Reason.ASSOCIATION_UNKNOWN


def permitted(step: CallStep, session: Session) -> bool | None:
    """Whether the queue was opened for what the call does; None where nobody can say."""
    mode = (session.access or 0) & ~v.ADMIN_ACCESS
    wanted = _WANTED.get(step.call.method)
    if wanted is None:
        action = (transfer_buffer(step.request).get("Receive") or {}).get("Action", 0)
        if action not in v.ACTIONS_BY_POSITION:
            return None
        wanted = _READING if action in v.RECEIVING else _PEEKING
    return mode in wanted if mode in _ACCESSES else None


def access_shown(step: CallStep, session: Session) -> dict[str, str]:
    return {"dwDesiredAccess at open": hexadecimal(session.access), "called": step.call.operation or ""}
