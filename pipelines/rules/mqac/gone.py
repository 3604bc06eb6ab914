"""[MC-MQAC] 3.11.4.1: messages that were received, and are there again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple

from pipelines.facts import vocabulary as v
from pipelines.facts.reasons import Reason
from pipelines.mqac.objects import MessageState, QueueState
from pipelines.mqac.queues import lookup_id
from pipelines.rules.model import BOTH, Detected, Party, Undecided
from pipelines.rules.mqac import queue_members as q
from pipelines.rules.mqac.demands import doubt, mqac_rule
from pipelines.rules.object_members import answered, asked, gets
from pipelines.rules.watching import MqacWatcher
from pipelines.sessions.memory import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.steps import MqacStep
    from pipelines.rules.model import Need, Settings

_MESSAGE: Final = "MSMQMessage"
_ID: Final = gets(_MESSAGE, "Id")
_LOOKUP_ID: Final = gets(_MESSAGE, "LookupId")
_NO_TRANSACTION, _SINGLE_MESSAGE = 0, 3
_MAX_MESSAGES: Final = 8_192
_MAX_QUEUES: Final = 1_024
_MAX_IN_QUEUE: Final = 512
"""Of each: what was forgotten is not judged."""
_BY_LOOKUP_ID: Final = "ReceiveByLookupId"


def _is_final(step: MqacStep) -> bool:
    """No transaction can bring it back. Left out it is one of the thread's, if that has one."""
    return step.member in q.RECEIVES and step.number("Transaction") in (_NO_TRANSACTION, _SINGLE_MESSAGE)


class _Taken(NamedTuple):
    queue: str
    """Name of the queue."""
    call: CallFact
    is_final: bool


class ReceivedGone(MqacWatcher):
    """Copies share an identifier: those in journals, and those of a message that was sent to two names of one queue.

    [MS-MQDMPR] 3.1.7.1.27, 3.1.7.1.9: a place in a queue has a lookup id of its own, which no other copy has.
    """

    needs: ClassVar[Mapping[Meaning, frozenset[Need]]] = dict.fromkeys((*q.READS, *_ID, *_LOOKUP_ID), BOTH)

    def __init__(self, _: Settings) -> None:
        self._read: Recent[str, _Taken] = Recent(_MAX_MESSAGES)
        """By `object_uid` of the message."""
        self._ids: Recent[str, str] = Recent(_MAX_MESSAGES)
        self._places: Recent[str, int] = Recent(_MAX_MESSAGES)
        """Lookup ids; both by the same."""
        self._gone: Recent[tuple[str, str], tuple[str, CallFact]] = Recent(_MAX_MESSAGES)
        """`object_uid`, and the call that received it, by name of the queue and identifier of the message."""

    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        if step.member in q.READS:
            self._note(step)
            return ()
        state, told = step.state, step.result
        if told is None or not told.value or not isinstance(state, MessageState) or not step.succeeded:
            return ()
        uid, place = state.object.object_uid, lookup_id(step.result) if step.member in _LOOKUP_ID else None
        if place is not None:
            self._places.put(uid, place)
        elif step.member in _ID:
            self._ids.put(uid, told.value)
        taken, identifier = self._read.get(uid), self._ids.get(uid)
        return () if taken is None or identifier is None else self._judged(step, uid, taken, identifier)

    def _judged(
        self, step: MqacStep, uid: str, taken: _Taken, identifier: str
    ) -> Iterable[Detected | Undecided | bool]:
        key = taken.queue, identifier
        first, before = self._gone.get(key) or (uid, taken.call)
        if before.call_uid == taken.call.call_uid:
            if taken.is_final:
                self._gone.put(key, (uid, taken.call))
            return (True,)
        if taken.call.began <= before.until:
            return (True,)
        here, there = self._places.get(uid), self._places.get(first)
        if here is not None and there is not None and here != there:
            return (True,)
        reason = doubt(step) or (Reason.OTHERS_NOT_SEEN if here is None or there is None else None)
        if reason is not None:
            return (Undecided(step, reason),)
        shown = {**asked(step), "id": identifier, "lookup id": here, "received by": before.call_uid}
        return (Detected(step, shown),)

    def _note(self, step: MqacStep) -> None:
        state = step.state
        if step.made is None or not isinstance(state, QueueState) or not state.queue.name or state.naming_doubt:
            return
        self._read.put(step.made.object.object_uid, _Taken(state.queue.name.lower(), step.call, _is_final(step)))


