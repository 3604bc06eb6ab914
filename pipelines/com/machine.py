"""Facts of DCOM's calls at one server, in the order of time, to rows of `com_calls` and `com_objects`, and to steps."""

from __future__ import annotations

import heapq
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from decoders.dcom.classes import com_interface_name
from decoders.status import status_name
from pipelines.com.announcements import Announcements
from pipelines.com.answers import done
from pipelines.com.called import called
from pipelines.com.holdings import Holdings
from pipelines.com.members import Members
from pipelines.com.object_calls import Gone, ObjectCall, Released
from pipelines.com.objects import Objects
from pipelines.com.sight import ComPair, Pairs
from pipelines.com.steps import ComStep, Pinged
from pipelines.facts import vocabulary as v
from pipelines.facts.model import END
from pipelines.facts.readable import request_hidden, response_hidden
from pipelines.sessions.memory import Recent
from schemas.tables.com_calls import COM_CALLS
from schemas.tables.com_objects import COM_OBJECTS
from schemas.times import micros, nanos

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pipelines.com.called import Called
    from pipelines.com.com_object import ComObject
    from pipelines.com.holdings import Held
    from pipelines.facts.com import Com
    from pipelines.facts.model import BlindFact, CallFact, Moment
    from schemas.model import AnyRow
    from schemas.tables.com_calls import ComCallRow

_PINGS: Final = (v.SIMPLE_PING, v.COMPLEX_PING)
_REMOTE_UNKNOWN: Final = ("IRemUnknown", "IRemUnknown2")
MAX_SPOKEN: Final = 16_384
"""One that was forgotten is told again."""
MAX_SETS: Final = 16_384
"""One that was forgotten begins anew."""

Row: TypeAlias = "tuple[str, AnyRow]"


