"""What an investigator asks for: MSMQ's objects in the hands of scripts, and of who never used them. Nobody is accused.

A script engine calls members by number, through IDispatch; a compiled program by their own operations. PowerShell and
macros do as scripts do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from pipelines.com.steps import ComStep
from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import MessageState, QueueState
from pipelines.mqac.steps import MqacStep
from pipelines.rules.model import BOTH, RESPONSE, Broken, Detected, Level, Subject, Undecided, Watcher
from pipelines.rules.mqac.demands import answered, asked, gets, methods
from pipelines.rules.plans import is_moot, unreadable
from pipelines.rules.watching import MAX_CLIENTS, MqacWatcher, detection
from pipelines.sessions.memory import Recent
from schemas.dates import date_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.rules.model import Answer, Judged, Need, Settings

_MESSAGE: Final = "MSMQMessage"
_CHANGES: Final = methods("MSMQQueueInfo", "Create", "Delete")
_SEND: Final = methods(_MESSAGE, "Send")
_FORGED: Final = ("SenderId", "MsgClass", "Signature")
"""[MC-MQAC] 3.17.4.1.48: what the queue manager sets itself unless a connector type says otherwise."""
_BODY: Final = gets(_MESSAGE, "Body")
_MAX_QUEUES: Final = 1_024


def _changed(step: MqacStep) -> Answer:
    if not step.succeeded:
        return True
    return Broken(answered(step)) if step.com.invoked is not None else True


def _forged(step: MqacStep) -> Answer:
    message = step.state
    if not isinstance(message, MessageState):
        return None
    put: dict[str, str | None] = {
        name: message.put[name].text for name in (*_FORGED, "ConnectorTypeGuid") if name in message.put
    }
    if not step.succeeded or not any(name in put for name in _FORGED):
        return True
    return Broken({**answered(step), **put})


class _BodiesFetched(MqacWatcher):
    """Each message once, of one queue that was opened."""

    needs: ClassVar[Mapping[Meaning, frozenset[Need]]] = dict.fromkeys(_BODY, RESPONSE)

    def __init__(self, settings: Settings) -> None:
        self._threshold = settings["fetched_bodies"]
        self._queues: Recent[str, set[str]] = Recent(_MAX_QUEUES)
        """`object_uid` of messages by that of their queue, up to the threshold."""

    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        message = step.state
        read = message.read if isinstance(message, MessageState) else None
        if not isinstance(message, MessageState) or read is None or "Body" in message.put:
            return ()
        if not step.succeeded or step.result is None:
            return ()
        uid = read.queue.object.object_uid
        messages = self._queues.get(uid) or set()
        self._queues.put(uid, messages)
        if len(messages) >= self._threshold:
            return ()
        messages.add(message.object.object_uid)
        if len(messages) < self._threshold:
            return (True,)
        return (Detected(step, {"messages": len(messages), "opened by": _opened_by(read.queue)}),)


def _opened_by(queue: QueueState) -> str | None:
    return queue.opened.call_uid if queue.opened is not None else None


class _First(NamedTuple):
    """Object of MSMQ's that a client made."""

    made_ns: int
    since_ns: int
    """Since when the server had been seen by then."""


class _Scripted(Watcher):
    """A client's first object is remembered; its first call by number tells."""

    subjects: ClassVar = frozenset((Subject.COM, Subject.MQAC))

    def __init__(self, _: Settings) -> None:
        self._new: Recent[str, _First] = Recent(MAX_CLIENTS)
        """Clients that made their first object here."""
        self._told: Recent[str, bool] = Recent(MAX_CLIENTS)

    def see(self, step: Judged) -> Iterable[Detected | Undecided | bool]:
        if isinstance(step, ComStep):
            self._made(step)
            return ()
        return self._called(step) if isinstance(step, MqacStep) and step.com.invoked is not None else ()

    def _made(self, step: ComStep) -> None:
        if step.call.method not in v.ACTIVATIONS or step.first_made != step.call.call_uid:
            return
        self._new.put(step.call.client, _First(step.call.began.ts_ns, step.since_ns))

    def _called(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        client = step.call.client
        if self._told.get(client) or is_moot(step.call, BOTH):
            return ()
        if (reason := unreadable(step.call, BOTH)) is not None:
            return (Undecided(step, reason),)
        self._told.put(client, True)
        first = self._new.get(client)
        today = date_of(step.call.began.ts_ns)
        if first is None or date_of(first.made_ns) != today:
            # It has made objects before.
            return (True,)
        if first.since_ns <= 0 or date_of(first.since_ns) == today:
            return (Undecided(step, Reason.NO_PAST),)
        return (Detected(step, {**asked(step), "server seen since": date_of(first.since_ns)}),)


RULES: Final = (
    detection(
        "detect-queue-changed-by-script",
        "A queue was created or deleted by a script",
        document="MC-MQAC",
        section="3.10.4.1.26",
        requirement="Reported is a Create or Delete of MSMQ's queue object that succeeded and was called by Invoke, "
        "as script engines do.",
        level=Level.MEDIUM,
        subject=Subject.MQAC,
        members=_CHANGES,
        needs=RESPONSE,
        check=_changed,
        attack=("T1059", "T1485"),
    ),
    detection(
        "detect-bodies-fetched",
        "Bodies of many messages were fetched through MSMQ's objects",
        document="MC-MQAC",
        section="3.17.4.1.21",
        requirement="Reported is the fetched_bodies-th message of one open queue whose Body a client got: only so the "
        "content leaves the server; once a queue that was opened.",
        level=Level.MEDIUM,
        subject=Subject.MQAC,
        members=_BODY,
        needs=RESPONSE,
        watch=_BodiesFetched,
        attack=("T1213",),
        settings={"fetched_bodies": 20},
    ),
    detection(
        "detect-msmq-object-scripted",
        "A host that had never made an object of MSMQ used one by script",
        document="MC-MQAC",
        section="1.3",
        requirement="Reported is the first call by Invoke of a host that made its first object of MSMQ's classes, at "
        "whichever server and in all that a dataset holds, at this server and on that day (UTC); once a host.",
        level=Level.MEDIUM,
        subject=Subject.MQAC,
        needs=BOTH,
        watch=_Scripted,
        attack=("T1021.003", "T1059"),
        undecidable_when="nothing of the server was captured on an earlier day (UTC): a capture of one day has no past",
    ),
    detection(
        "detect-message-forged",
        "A message was sent whose sender, class or signature the client had set itself",
        document="MC-MQAC",
        section="3.17.4.1.48",
        requirement="Reported is a Send that succeeded of a message into which SenderId, MsgClass or Signature was "
        "put: queue managers set them otherwise. Connectors to other systems do so as well.",
        level=Level.MEDIUM,
        subject=Subject.MQAC,
        members=_SEND,
        needs=RESPONSE,
        check=_forged,
        attack=("T1036",),
    ),
)
