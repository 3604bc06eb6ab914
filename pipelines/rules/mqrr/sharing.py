"""[MS-MQRR], the server: queues that somebody reads alone, and what a purge leaves."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, Final

from decoders.msmq.format_names import format_name
from pipelines.facts import vocabulary as v
from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.rules.exclusive import let_in
from pipelines.rules.model import BOTH, Detected, Level, Party, Rule, Subject, Undecided, Watcher
from pipelines.rules.plans import unreadable
from pipelines.rules.purged import PurgedGone
from pipelines.sessions.model import SessionKind
from pipelines.sessions.mqmp_opens import SHARING_VIOLATIONS
from pipelines.sessions.readers import EXCLUSIVE
from pipelines.sessions.steps import CallStep, SessionStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import CallFact, Method
    from pipelines.rules.model import Judged, Settings
    from pipelines.sessions.model import Session

_OPENS: Final = (v.REMOTE_OPEN, v.QM_OPEN)
"""qmcomm opens queues of the same queue manager."""
_MAX_NAMES: Final = 4_096


class _ExclusiveKept(Watcher):
    """Tells when the session is over whose way somebody got in: its close may have been on its way before."""

    subjects: ClassVar = frozenset((Subject.SESSION,))

    def __init__(self, settings: Settings) -> None:
        self._crossing_ns = settings["crossing_seconds"] * v.NANOSECONDS
        self._open: dict[str, dict[str, Session]] = {}
        """To receive from, by name and session_uid."""
        self._others: dict[str, CallFact] = {}
        """Who got in, or was refused for it, by session_uid of who has the queue open."""

    def sees_calls_of(self, method: Method) -> bool:
        return method in _OPENS

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if isinstance(step, SessionStep):
            return self._over(step)
        if isinstance(step, CallStep) and step.call.method in _OPENS and unreadable(step.call, BOTH) is None:
            self._opened(step)
        return ()

    def _opened(self, step: CallStep) -> None:
        session = step.session
        # One that failed for another reason says nothing of who has the queue.
        tells = session is not None or step.code in SHARING_VIOLATIONS
        if tells and step.call.method == v.REMOTE_OPEN and _reads(step.request.get("dwAccess", 0)):
            name = _name(session, step)
            for holder in self._open.get(name, {}).values():
                alone = EXCLUSIVE in (holder.share_mode, step.request.get("dwShareMode", 0))
                if alone and not holder.is_over and not holder.close_asked:
                    self._note(holder.session_uid, step)
        if session is not None and session.queue_name and _reads(session.access) and session.remote_handle is None:
            held = self._open.setdefault(session.queue_name.casefold(), {})
            held[session.session_uid] = session
            if len(self._open) > _MAX_NAMES:
                self._open.pop(next(iter(self._open)))

    def _note(self, session_uid: str, step: CallStep) -> None:
        """The first that was let in is the one to tell of."""
        before = self._others.get(session_uid)
        if before is None or (step.session is not None and SHARING_VIOLATIONS & {before.status, before.fault}):
            self._others[session_uid] = slim(step.call) or step.call

    def _over(self, step: SessionStep) -> Iterable[Detected | Undecided | bool]:
        session = step.session
        if session.kind in (SessionKind.REMOTE_READ, SessionKind.QUEUE) and session.queue_name:
            held = self._open.get(session.queue_name.casefold(), {})
            held.pop(session.session_uid, None)
            if not held:
                self._open.pop(session.queue_name.casefold(), None)
        other = self._others.pop(session.session_uid, None)
        if other is None:
            return ()
        found = let_in(session, other, self._crossing_ns)
        if isinstance(found, Reason):
            return (Undecided(step, found),)
        return (True,) if found is None else (Detected(step, found.values),)


def _reads(access: int | None) -> bool:
    return access == v.RECEIVE_ACCESS


def _name(session: Session | None, step: CallStep) -> str:
    told = session.queue_name if session is not None else format_name(step.request.get("pQueueFormat") or {})
    return (told or "").casefold()


_server = partial(Rule, document="MS-MQRR", keyword="MUST", party=Party.SERVER)

RULES: Final[tuple[Rule, ...]] = (
    _server(
        "mqrr-exclusive-kept",
        "A queue was opened for receiving although somebody had it open exclusively",
        section="3.1.4.2",
        requirement="Who opens with MQ_DENY_SHARE has the queue alone, whether the other comes by RemoteRead or has it "
        "from qmcomm.",
        level=Level.MEDIUM,
        subject=Subject.SESSION,
        watch=_ExclusiveKept,
        undecidable_when="the first reader was not seen to close the queue, the calls may have crossed, anything was "
        "missed meanwhile, or the queue goes by a name that another can have got",
    ),
    _server(
        "mqrr-purged-gone",
        "A message was given that a purge had removed",
        section="3.1.4.6",
        requirement="R_PurgeQueue removes the messages of the queue: what was peeked at before is not given again.",
        level=Level.HIGH,
        operations=(v.REMOTE_PURGE, *v.REMOTE_STARTS),
        needs=BOTH,
        watch=partial(PurgedGone, operations=(v.REMOTE_PURGE, *v.REMOTE_STARTS)),
        undecidable_when="the queue was not opened exclusively: somebody may have moved the message out of it and "
        "back; the calls may have crossed, or anything was missed since the opening",
    ),
)
