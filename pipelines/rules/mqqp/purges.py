"""[MS-MQQP], the server: what was in a queue when it was purged is never given again.

[MS-MQDMPR] 3.1.7.1.7: messages that a reader holds are purged too, as soon as he lets them go. But from Windows Vista
on anybody may move a message to a subqueue, out of sight, and back; one that is held cannot be moved, nor one of a
queue that its reader has alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.model import BOTH, Detected, Level, Party, Rule, Undecided
from pipelines.rules.watching import CallWatcher
from pipelines.sessions.memory import Recent
from pipelines.sessions.readers import EXCLUSIVE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import CallFact, Moment
    from pipelines.rules.model import Settings
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import CallStep

MAX_SESSIONS: Final = 1_024
MAX_MESSAGES: Final = 4_096
_FIRST_WITH_SUBQUEUES: Final = (6, 0, 0)


class _Shown(NamedTuple):
    """A message, and the session that it was given in before its queue was purged."""

    at: Moment
    by: str
    session: Session
    read: Read | None


class _Purged(CallWatcher):
    """Sequential ids are the queue manager's, so a message is known in every session: [MS-MQDMPR] 3.1.1.1."""

    needs: ClassVar = dict.fromkeys((v.START2, v.BY_LOOKUP, v.PURGE), BOTH)

    def __init__(self, settings: Settings) -> None:
        self._crossing_ns = settings["crossing_seconds"] * v.NANOSECONDS
        self._shown: Recent[tuple[int, str], _Shown] = Recent(MAX_MESSAGES)
        """By sequential id and digest."""
        self._purges: Recent[str, CallFact] = Recent(MAX_SESSIONS)
        """By session_uid of the session that purged."""

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        session, answered = step.session, step.call.answered
        if session is None or answered is None or not step.succeeded or step.other_association:
            return ()
        if step.call.method == v.PURGE:
            self._purges.put(session.session_uid, step.call)
            return ()
        sequential_id = (step.response.get("lpRemoteReadDesc2") or {}).get("SequentialId", 0)
        digest = ((step.answered_desc or {}).get("lpBuffer") or {}).get("sha256")
        if digest is None:
            return ()
        before = self._shown.get((sequential_id, digest))
        self._shown.put((sequential_id, digest), _Shown(answered, step.call.call_uid, session, step.read))
        purge = self._purges.get((before.session if before else session).session_uid)
        if purge is None or purge.answered is None or step.call.began <= purge.answered:
            return ()
        if before is None or before.at >= purge.began:
            return (True,)
        reason = self._doubt(step, before, purge.answered)
        if reason is not None:
            return (Undecided(step, reason),)
        values = {"SequentialId": f"0x{sequential_id:x}", "given before by": before.by, "purged by": purge.call_uid}
        return (Detected(step, values),)

    def _doubt(self, step: CallStep, before: _Shown, purged: Moment) -> Reason | None:
        if before.session.opened is None:
            return Reason.OPEN_NOT_SEEN
        if (reason := step.blind_since(before.at) or before.session.blind_since(before.at)) is not None:
            return reason
        if step.session is not before.session and step.call.began.ts_ns - purged.ts_ns < self._crossing_ns:
            return Reason.TIMES_CROSS
        read = before.read
        if read is not None and _held_until_after(read, purged):
            # Nobody can have moved it.
            return read.doubt
        if step.session is before.session and _is_alone(before.session):
            return None
        if step.server_version is None:
            return Reason.SERVER_VERSION_UNKNOWN
        return None if step.server_version < _FIRST_WITH_SUBQUEUES else Reason.OTHERS_NOT_SEEN


def _is_alone(session: Session) -> bool:
    """Nobody else has the queue open to move anything out of it."""
    opened = session.link.opened
    return opened is not None and session.link.doubt is None and opened.share_mode == EXCLUSIVE


def _held_until_after(read: Read, moment: Moment) -> bool:
    if not read.given_out or read.finished is None or read.finished <= moment:
        return False
    return read.end is None or read.end.began > moment


RULES: Final[tuple[Rule, ...]] = (
    Rule(
        "mqqp-purge-removes",
        "A message was given again after its queue was purged",
        document="MS-MQQP",
        section="3.1.4.7",
        requirement="A purge that succeeds removes all messages, also those that a reader holds and hands back later.",
        keyword="MUST",
        party=Party.SERVER,
        level=Level.HIGH,
        operations=(v.START2, v.BY_LOOKUP, v.PURGE),
        needs=BOTH,
        watch=_Purged,
        undecidable_when="the message was not held meanwhile, the queue was not opened exclusively and the server has "
        "subqueues (Windows Vista and later): somebody may have moved it away and back; or anything was missed since "
        "it was given first",
    ),
)
