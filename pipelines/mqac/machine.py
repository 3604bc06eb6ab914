"""Calls of MSMQ's objects at one server, in the order of time, to rows of the tables and to steps for rules.

ComMachine says which object a call is made on, `members` which member is meant; handlers, by class and member, say what
it does. A call changes something when it is answered. What rules see of its object is how it stood when it was asked.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.interfaces.mqac.members import Meaning
from decoders.ndr.model import MemberKind
from decoders.registry import BY_NAME
from pipelines.com.answers import unsure
from pipelines.facts.model import END
from pipelines.facts.reasons import Reason
from pipelines.mqac import (
    destinations,
    events,
    managements,
    message_objects,
    queries,
    queue_infos,
    queues,
    transactions,
)
from pipelines.mqac.acts import MAX_PAIRS
from pipelines.mqac.members import resolved
from pipelines.mqac.objects import SINK, STATES, ObjectState, QueueState
from pipelines.mqac.steps import MqacStep
from pipelines.mqac.story import Story

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.com.object_calls import Gone, ObjectCall, Released
    from pipelines.com.objects import Objects
    from pipelines.com.sight import ComPair
    from pipelines.facts.com import Com
    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.handling import Handlers
    from pipelines.mqac.telling import QueueAct, Row

_ADVISE: Final = "IConnectionPoint", "Advise"
_DESCRIBING: Final = frozenset(("IDispatch", name) for name in ("GetTypeInfoCount", "GetTypeInfo", "GetIDsOfNames"))
"""They do nothing."""
_SINK_INTERFACE: Final = "_DMSMQEventEvents"
_SINKS: Final = BY_NAME[_SINK_INTERFACE].uuid
CALLED_BACK: Final = Meaning("MSMQQueue", _SINK_INTERFACE, MemberKind.METHOD)
"""No call of the queue, but what its server says of it to a client's sink: Arrived or ArrivedError."""
_HANDLERS: Final[Handlers] = {
    key: handler
    for one in (queue_infos, queues, message_objects, transactions, managements, queries, destinations, events)
    for key, handler in one.HANDLERS.items()
}
Told: TypeAlias = "Row | QueueAct | MqacStep"


class MqacMachine:
    def __init__(self, server: str, objects: Objects, settings: Mapping[str, int]) -> None:
        self._story = Story(server, objects)
        self._settings = settings
        self._waiting: list[tuple[Moment, int, MqacStep, ObjectState]] = []
        """Calls under way, by their end, with the live state of their object."""
        self._under_way: dict[str, list[MqacStep]] = {}
        """By `object_uid`."""
        self._serial = 0

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    @property
    def under_way(self) -> list[MqacStep]:
        """Calls that are not over, as far as was settled."""
        return [step for _, _, step, _ in self._waiting]

    def feed(self, called: ObjectCall) -> Iterator[Told]:
        yield from self.settle(called.call.began)
        cls = self._class(called)
        found = resolved(called, cls)
        if found is None or cls is None:
            unnamed = self._story.of(called.object)
            if isinstance(unnamed, QueueState) and not called.call.is_one_of(_DESCRIBING):
                unnamed.unnamed = True
            for one in called.com.arguments:
                if one.reference is not None:
                    self._story.used_unseen(one.reference, called.call)
            return
        live = self._story.met(called.object, cls, called.call)
        if not isinstance(live, STATES.get(found.meaning.object_class, ObjectState)):
            # It is told to be of two classes: who handed it out is not known, and what was done to it is nobody's.
            live.unseen = live.unseen or Reason.OPEN_NOT_SEEN
            return
        if isinstance(live, QueueState) and called.pair not in live.pairs and len(live.pairs) < MAX_PAIRS:
            live.pairs.append(called.pair)
        given = {
            name: state.snapshot()
            for name, one in found.arguments.items()
            if one.reference is not None and (state := self._story.of_ipid(one.reference, called.call)) is not None
        }
        step = MqacStep(
            call=called.call,
            com=called.com,
            pair=called.pair,
            member=found.meaning,
            endpoint=found.endpoint,
            state=live.snapshot(),
            arguments=found.arguments,
            result=found.result,
            given=given,
            settings=self._settings,
        )
        beside = self._under_way.setdefault(live.object.object_uid, [])
        for other in beside:
            other.overlaps = step.overlaps = True
        beside.append(step)
        self._serial += 1
        heapq.heappush(self._waiting, (called.call.until, self._serial, step, live))

    def given(self, call: CallFact, com: Com, pair: ComPair) -> Iterator[Told]:
        """What a client of another server handed to it: a sink of this host, or a queue of this host for a sink there.

        `pair`: this host and the other one.
        """
        if call.is_one_of((_ADVISE,)):
            for reference in com.references:
                self._story.advised(reference.ipid, call)
        elif com.iid == _SINKS:
            yield from self.settle(call.began)
            for one in com.references:
                state = self._story.of_given(one.ipid)
                if isinstance(state, QueueState):
                    yield self._called_back(call, com, pair, state)

    def _called_back(self, call: CallFact, com: Com, pair: ComPair, state: QueueState) -> MqacStep:
        return MqacStep(
            call=call,
            com=com,
            pair=pair,
            member=CALLED_BACK,
            endpoint=_SINK_INTERFACE,
            state=state.snapshot(),
            arguments={},
            result=None,
            given={},
            settings=self._settings,
        )

    def settle(self, until: Moment) -> Iterator[Told]:
        """Calls that were over by then."""
        while self._waiting and self._waiting[0][0] <= until:
            _, _, step, live = heapq.heappop(self._waiting)
            self._over(step, live)
            yield from self._answered(step, live)

    def released(self, told: Released) -> None:
        self._story.released(told.object)

    def gone(self, gone: Gone) -> Iterator[Told]:
        self._story.gone(gone.object)
        yield from self._told()

    def finish(self) -> Iterator[Told]:
        """Before objects are told: calls say what they are. After that, what became of them."""
        yield from self.settle(END)
        self._story.finish()
        yield from self._told()

    def _over(self, step: MqacStep, live: ObjectState) -> None:
        live.last = step.call.until
        if not (step.succeeded or step.failed):
            live.unsure = unsure(step.call) or Reason.RESPONSE_NOT_CAPTURED
        beside = self._under_way[live.object.object_uid]
        beside.remove(step)
        if not beside:
            del self._under_way[live.object.object_uid]

    def _class(self, called: ObjectCall) -> str | None:
        known = self._story.of(called.object)
        if known is not None:
            return known.cls
        if called.iid == _SINKS:
            return SINK
        name = called.object.named_class
        return name if name is not None and name.startswith("MSMQ") else None

    def _answered(self, step: MqacStep, live: ObjectState) -> Iterator[Told]:
        handler = _HANDLERS.get((step.member.object_class, step.member.member, step.member.kind))
        if handler is not None:
            made = handler(self._story, step, live)
            if made is not None:
                step.made = made.snapshot()
                if isinstance(made, QueueState) and step.pair not in made.pairs:
                    made.pairs.append(step.pair)
        yield from self._told()
        yield step

    def _told(self) -> Iterator[Row | QueueAct]:
        told, self._story.told = self._story.told, []
        yield from told
