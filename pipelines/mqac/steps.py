"""What the machine of MSMQ's objects tells rules: a call of one of them, with what was known when it was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from decoders.dcerpc.call_model import BindingSource
from pipelines.com.answers import done
from pipelines.com.called import NULL
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.facts.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.interfaces.mqac.members import Meaning
    from pipelines.com.sight import ComPair
    from pipelines.facts.com import Argument, Com
    from pipelines.facts.model import CallFact, Moment
    from pipelines.mqac.objects import ObjectState

NOTHING: Final = (None, NULL)
"""Text of a null pointer, and of one in a VARIANT."""


class MqacStep(Struct, eq=False, kw_only=True):
    """A call of one of MSMQ's objects that is over, by opnum or by Invoke alike.

    `state` and `given` are copies: they stand as they were when the call was asked, whatever it changed. The class of
    `state` follows from `member.cls`: see STATES of `pipelines.mqac.objects`.
    """

    call: CallFact
    com: Com
    pair: ComPair
    """What was out of sight between this client and the server."""
    member: Meaning
    """Class that declares it (`MSMQQueue`), name without revision (`Receive`, `PathName`), and kind."""
    endpoint: str
    """Interface of that class, of the first revision."""
    state: ObjectState
    """Of the object that was called. Where `state.unseen` is set, its history may lack something."""
    arguments: Mapping[str, Argument]
    """Of the request, by the IDL's names. Optional ones that were left out are not there."""
    result: Argument | None = None
    """What came back; None where nothing did, or a null pointer."""
    given: Mapping[str, ObjectState] = {}
    """Objects among the arguments, by the argument's name: DestinationQueue, Transaction, Event, pqinfoResponse ..."""
    made: ObjectState | None = None
    """The object that the answer handed out, as it was new."""
    overlaps: bool = False
    """Another call of the object was under way at the same time: which one came first nobody knows."""
    settings: Mapping[str, int] = {}

    @property
    def code(self) -> int | None:
        """HRESULT of the member itself: what Invoke or a fault carries of it."""
        found = self.com.scode
        if found is None:
            found = self.call.status if self.call.fault is None else self.call.fault
        return None if found is None else found & 0xFFFF_FFFF

    @property
    def succeeded(self) -> bool:
        return done(self.call)

    @property
    def failed(self) -> bool:
        """It was answered, by an error. Neither this nor `succeeded`: nobody knows, as of what the client gave up."""
        answered = self.call.fault is not None or self.call.status is not None
        return answered and not self.succeeded and not self.call.given_up

    @property
    def gave_nothing(self) -> bool:
        """It succeeded, and its answer, which was captured whole, hands out no object."""
        back = self.result
        empty = back is None or (back.reference is None and back.value in NOTHING)
        return self.succeeded and empty and self.answer_hidden is None

    def text(self, name: str) -> str | None:
        one = self.arguments.get(name)
        return None if one is None else one.value

    def number(self, name: str) -> int | None:
        one = self.arguments.get(name)
        return None if one is None else one.number

    @property
    def asked_hidden(self) -> Reason | None:
        """Why nothing rests on its arguments."""
        return request_hidden(self.call)

    @property
    def answer_hidden(self) -> Reason | None:
        return response_hidden(self.call)

    @property
    def doubt(self) -> Reason | None:
        """Why what it did is not certain: its interface is guessed, or it cannot be read."""
        if self.call.source != BindingSource.BIND:
            return Reason.BIND_NOT_SEEN
        return self.asked_hidden or self.answer_hidden

    @property
    def doubt_of_asking(self) -> Reason | None:
        """Why it may have been about something else: what its object stands for may have changed out of sight."""
        if self.call.source != BindingSource.BIND:
            return Reason.BIND_NOT_SEEN
        return self.asked_hidden or self.state.unseen or self.pair.within.blind_since(self.state.first.began)

    @property
    def answered_late(self) -> bool:
        """The answer was captured after it had been received: it may be one to an older request."""
        return self.pair.is_late(self.call.uid, self.call.answered)

    @property
    def hole(self) -> Reason | None:
        """Why its interface may be another, as bytes of its connection are missing; or the time at which it was asked.

        The request was captured after it had been received: it was sent before, and nobody knows when.
        """
        late = self.pair.is_late(self.call.uid, self.call.began)
        return self.pair.hole_of(self.call.uid) or (Reason.TIMES_CROSS if late else None)

    def unseen_since(self, moment: Moment) -> Reason | None:
        """Why the client may have done something out of sight since then."""
        return self.pair.blind_since(moment)

    @property
    def history_unseen(self) -> Reason | None:
        """Why something may have been done with the object that was not seen: its birth, or anything since."""
        return self.state.unseen or self.unseen_since(self.state.first.began)
