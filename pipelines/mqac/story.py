"""What handlers of calls share: the states of a server's objects, and what is to be told."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.mqac.acts import MAX_WAITING, Read, Sent, Unit
from pipelines.mqac.admin import Values
from pipelines.mqac.objects import (
    SINK,
    STATES,
    MessageState,
    ObjectState,
    QueueInfoState,
    QueueState,
    SinkState,
    TransactionState,
)
from pipelines.mqac.rows import read_rows, send_rows, session_row, unit_row
from pipelines.sessions.model import TransactionState as Outcome
from schemas.tables import ADMIN_ACTIONS, READS, SENDS, SESSIONS, SIGHTINGS, TRANSACTIONS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipelines.com.objects import ComObject, Objects
    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.objects import QueueIdentity
    from pipelines.mqac.steps import MqacStep

MAX_STATES: Final = 16_384
"""Objects of one server kept in mind. A client in a loop makes thousands; the one that was longest not called is told
as it stands and forgotten."""
_REMOTE_UNKNOWN: Final = frozenset(("IRemUnknown", "IRemUnknown2"))
_Of = TypeVar("_Of", bound="ObjectState")
Row: TypeAlias = "tuple[str, dict[str, Any]]"


class QueueAct(NamedTuple):
    """For the table `queues`: somebody did something to a queue."""

    act: str | None
    """None: only that its names belong together."""
    queue: QueueIdentity
    call: CallFact
    doubt: Reason | None


class Story:
    def __init__(self, server: str, objects: Objects) -> None:
        self._objects = objects
        self._states: OrderedDict[str, ObjectState] = OrderedDict()
        """By `object_uid`, the one called last at the end."""
        self._forgot = False
        self._units: OrderedDict[str, Unit] = OrderedDict()
        """By IPID, those of which no object was seen."""
        self.values = Values(server)
        self.told: list[Row | QueueAct] = []

    def of(self, one: ComObject) -> ObjectState | None:
        return self._states.get(one.object_uid)

    def of_ipid(self, ipid: str | None, call: CallFact) -> ObjectState | None:
        """As the call names it."""
        one = self._objects.find(ipid, call.ends.resp_p) if ipid else None
        return None if one is None else self.of(one)

    def _given(self, step: MqacStep) -> ComObject | None:
        """The object that the answer hands out."""
        ipid = step.result.reference if step.result is not None else None
        return self._objects.find(ipid, step.call.ends.resp_p) if ipid else None

    def of_argument(self, step: MqacStep, name: str, kind: type[_Of]) -> _Of | None:
        """The object that an argument is, as it is now."""
        one = step.arguments.get(name)
        found = self.of_ipid(one.reference, step.call) if one is not None else None
        return found if isinstance(found, kind) else None

    def met(self, one: ComObject, cls: str, call: CallFact) -> ObjectState:
        """An object that is called, and of which nothing is known but that it was activated, or handed out."""
        known = self._states.get(one.object_uid)
        if known is not None:
            self._states.move_to_end(one.object_uid)
            if known.is_over and not (isinstance(known, QueueState) and known.closed is not None):
                # Somebody had a reference left.
                known.is_over = False
            return known
        # [MS-DCOM] 3.1.1.5.6.1.1: an object that is asked for another interface was there before.
        is_new = one.given_by is not None and one.born.endpoint not in _REMOTE_UNKNOWN
        unseen = None if is_new and not one.elsewhere else Reason.OPEN_NOT_SEEN
        first = one.born if one.given_by is not None else slim(call) or call
        return self._keep(
            STATES.get(cls, ObjectState)(
                one, cls, first, born=unseen is None, unseen=Reason.LIMIT if self._forgot and unseen else unseen
            )
        )

    def made(self, step: MqacStep, cls: str, kind: type[_Of], *, anew: bool = False) -> _Of | None:
        """The object that the answer handed out, which is of that class. None: none, or it was not captured.

        `anew`: it begins a life of its own, even where its numbers are those of one that was told before.
        """
        one = self._given(step)
        if one is None:
            return None
        known = self._states.get(one.object_uid)
        if isinstance(known, kind) and not (anew and known.born):
            known.born |= anew
            return known
        if known is not None:
            self.gone(one)
        one.of_class = one.of_class or cls
        return self._keep(kind(one, cls, slim(step.call) or step.call, born=True))

    def used_unseen(self, ipid: str, call: CallFact) -> None:
        """It was handed to an object of which nobody knows what it is."""
        state = self.of_ipid(ipid, call)
        if isinstance(state, QueueState):
            state.uncounted = state.uncounted or Reason.OPEN_NOT_SEEN
        elif isinstance(state, TransactionState) and state.unit is not None:
            state.unit.doubt = state.unit.doubt or Reason.OPEN_NOT_SEEN

    def unit_out_of_sight(self, ipid: str, call: CallFact) -> Unit:
        """Of a transaction object that the server was not seen to make."""
        found = self._units.get(ipid)
        if found is None:
            found = Unit(ipid.replace("-", ""), slim(call) or call, doubt=Reason.OPEN_NOT_SEEN)
            self._units[ipid] = found
            if len(self._units) > MAX_STATES:
                _, oldest = self._units.popitem(last=False)
                self.unit_over(oldest, Outcome.UNKNOWN, None)
        return found

    def advised(self, ipid: str, call: CallFact) -> None:
        """A client handed its own object to a connection point of another host."""
        one = self._objects.find(ipid)
        if one is not None and one.object_uid not in self._states:
            first = slim(call) or call
            self._keep(SinkState(one, SINK, first, born=True, advised=first))

    def alias(self, step: MqacStep, state: ObjectState) -> None:
        """The answer hands out another object that stands for the same."""
        one = self._given(step)
        if one is not None and one.object_uid not in self._states:
            self._states[one.object_uid] = state
            self._forget_some()

    def _keep(self, state: _Of) -> _Of:
        self._states[state.object.object_uid] = state
        self._states.move_to_end(state.object.object_uid)
        self._forget_some()
        return state

    def _forget_some(self) -> None:
        if len(self._states) > MAX_STATES:
            self._forgot = True
            _, oldest = self._states.popitem(last=False)
            self._over(oldest, Reason.LIMIT)

    def released(self, one: ComObject) -> None:
        state = self._states.get(one.object_uid)
        if isinstance(state, QueueState | MessageState):
            # What is missed from now on says nothing of it.
            state.missed_before, state.is_over = state.missed(), True

    def gone(self, one: ComObject) -> None:
        """Nothing leads to it any more."""
        state = self._states.pop(one.object_uid, None)
        if state is not None:
            self._over(state, Reason.LIMIT)

    def finish(self) -> None:
        """Transactions first, which decide what became of the rest; queues last, which count it."""
        for unit in self._units.values():
            self.unit_over(unit, Outcome.UNKNOWN, None)
        states = list({id(one): one for one in self._states.values()}.values())
        self._states.clear()
        for state in sorted(states, key=lambda one: _ORDER.get(one.cls, 1)):
            self._over(state, None)

    def _over(self, state: ObjectState, doubt: Reason | None) -> None:
        """`doubt`: why more may come."""
        match state:
            case TransactionState():
                self._transaction_over(state, doubt)
            case MessageState():
                for act in (state.read, state.sent):
                    if act is not None:
                        self.decided(act)
            case QueueState():
                acts: list[Read | Sent] = [*state.reads.values(), *state.sends.values()]
                for one in acts:
                    one.doubt = one.doubt or doubt
                    self._tell_act(one)
                if state.is_session:
                    self.tell(SESSIONS.name, session_row(state, doubt))
                    if state.opened is not None:
                        self.note("opened", state.queue, state.opened, state.naming_doubt)
            case QueueInfoState() if len(state.queue.names) > 1:
                self.note(None, state.queue, state.first)

    def _transaction_over(self, state: TransactionState, doubt: Reason | None) -> None:
        unit = state.unit
        if unit is not None and not unit.is_over:
            unit.doubt = unit.doubt or doubt or state.unseen or unit.missed()
            if state.object.end == "open_at_end":
                unit.doubt = unit.doubt or Reason.CAPTURE_ENDED
            self.unit_over(unit, Outcome.UNKNOWN, None)

    def tell(self, table: str, row: Mapping[str, Any]) -> None:
        self.told.append((table, dict(row)))

    def act(self, row: Mapping[str, Any]) -> None:
        """Of `act_row`."""
        self.tell(ADMIN_ACTIONS.name, row)

    def note(self, act: str | None, queue: QueueIdentity | None, call: CallFact, doubt: Reason | None = None) -> None:
        if queue is not None:
            self.told.append(QueueAct(act, queue, call, doubt or queue.doubt))

    def decided(self, act: Read | Sent) -> None:
        """Nothing more is said of its message: it is told, unless its transaction is still to be decided."""
        if act.is_told:
            return
        unit = act.unit
        if not act.waits or unit is None:
            self._tell_act(act)
        elif len(unit.waiting) >= MAX_WAITING:
            act.doubt = act.doubt or Reason.LIMIT
            self._tell_act(act)
        else:
            unit.waiting.append(act)

    def unit_over(self, unit: Unit, outcome: Outcome, moment: Moment | None) -> None:
        if unit.is_over:
            return
        unit.outcome, unit.ended_at, unit.is_over = outcome, moment, True
        waiting, unit.waiting = unit.waiting, []
        for act in waiting:
            self._tell_act(act)
        self.tell(TRANSACTIONS.name, unit_row(unit))

    def _tell_act(self, act: Read | Sent) -> None:
        if act.is_told:
            return
        act.is_told = True
        if isinstance(act, Read):
            self._tell_read(act)
        else:
            self._tell_sent(act)

    def _tell_read(self, read: Read) -> None:
        queue = read.queue
        queue.reads.pop(id(read), None)
        row, sighting = read_rows(read)
        self.tell(READS.name, row)
        if sighting is not None:
            self.tell(SIGHTINGS.name, sighting)
            self.note("received" if read.removes else "peeked", queue.queue, read.call, queue.naming_doubt)
        counts = queue.counts
        outcome = str(read.outcome)
        for name in ("receives" if read.removes else "peeks", outcome):
            counts[name] = counts.get(name, 0) + 1
        size = read.disclosed
        if size:
            column = f"{outcome}_bytes" if f"{outcome}_bytes" in _BYTES else "unfinished_bytes"
            for name in ("message_bytes", column):
                counts[name] = counts.get(name, 0) + size
        if read.doubted() is not None:
            queue.uncounted = queue.uncounted or read.doubted()

    def _tell_sent(self, sent: Sent) -> None:
        row, sighting = send_rows(sent)
        self.tell(SENDS.name, row)
        if sighting is not None:
            self.tell(SIGHTINGS.name, sighting)
        if sent.outcome == "success":
            self.note("sent", sent.identity, sent.call)
        queue = sent.queue
        if queue is None:
            return
        queue.sends.pop(id(sent), None)
        if sent.outcome == "success":
            queue.counts["sends"] = queue.counts.get("sends", 0) + 1
            queue.counts["sent_bytes"] = queue.counts.get("sent_bytes", 0) + (row["message_bytes"] or 0)
        elif sent.outcome == "unknown":
            queue.uncounted = queue.uncounted or Reason.RESPONSE_NOT_CAPTURED


_BYTES: Final = frozenset(("peeked_bytes", "acked_bytes", "nacked_bytes", "rundown_bytes"))
_ORDER: Final = {"MSMQTransaction": 0, "MSMQQueue": 2}
