"""What an investigator asks for: handles in other hands. Nobody is accused."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.model import BEGINNING
from pipelines.facts.reasons import Reason
from pipelines.rules.model import REQUEST, Detected, Level, Undecided
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.watching import CallWatcher, detection
from pipelines.sessions.steps import CallStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import CallFact, Moment
    from pipelines.rules.model import Settings
    from pipelines.sessions.model import Session

OPERATIONS: Final = (
    *(*v.STARTS, v.END, v.CLOSE, v.CANCEL, v.CLOSE_CURSOR, v.PURGE),
    *v.REMOTE_HANDLED,
    *(v.CLOSE_REMOTE, *v.BY_QUEUE_HANDLE, v.AC_RECEIVE),
)
_HANDLES: Final = ("pphContext", "phContext", "phContextFrom", "phQueue", "hProxy", "hQueue", "hQMContext")
MAX_WAITING: Final = 1_024
"""Uses to be reported when the capture is over; what comes after is not decidable."""


class _Holder(NamedTuple):
    """The client that a handle was given to."""

    session: Session
    given: CallFact
    since: Moment
    """What was missed before is of no account."""


class _Use(NamedTuple):
    step: CallStep
    holder: _Holder
    handle: str


class _ForeignHandle(CallWatcher):
    """Tells at the end: only then it is known that no connection of the client began out of sight.

    A handle that is a number is bound to no association; any of the client's may have opened it, also one that shows up
    in the capture only after the use.
    """

    needs: ClassVar = dict.fromkeys(OPERATIONS, REQUEST)

    def __init__(self, _: Settings) -> None:
        self._waiting: list[_Use] = []

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        if _own(step):
            return (True,)
        if step.foreign is None and step.foreign_read is None:
            # Nobody was seen to open it: mqqp-open-before-use looks at that.
            return ()
        holder = _holder(step)
        if holder is None:
            return (Undecided(step, Reason.OPEN_NOT_SEEN),)
        # The call and its pair: what else the step knows may be large.
        use = _Use(CallStep(step.call, step.pair, None), holder, _handle(step))
        reason = step.association_incomplete() or _blind(use) or holder.session.blind_since(holder.since)
        if reason is None and len(self._waiting) >= MAX_WAITING:
            reason = Reason.LIMIT
        if reason is not None:
            return (Undecided(step, reason),)
        self._waiting.append(use)
        return ()

    def finish(self) -> Iterable[Detected | Undecided]:
        for use in self._waiting:
            reason = _blind(use)
            yield Detected(use.step, _values(use)) if reason is None else Undecided(use.step, reason)


def _own(step: CallStep) -> bool:
    """It is the client's, or was: then it is used too late, which is another matter."""
    if step.call.method == v.END:
        return step.past_read is not None or (step.read is not None and step.read.start is not None)
    return step.past_session is not None or (step.session is not None and step.session.opened is not None)


def _holder(step: CallStep) -> _Holder | None:
    """None: not known well enough."""
    session, read = step.foreign, step.foreign_read
    if session is not None and session.opened is not None:
        return _Holder(session, session.opened, session.opened.until)
    if read is None or read.start is None or read.session is None or read.session.pair is step.pair:
        return None
    return None if read.doubt else _Holder(read.session, read.start, read.start.began)


def _handle(step: CallStep) -> str:
    handles = [step.request[name] for name in _HANDLES if step.request.get(name) is not None]
    handle: str | int | None = handles[0] if handles else (step.desc or {}).get("hRemoteQueue")
    return handle if isinstance(handle, str) else hexadecimal(handle)


def _blind(use: _Use) -> Reason | None:
    if use.step.pair.associations.loose:
        return Reason.CAPTURE_ENDED
    return use.step.blind_since(BEGINNING) or use.holder.session.pair.blind_since(use.holder.since)


def _values(use: _Use) -> dict[str, str]:
    given = use.holder.given
    return {
        "handle": use.handle,
        "opened from": given.client,
        "opened by": given.call_uid,
        "answer": code_shown(use.step.code),
    }


RULES: Final = (
    detection(
        "detect-foreign-handle",
        "A handle was used from an address that had not opened it",
        document="MS-MQQP",
        section="2.2.1.1",
        requirement="Reported is a call with a handle that another client has open, and that this client never opened.",
        level=Level.HIGH,
        operations=OPERATIONS,
        needs=REQUEST,
        watch=_ForeignHandle,
        attack=("T1563",),
        undecidable_when="anything between this client and the server was missed, "
        "or between the other client and the server since the handle was given",
    ),
)