@dataclass(slots=True)
class _Cursor:
    current: str | None = None
    """`object_uid` of the message that it stands at."""
    since: Moment | None = None
    removed: Recent[int, CallFact] = field(default_factory=lambda: Recent(_MAX_IN_QUEUE))
    """Messages received by their lookup id."""


class CurrentReceived(MqacWatcher):
    needs: ClassVar[Mapping[Meaning, frozenset[Need]]] = dict.fromkeys(
        (*q.READS, *q.RESET, *q.NOTIFY, *_LOOKUP_ID), BOTH
    )

    def __init__(self, _: Settings) -> None:
        self._cursors: Recent[str, _Cursor] = Recent(_MAX_QUEUES)
        """By `object_uid` of the queue."""
        self._ids: Recent[str, int] = Recent(_MAX_MESSAGES)
        """Lookup ids by `object_uid` of the message."""

    def look(self, step: MqacStep) -> Iterable[Detected | Undecided | bool]:
        if step.member in _LOOKUP_ID:
            if step.succeeded and (number := lookup_id(step.result)) is not None:
                self._ids.put(step.state.object.object_uid, number)
            return ()
        cursor = self._cursors.get(step.state.object.object_uid) or _Cursor()
        self._cursors.put(step.state.object.object_uid, cursor)
        found = self._judged(step, cursor) if step.member in q.AT_CURSOR else ()
        self._moved(step, cursor)
        return found

    def _judged(self, step: MqacStep, cursor: _Cursor) -> Iterable[Detected | Undecided | bool]:
        number = self._ids.get(cursor.current) if cursor.current is not None else None
        taken = cursor.removed.get(number) if number is not None else None
        if taken is None:
            return ()
        if step.code == v.MQ_ERROR_MESSAGE_ALREADY_RECEIVED:
            return (True,)
        if not step.succeeded or step.call.began <= taken.until:
            return ()
        if (reason := doubt(step)) is not None:
            return (Undecided(step, reason),)
        return (Detected(step, {**answered(step), "lookup id": number, "received by": taken.call_uid}),)

    def _moved(self, step: MqacStep, cursor: _Cursor) -> None:
        if step.member in (*q.AT_CURSOR, *q.PEEK_NEXT, *q.RESET, *q.NOTIFY):
            stays = step.member.member.startswith("Peek") and step.made is not None
            if stays and step.made is not None:
                cursor.current = step.made.object.object_uid
            elif step.succeeded:
                cursor.current = None
        elif step.member.member == _BY_LOOKUP_ID and step.succeeded and _is_final(step):
            number = lookup_id(step.arguments.get("LookupId"))
            if number is not None:
                cursor.removed.put(number, step.call)


RULES: Final = (
    mqac_rule(
        "mqac-received-gone",
        "A message that had been received was there again",
        party=Party.SERVER,
        section="3.11.4.1.7, 3.11.4.1.14, 3.11.4.1.16, 3.11.4.1.21",
        requirement="A message that was received with MQ_NO_TRANSACTION or MQ_SINGLE_MESSAGE is no longer in the "
        "queue: no read gives it again.",
        members=(*_ID, *_LOOKUP_ID),
        watch=ReceivedGone,
        undecidable_when="a message object's history was not captured whole; or its LookupId was not read both "
        "times: a message that was sent to two names of one queue is there twice, with one identifier",
    ),
    mqac_rule(
        "mqac-current-received",
        "A message that had been received was read again at the cursor",
        party=Party.SERVER,
        section="3.11.4.1.11, 3.11.4.1.13, 3.11.4.1.16, 3.11.4.1.18",
        requirement="PeekCurrent and ReceiveCurrent are answered MQ_ERROR_MESSAGE_ALREADY_RECEIVED where the message "
        "at the cursor was received by its lookup id.",
        members=q.AT_CURSOR,
        watch=CurrentReceived,
        undecidable_when="the object's history was not captured whole",
    ),
)
