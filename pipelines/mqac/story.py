"""What handlers of calls share: the states of a server's objects, found, made, given back and forgotten."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, TypeVar

from pipelines.facts.model import slim
from pipelines.facts.reasons import Reason
from pipelines.mqac.acts import Read, Sent, Unit
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
from pipelines.mqac.rows import session_row
from pipelines.mqac.telling import Telling
from pipelines.sessions.model import TransactionState as Outcome
from schemas.tables import SESSIONS

if TYPE_CHECKING:
    from pipelines.com.com_object import ComObject
    from pipelines.com.objects import Objects
    from pipelines.facts.model import CallFact
    from pipelines.mqac.steps import MqacStep

MAX_STATES: Final = 16_384
"""Objects of one server kept in mind. A client in a loop makes thousands; the one that was longest not called is told
as it stands and forgotten."""
_REMOTE_UNKNOWN: Final = frozenset(("IRemUnknown", "IRemUnknown2"))
_Of = TypeVar("_Of", bound="ObjectState")


class Story(Telling):
    def __init__(self, server: str, objects: Objects) -> None:
        super().__init__()
        self._objects = objects
        self._states: OrderedDict[str, ObjectState] = OrderedDict()
        """By `object_uid`, the one called last at the end."""
        self._forgot = False
        self._units: OrderedDict[str, Unit] = OrderedDict()
        """By IPID, those of which no object was seen."""
        self.values = Values(server)

    def of(self, one: ComObject) -> ObjectState | None:
        return self._states.get(one.object_uid)

    def of_ipid(self, ipid: str | None, call: CallFact) -> ObjectState | None:
        """As the call names it."""
        one = self._objects.find(ipid, call.ends.resp_p) if ipid else None
        return None if one is None else self.of(one)

    def of_given(self, ipid: str) -> ObjectState | None:
        """Of this host, as it is handed to another one."""
        one = self._objects.find(ipid)
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
                    self.at_once(one)
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


_ORDER: Final = {"MSMQTransaction": 0, "MSMQQueue": 2}
