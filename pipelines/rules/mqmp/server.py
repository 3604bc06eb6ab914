"""[MS-MQMP], the server: what it lets clients do with an open queue, and whom it lets open one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.exclusive import let_in
from pipelines.rules.model import BOTH, Broken, Detected, Level, Party, Rule, Subject, Undecided, Watcher
from pipelines.rules.queue_access import access_shown, opened_here, permitted
from pipelines.rules.shown import hexadecimal
from pipelines.sessions.steps import SessionStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.rules.model import Answer, Judged, Settings
    from pipelines.sessions.model import Session
    from pipelines.sessions.steps import CallStep


def _access_enforced(step: CallStep) -> Answer:
    if step.call.method in (*v.STARTS, v.PURGE):
        return _enforced_behind(step)
    session = opened_here(step)
    if session is None or session.opened is None or permitted(step, session) is not False:
        return None
    if not step.succeeded:
        return True if step.failed else None
    return step.blind_since(session.opened.until) or Broken(access_shown(step, session))


def _enforced_behind(step: CallStep) -> Answer:
    """Of qm2qm, whose queue another host opened on qmcomm."""
    session = opened_here(step)
    remote = None if session is None else session.behind
    if session is None or remote is None or remote.access != v.PEEK_ACCESS:
        return None
    if step.call.method != v.PURGE and (step.desc or {}).get("ulAction") not in v.RECEIVING:
        return None
    if not step.succeeded:
        return True if step.failed else None
    reason = _not_the_same(session, remote) or (session.opened and step.blind_since(session.opened.until))
    opened = remote.opened.call_uid if remote.opened else None
    return reason or Broken({"dwDesiredAccess at open": hexadecimal(remote.access), "opened by": opened})


def _not_the_same(session: Session, remote: Session) -> Reason | None:
    """Why the session may go back to another remote open: numbers of one that is closed are used again."""
    if session.opened is None or remote.opened is None:
        return Reason.OPEN_NOT_SEEN
    return Reason.OTHERS_NOT_SEEN if session.link.doubt is not None else remote.doubt


class _ExclusiveKept(Watcher):
    """Tells when the session is over whose way somebody got in: its close may have been on its way before."""

    subjects: ClassVar = frozenset((Subject.SESSION,))

    def __init__(self, settings: Settings) -> None:
        self._crossing_ns = settings["crossing_seconds"] * v.NANOSECONDS

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if not isinstance(step, SessionStep) or step.session.contender is None:
            return ()
        found = let_in(step.session, step.session.contender, self._crossing_ns)
        if isinstance(found, Reason):
            return (Undecided(step, found),)
        return (True,) if found is None else (Detected(step, found.values),)


_server = partial(Rule, document="MS-MQMP", keyword="MUST", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqmp-access-enforced",
        "The server let a queue be used for what it had not been opened for",
        section="3.1.4.2, 3.1.4.17, 3.1.5.3",
        requirement="A queue opened to send can only be sent to, one opened to peek only be peeked at, and one opened "
        "to receive not be sent to.",
        level=Level.HIGH,
        operations=(v.AC_SEND, v.AC_RECEIVE, v.AC_PURGE, *v.STARTS, v.PURGE),
        needs=BOTH,
        check=_access_enforced,
        undecidable_when="anything was missed since the opening; of qm2qm also where the remote open had been closed",
    ),
    _server(
        "mqmp-exclusive-kept",
        "Somebody was let into a queue that one reads alone",
        section="3.1.4.2, 3.1.4.17",
        requirement="Who asks to read alone is refused while others receive, and who asks to receive while somebody "
        "reads alone; by note <26> the error is not always that of the document.",
        level=Level.MEDIUM,
        subject=Subject.SESSION,
        watch=_ExclusiveKept,
        undecidable_when="the first reader was not seen to close the queue, the calls may have crossed, anything was "
        "missed meanwhile, or the queue goes by a name that another can have got",
    ),
)