class ComMachine:
    def __init__(self, server: str, settings: Mapping[str, int], first_made: Mapping[str, str], since_ns: int) -> None:
        """`first_made`: by client, `call_uid` of its first activation of one of MSMQ's classes, at whichever server.
        `since_ns`: when this one was first seen.
        """
        self._members = Members()
        self._holdings, self._announcements = Holdings(), Announcements()
        self._pairs = Pairs()
        self.objects = Objects(server, self._pairs)
        self._settings, self._first_made = settings, first_made
        self._since_ns = since_ns
        self._spoken: Recent[tuple[Any, ...], bool] = Recent(MAX_SPOKEN)
        """Connections and the versions that calls of them had."""
        self._sets: Recent[tuple[str, int], Pinged] = Recent(MAX_SETS)
        """By client and number of the set: its last ComplexPing that succeeded."""
        self._waiting: list[tuple[Moment, int, ComStep]] = []
        """Calls under way, by their end."""
        self._serial = 0

    def missed(self, fact: BlindFact) -> None:
        self._pairs.missed(fact)

    def pair(self, client: str) -> ComPair:
        return self._pairs.of(client)

    @property
    def is_busy(self) -> bool:
        return bool(self._waiting)

    def settle(self, until: Moment) -> Iterator[ComStep]:
        """Calls that ended by then: all that was missed until then has been told."""
        while self._waiting and self._waiting[0][0] <= until:
            yield heapq.heappop(self._waiting)[2]

    def given(self, fact: CallFact, com: Com) -> None:
        """What a client of another server handed to it: an object of this host."""
        for reference in com.references:
            if not reference.given:
                self.objects.give(reference, fact, None, None).passed += 1
                self._holdings.give(fact.server, reference, fact)

    def handed(self, fact: CallFact, com: Com) -> None:
        """What others handed on among them, by what it says an object of this host."""
        for reference in com.references:
            self.objects.hand_on(reference, fact)

    def feed(self, fact: CallFact, com: Com) -> Iterator[Row | ComStep | ObjectCall | Gone | Released]:
        yield from self.settle(fact.began)
        self.objects.seen(fact, of_resolver=com.object is None)
        # Of which interface a call is that no bind explains, its object tells at best: nobody is judged by that.
        step = self._step(fact, com) if com.iid else None
        if step is not None:
            self._await(step)
        self._pairs.heard(fact)
        # Announced by the same answer that hands out the first reference.
        for exporter in com.exporters:
            self.objects.announce(exporter, fact)
            self._announcements.note(exporter, fact)
        if com.object is None:
            self._resolver(fact, com)
            return
        one = self.objects.called(com.object, com.iid, fact)
        self._members.note(one, fact, com)
        iid = com.iid or self.objects.interface_of(one, com.object)
        said = called(fact, com, iid, one, lambda *numbers: self._members.name(one, iid, *numbers))
        if step is not None:
            step.called = said
        parent, clsid = self._parent(one, fact)
        for reference in com.references:
            if reference.given:
                self.objects.give(reference, fact, parent, clsid, said.gives)
                self._holdings.give(fact.client, reference, fact)
            elif self.objects.find(reference.ipid, fact.ends.resp_p) is not None:
                # [MS-DCOM] 3.2.4.3: a server's own object that comes back hands over references.
                self.objects.take_back(reference.ipid, reference.public_refs, 0, fact)
                self._holdings.take_back(fact.client, reference.ipid, reference.public_refs, fact)
        self._count(fact, com)
        yield COM_CALLS.name, self._row(one, fact, com, iid, said)
        yield ObjectCall(object=one, call=fact, com=com, iid=iid, said=said, pair=self._pairs.of(fact.client))
        yield from self._released(fact, com)
        for over in self.objects.forgotten():
            yield Gone(over)
            if not over.is_anothers:
                yield COM_OBJECTS.name, over.row()

    def _released(self, fact: CallFact, com: Com) -> Iterator[Released]:
        if fact.is_one_of((v.RELEASE,)):
            for ipid in dict.fromkeys(one.ipid for one in com.counted):
                one = self.objects.find(ipid, fact.ends.resp_p)
                if one is not None and one.over_by == fact.call_uid:
                    yield Released(one)

    def finish(self) -> Iterator[Row | ComStep]:
        yield from self.settle(END)
        for one in self.objects.finished():
            if not one.is_anothers:
                yield COM_OBJECTS.name, one.row()

    def _step(self, fact: CallFact, com: Com) -> ComStep:
        step = ComStep(call=fact, com=com, pair=self._pairs.of(fact.client), settings=self._settings)
        if com.activation is not None:
            step.first_made, step.since_ns = self._first_made.get(fact.client), self._since_ns
        if fact.method == v.COMPLEX_PING and fact.request is not None:
            step.pinged = self._sets.get((fact.client, fact.request.get("pSetId", 0)))
        if com.object is not None:
            step.held = self._held(fact.client, com.object)
            number = step.held.number if step.held else None
            told = self._announcements.of(fact.client, number[0] if number else com.object)
            step.announced = None if told is None else replace(told)
            spoken = com.major, com.minor, told and told.version, request_hidden(fact), response_hidden(fact)
            step.repeats = self._spoken.get((fact.uid, *spoken)) is not None
            self._spoken.put((fact.uid, *spoken), True)
            if fact.endpoint in _REMOTE_UNKNOWN and isinstance(asked := (fact.request or {}).get("ripid"), str):
                step.meant = self._held(fact.client, asked)
        return step

    def _held(self, client: str, ipid: str) -> Held | None:
        """As it is now."""
        held = self._holdings.of(client, ipid)
        return None if held is None else replace(held)

    def _await(self, step: ComStep) -> None:
        self._serial += 1
        heapq.heappush(self._waiting, (step.call.until, self._serial, step))

    def _resolver(self, fact: CallFact, com: Com) -> None:
        clsid = com.activation.clsid if com.activation else None
        for reference in com.references:
            if reference.given:
                self.objects.give(reference, fact, None, clsid)
                self._holdings.give(fact.client, reference, fact)
        if fact.method in _PINGS and fact.fault is None and not fact.status:
            # Of one whose answer cannot be read nobody knows that it failed.
            self.objects.pinged(fact)
        if fact.method == v.COMPLEX_PING and fact.request is not None and fact.fault is None and fact.status == 0:
            told = (fact.response or {}).get("pSetId")
            if told and (sequence := fact.request.get("SequenceNum")) is not None:
                self._sets.put((fact.client, told), Pinged(fact, sequence))
            for oid in fact.request.get("AddToSet") or ():
                self.objects.keep(int(oid), fact)
            for oid in fact.request.get("DelFromSet") or ():
                self.objects.unping(int(oid), fact)

    def _parent(self, one: ComObject, fact: CallFact) -> tuple[ComObject | None, str | None]:
        """Whose call handed out what the answer gives, and the class of that."""
        if fact.endpoint in _REMOTE_UNKNOWN:
            # The call is made on the Remote Unknown; the object meant is in the request.
            asked = (fact.request or {}).get("ripid")
            meant = self.objects.counted(asked, fact) if isinstance(asked, str) else None
            return meant, meant.clsid if meant else None
        if fact.method == v.OF_FACTORY:
            # The objects of a class factory are of the class that was activated.
            return one, one.clsid
        return one, None

    def _count(self, fact: CallFact, com: Com) -> None:
        if not com.counted:
            return
        if fact.is_one_of((v.RELEASE,)):
            for counted in com.counted:
                self.objects.counted(counted.ipid, fact)
                self.objects.take_back(counted.ipid, counted.public_refs, counted.private_refs, fact)
                self._holdings.take_back(fact.client, counted.ipid, counted.public_refs, fact)
        elif fact.is_one_of((v.ADD_REFERENCES,)):
            results = (fact.response or {}).get("pResults") or ()
            for counted, result in zip_longest(com.counted, results[: len(com.counted)]):
                self._holdings.add(fact.client, counted.ipid, counted.public_refs, counted.private_refs)
                one = self.objects.counted(counted.ipid, fact)
                if done(fact) and not result and one is not None:
                    one.add(counted.ipid, counted.public_refs, counted.private_refs)

    def _row(self, one: ComObject, fact: CallFact, com: Com, iid: str | None, said: Called) -> ComCallRow:
        hresult = com.scode if com.scode is not None else fact.status
        if hresult is not None:
            hresult &= 0xFFFF_FFFF
        return {
            "call_uid": fact.call_uid,
            "ts": micros(fact.began.ts_ns),
            "ts_ns": nanos(fact.began.ts_ns),
            "uid": fact.uid,
            "id": fact.ends.id,
            "username": fact.username,
            "domain": fact.domain,
            "object_uid": one.object_uid,
            "ipid": com.object,
            "interface": com_interface_name(iid) if iid else None,
            "iid": iid,
            "member": said.member,
            "kind": said.kind,
            "via": "invoke" if com.invoked else "direct",
            "arguments": [
                {
                    "name": arg.name,
                    "direction": arg.direction,
                    "type": arg.type,
                    "value": arg.value,
                    "value_name": arg.value_name,
                }
                for arg in said.arguments
            ],
            "result": said.result,
            "result_name": said.result_name,
            "outcome": str(fact.outcome),
            "hresult": hresult,
            "hresult_name": None if hresult is None else status_name(hresult, fact.endpoint or ""),
            "exception": com.exception,
            "causality_id": com.cid,
            "doubt": one.doubt,
            "capture_id": fact.capture_id,
        }
