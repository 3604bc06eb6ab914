"""What an investigator asks for: messages read in bulk, queues emptied. Nobody is accused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final

from decoders.dcerpc.call_model import BindingSource
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.mqac.steps import MqacStep
from pipelines.rules.model import RESPONSE, Broken, Detected, Level, Subject, Undecided, Watcher
from pipelines.rules.mqac.demands import answered
from pipelines.rules.mqac.queue_members import PURGE
from pipelines.rules.shown import code_shown, hexadecimal
from pipelines.rules.watching import detection
from pipelines.sessions.memory import Recent
from pipelines.sessions.model import ReadOutcome, SessionKind, SessionState
from pipelines.sessions.steps import ReadStep, SessionStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipelines.facts.model import Moment
    from pipelines.rules.model import Answer, Judged, Settings
    from pipelines.sessions.model import Read, Session
    from pipelines.sessions.steps import CallStep

MAX_READING: Final = 1_024
"""Sessions counted at once; past it, those are forgotten that have not read for longest. Each costs as many message ids
as the threshold says."""


_PURGES: Final = {v.PURGE: "hQueue", v.REMOTE_PURGE: "phContext", v.AC_PURGE: "hQueue"}
"""And the parameter that names the queue."""


def _purge(step: CallStep | MqacStep) -> Answer:
    if not step.succeeded:
        return True
    if isinstance(step, MqacStep):
        return Broken(answered(step))
    name = _PURGES[step.call.method]
    queue = step.request.get(name)
    return Broken({name: queue if isinstance(queue, str) else hexadecimal(queue), "answer": code_shown(step.code)})


@dataclass(slots=True)
class _Reading:
    """Of one session, since nothing was missed: two sessions may look like one where the close between them was."""

    since: Moment
    messages: set[int | str] = field(default_factory=set)
    """Told apart up to the threshold."""
    reads: int = 0
    octets: int = 0


class _BulkReading(Watcher):
    subjects: ClassVar = frozenset((Subject.READ, Subject.SESSION))

    def __init__(self, settings: Settings) -> None:
        self._threshold = settings["bulk_messages"]
        self._sessions: Recent[str, _Reading] = Recent(MAX_READING)

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if isinstance(step, ReadStep):
            self._count(step)
        elif isinstance(step, SessionStep) and step.session.kind is not SessionKind.HANDSHAKE:
            yield self._over(step)

    def _count(self, step: ReadStep) -> None:
        read, pair = step.read, step.pair
        if read.session is None or read.start is None or not _left_in_queue(read):
            return
        if read.start.source != BindingSource.BIND or pair.blind_since(read.start.began) is not None:
            return
        uid = read.session.session_uid
        seen = self._sessions.get(uid)
        if seen is not None and pair.blind_since(seen.since) is not None:
            if self._is_bulk(seen):
                return
            seen = None
        if seen is None:
            seen = _Reading(read.start.began)
        seen.since = min(seen.since, read.start.began)
        seen.reads += 1
        seen.octets += read.message_bytes or 0
        if not self._is_bulk(seen):
            seen.messages.add(_message(read))
        self._sessions.put(uid, seen)

    def _is_bulk(self, seen: _Reading) -> bool:
        return len(seen.messages) >= self._threshold

    def _over(self, step: SessionStep) -> Detected | Undecided | bool:
        seen = self._sessions.get(step.session.session_uid)
        self._sessions.drop(step.session.session_uid)
        if seen is not None and self._is_bulk(seen):
            return Detected(step, {"reads": seen.reads, "bytes": seen.octets, **_queue(step.session)})
        reason = _not_all_seen(step)
        return True if reason is None else Undecided(step, reason)


def _queue(session: Session) -> dict[str, str | None]:
    number = session.queue_handle
    return {"handle": session.handle} if number is None else {"hQueue": hexadecimal(number)}


def _left_in_queue(read: Read) -> bool:
    """A message was shown and stays. The head of the queue is not counted: programs look at it again and again."""
    if read.outcome is ReadOutcome.NACKED:
        return True
    return read.outcome is ReadOutcome.PEEKED and read.action != v.PEEK_CURRENT


def _message(read: Read) -> int | str:
    """What tells it from others: older servers give no sequential id, and qmcomm2 what the client asks for."""
    if read.sequential_id is not None:
        return read.sequential_id
    return read.message_id or read.message_sha256 or (read.start.call_uid if read.start else "")


def _not_all_seen(step: SessionStep) -> Reason | None:
    session = step.session
    if step.call.source != BindingSource.BIND:
        return Reason.BIND_NOT_SEEN
    if session.doubt is not None:
        return session.doubt
    if session.opened is None:
        return Reason.OPEN_NOT_SEEN
    if session.state is SessionState.OPEN_AT_END:
        return Reason.CAPTURE_ENDED
    return session.blind_since(session.opened.until)


RULES: Final = (
    detection(
        "detect-purge",
        "A queue was purged",
        document="MS-MQQP",
        section="3.1.4.7",
        requirement="Reported is a RemoteQMPurgeQueue, R_PurgeQueue, rpc_ACPurgeQueue, or a Purge of MSMQ's queue "
        "object, that succeeded: all messages are gone.",
        level=Level.HIGH,
        operations=tuple(_PURGES),
        members=PURGE,
        needs=RESPONSE,
        check=_purge,
        attack=("T1485",),
    ),
    detection(
        "detect-bulk-reading",
        "Many messages were looked at and left in the queue",
        document="MS-MQQP",
        section="1.3.4",
        requirement="Reported is a session in which at least bulk_messages different messages were peeked by lookup id "
        "or cursor, or received and returned to the queue.",
        level=Level.MEDIUM,
        subject=Subject.SESSION,
        watch=_BulkReading,
        attack=("T1213",),
        settings={"bulk_messages": 100},
        undecidable_when="fewer were seen, and not all of the session was",
    ),
)
