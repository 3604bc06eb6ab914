"""[MS-MQQP], the server: what was in a queue when it was purged is never given again.

[MS-MQDMPR] 3.1.7.1.7: messages that a reader holds are purged too, as soon as he lets them go. But from Windows Vista
on anybody may move a message to a subqueue, out of sight, and back; one that is held cannot be moved.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.rules.detections.watching import CallWatcher
from pipelines.rules.model import BOTH, Detected, Level, Party, Rule, Undecided
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import CallFact, Moment
    from pipelines.rules.model import Settings
    from pipelines.sessions.model import Read
    from pipelines.sessions.steps import CallStep

MAX_SESSIONS: Final = 256
MAX_MESSAGES: Final = 512
"""Of a session."""
_FIRST_WITH_SUBQUEUES: Final = (6, 0, 0)


class _Shown(NamedTuple):
    digest: str
    at: Moment
    by: str
    read: Read | None


@dataclass(slots=True)
class _Queue:
    """As a session knows it."""

    shown: Recent[int, _Shown] = field(default_factory=lambda: Recent(MAX_MESSAGES))
    """By sequential id."""
    purge: CallFact | None = None


class _Purged(CallWatcher):
    needs: ClassVar = dict.fromkeys((v.START2, v.BY_LOOKUP, v.PURGE), BOTH)

    def __init__(self, _: Settings) -> None:
        self._queues: Recent[str, _Queue] = Recent(MAX_SESSIONS)

    def missed(self, step: CallStep, reason: Reason) -> Undecided:
        return Undecided(step, reason)

    def look(self, step: CallStep) -> Iterable[Detected | Undecided | bool]:
        if step.session is None or not step.succeeded or step.other_association:
            return ()
        queue = self._queues.get(step.session.session_uid) or _Queue()
        self._queues.put(step.session.session_uid, queue)
        if step.call.operation == v.PURGE:
            queue.purge = step.call
            return ()
        sequential_id = (step.response.get("lpRemoteReadDesc2") or {}).get("SequentialId", 0)
        digest = ((step.answered_desc or {}).get("lpBuffer") or {}).get("sha256")
        if digest is None or step.call.answered is None:
            return ()
        before = queue.shown.get(sequential_id)
        queue.shown.put(sequential_id, _Shown(digest, step.call.answered, step.call.call_uid, step.read))
        purge = queue.purge
        if purge is None or purge.answered is None or step.call.began <= purge.answered:
            return ()
        if before is None or before.digest != digest or before.at >= purge.began:
            return (True,)
        reason = _doubt(step, before, purge.answered)
        if reason is not None:
            return (Undecided(step, reason),)
        values = {"SequentialId": f"0x{sequential_id:x}", "given before by": before.by, "purged by": purge.call_uid}
        return (Detected(step, values),)


def _doubt(step: CallStep, before: _Shown, purged: Moment) -> Reason | None:
    if step.session is None or step.session.opened is None:
        return Reason.OPEN_NOT_SEEN
    if (reason := step.blind_since(before.at)) is not None:
        return reason
    read = before.read
    if read is not None and read.given_out and read.finished is not None and read.finished > purged:
        # Held all the time: nobody can have moved it.
        return read.doubt
    if step.server_version is None:
        return Reason.SERVER_VERSION_UNKNOWN
    return None if step.server_version < _FIRST_WITH_SUBQUEUES else Reason.OTHERS_NOT_SEEN


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
        undecidable_when="the message was not held meanwhile and the server has subqueues (Windows Vista and later): "
        "somebody may have moved it away and back; or anything was missed since it was given first",
    ),
)
