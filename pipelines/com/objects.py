"""Objects of one server: who handed them out, which interfaces they have, and who gave them back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from decoders.dcom.objref import NO_PING
from decoders.registry import REMOTE_UNKNOWN
from pipelines.com.answers import done, reached
from pipelines.com.com_object import ComObject
from pipelines.com.numbers import MAX_OBJECTS, Numbers
from pipelines.com.ping_sets import PingSets
from pipelines.com.pings import Pings
from pipelines.com.processes import Processes
from pipelines.facts.stored_form import third_hosts
from pipelines.sessions.memory import Recent
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.com.sight import Pairs
    from pipelines.facts.com import Exporter, Reference
    from pipelines.facts.model import CallFact

MAX_EXPORTERS: Final = 10_000


def _kept(fact: CallFact) -> CallFact:
    """Without what it says: objects are remembered by the thousand."""
    return replace(fact, request=None, response=None, com=None)


def _receiver(reference: Reference, fact: CallFact) -> str:
    return fact.client if reference.given else fact.server


class Objects:
    """All that is known of a server's."""

    def __init__(self, server: str, pairs: Pairs) -> None:
        self._server, self._pairs = server, pairs
        self._numbers, self._pings = Numbers(), Pings(pairs)
        self._exporters: dict[int, Exporter] = {}
        self._processes, self._sets = Processes(), PingSets()
        self._handed: Recent[str, tuple[Reference, CallFact]] = Recent(MAX_OBJECTS)
        """By IPID: references that others handed on, of objects that were not met here yet."""
        self._forgotten: list[ComObject] = []
        """Those that nothing leads to any more, until they are told."""
        self._told: set[int] = set()
        """Their ids, hashed: whatever bears the same numbers later is another row."""

    def announce(self, exporter: Exporter, fact: CallFact) -> None:
        """[MS-DCOM] 3.1.1.5.1: its OXID, its Remote Unknown and where it listens."""
        if len(self._exporters) >= MAX_EXPORTERS and exporter.oxid not in self._exporters:
            return
        known = self._exporters.get(exporter.oxid)
        if self._processes.announce(exporter, fact.until):
            self._numbers.deal_again(exporter.oxid)
            known = None
        if known is None or known.principal is None:
            self._exporters[exporter.oxid] = exporter
        self._remote_unknown(exporter, fact)

    def _remote_unknown(self, exporter: Exporter, fact: CallFact) -> None:
        """The object by which references of a process are counted. It has no number of its own."""
        one = self._numbers.of_ipid(exporter.remote_unknown)
        if one is None or one.oxid not in (None, exporter.oxid):
            uid = self._uid(f"{exporter.oxid:016x}|{exporter.remote_unknown}", fact)
            one = ComObject(self._server, uid, exporter.oxid, None, _kept(fact), fact.call_uid, None, fact.client)
        self._at_home(one, exporter.oxid)
        one.interfaces.setdefault(exporter.remote_unknown, (REMOTE_UNKNOWN, fact.call_uid))
        self._place(one, exporter)
        self._lead(exporter.remote_unknown, one)
        one.is_there(fact.until)
        self._forget_some()

    def _at_home(self, one: ComObject, oxid: int) -> None:
        if one.home is None or one.oxid != oxid:
            one.oxid, one.home = oxid, self._processes.of(oxid)

    def _place(self, one: ComObject, exporter: Exporter) -> None:
        one.runs_as = one.runs_as or exporter.principal
        if one.port is None and exporter.bindings:
            one.port = exporter.bindings[0][1]

    def give(
        self,
        reference: Reference,
        fact: CallFact,
        parent: ComObject | None,
        clsid: str | None,
        of_class: str | None = None,
    ) -> ComObject:
        """A reference was handed out. [MS-DCOM] 3.1.1.5.1: its public references add to what the receiver holds."""
        one = self._numbers.of_reference(reference)
        if one is None:
            one = self._adopted(reference) or self._new(reference, fact, parent)
            self._number(one, reference)
        elif one.older and not one.met:
            one.begin(_kept(fact), parent, _receiver(reference, fact))
            one.given_over = fact.com.iid if fact.com else None
        one.clsid = one.clsid or clsid or reference.clsid
        one.of_class = one.of_class or of_class
        one.interfaces.setdefault(reference.ipid, (reference.iid, fact.call_uid))
        one.add(reference.ipid, reference.public_refs)
        if reference.resolvers and not one.named_here and self._server not in reference.resolvers:
            one.elsewhere |= reference.oxid not in self._exporters
            one.told_there |= fact.com is not None and reference.resolvers[0] in third_hosts(
                fact.com.references, fact.ends
            )
        one.pinged &= not reference.flags & NO_PING
        one.touch(fact)
        one.is_there(fact.until)
        self._sets.hold(one, _receiver(reference, fact))
        if exporter := self._exporters.get(reference.oxid):
            self._place(one, exporter)
        self._lead(reference.ipid, one)
        return one

    def _lead(self, ipid: str, one: ComObject) -> None:
        before = self._numbers.lead(ipid, one)
        if before is not None:
            self._forget(before)

    def hand_on(self, reference: Reference, fact: CallFact) -> None:
        """[MS-DCOM] 3.2.4.3: the receiver gets some of the references that another had, so that there are no more."""
        one = self._numbers.of_reference(reference)
        if one is None and not reference.resolvers:
            # Another address that the reference names has the row, unless it is called here.
            self._handed.put(reference.ipid, (reference, _kept(fact)))
            return
        if one is None:
            one = self._adopted(reference) or self._handed_on(reference, _kept(fact))
        one.named_here, one.elsewhere = True, False
        if self._numbers.of_ipid(reference.ipid) is None:
            # Whoever hands it on got this interface out of sight.
            one.interfaces.setdefault(reference.ipid, (reference.iid, fact.call_uid))
            self._lead(reference.ipid, one)
        self._sets.hold(one, _receiver(reference, fact))
        one.touch(fact)

    def _met(self, ipid: str) -> ComObject | None:
        """One that was handed on among others before it was called here: when it was made is not known."""
        reference, fact = self._handed.get(ipid) or (None, None)
        if reference is None or fact is None:
            return None
        self._handed.drop(ipid)
        one = self._numbers.of_reference(reference)
        if one is None:
            one = self._handed_on(reference, fact)
        one.interfaces.setdefault(ipid, (reference.iid, fact.call_uid))
        self._lead(ipid, one)
        self._sets.hold(one, _receiver(reference, fact))
        return one

    def _handed_on(self, reference: Reference, fact: CallFact) -> ComObject:
        one = self._new(reference, fact, None)
        self._number(one, reference)
        one.older = True
        return one

    def _number(self, one: ComObject, reference: Reference) -> None:
        self._numbers.number(one, reference.oxid, reference.oid)
        self._sets.met(one, reference.oid)
        self._forget_some()

    def _new(self, reference: Reference, fact: CallFact, parent: ComObject | None) -> ComObject:
        dealt = self._numbers.dealt(reference.oxid)
        uid = self._uid(f"{reference.oxid:016x}|{reference.oid:016x}{f'|{dealt}' if dealt else ''}", fact)
        numbers, client = (reference.oxid, reference.oid), _receiver(reference, fact)
        one = ComObject(self._server, uid, *numbers, _kept(fact), fact.call_uid, parent, client)
        self._at_home(one, reference.oxid)
        one.given_over = fact.com.iid if fact.com else None
        return one

    def _adopted(self, reference: Reference) -> ComObject | None:
        """One that was called before its reference was seen, when another copy of that comes."""
        one = self._numbers.of_ipid(reference.ipid)
        if one is None or one.oid is not None:
            return None
        one.oid = reference.oid
        self._at_home(one, reference.oxid)
        self._sets.hold(one, *one.holders)
        return one

    def called(self, ipid: str, iid: str, fact: CallFact) -> ComObject:
        one = self.find(ipid, fact.ends.resp_p)
        if one is None:
            uid = self._uid(f"{fact.ends.resp_p}|{ipid}", fact)
            one = ComObject(self._server, uid, None, None, _kept(fact), None, None, fact.client)
            self._lead(ipid, one)
            self._forget_some()
        if iid:
            one.interfaces.setdefault(ipid, (iid, None))
        one.elsewhere &= one.oxid not in self._exporters
        one.met, one.port = True, fact.ends.resp_p
        one.calls += 1
        one.touch(fact)
        if reached(fact):
            self._sets.hold(one, fact.client)
            if one.home is not None:
                self._processes.answers(one.home, fact.until)
            if one.closed_at is None or fact.began > one.closed_at:
                # Others may hold references that somebody handed them out of sight.
                one.is_there(fact.until)
        return one

    @staticmethod
    def interface_of(one: ComObject, ipid: str | None) -> str | None:
        """Which interface an IPID is of: as its reference or another call says."""
        known = one.interfaces.get(ipid or "")
        return known[0] if known else None

    def find(self, ipid: str, port: int | None = None) -> ComObject | None:
        """`port`: where it is called; processes of one host may have the same numbers."""
        return self._numbers.of_ipid(ipid, port) or self._met(ipid)

    def counted(self, ipid: str, fact: CallFact) -> ComObject | None:
        """Its references are counted here, so that it is one of this host's."""
        one = self.find(ipid, fact.ends.resp_p)
        if one is not None:
            one.met = True
        return one

    def take_back(self, ipid: str, public: int, private: int, fact: CallFact) -> None:
        """[MS-DCOM] 3.1.1.5.6.1.3: with the last reference of its last interface the object is gone."""
        one = self.find(ipid, fact.ends.resp_p)
        if one is None:
            return
        one.touch(fact)
        if done(fact) and one.take(ipid, public, private):
            one.closed_by, one.closed_at, one.over_by = "released", fact.until, fact.call_uid

    def seen(self, fact: CallFact, *, of_resolver: bool) -> None:
        self._pings.seen(fact, of_resolver=of_resolver)

    def pinged(self, fact: CallFact) -> None:
        self._pings.pinged(fact)

    def keep(self, oid: int, fact: CallFact) -> None:
        self._sets.keep(oid, self._numbers.of_oid(oid), fact.client)

    def unping(self, oid: int, fact: CallFact) -> None:
        self._sets.leave(oid, fact)

    def _uid(self, numbers: str, fact: CallFact) -> str:
        uid = derived_uid("O", f"{self._server}|{numbers}")
        return derived_uid("O", f"{uid}|{fact.call_uid}") if hash(uid) in self._told else uid

    def _forget(self, one: ComObject) -> None:
        if hash(one.object_uid) not in self._told:
            self._told.add(hash(one.object_uid))
            self._forgotten.append(one)

    def forgotten(self) -> Iterator[ComObject]:
        """Since it was asked last."""
        forgotten, self._forgotten = self._forgotten, []
        return self._ended(forgotten)

    def _forget_some(self) -> None:
        oldest = self._numbers.drop_oldest()
        if oldest is None:
            return
        self._forget(oldest)
        self._sets.forget(oldest)

    def finished(self) -> Iterator[ComObject]:
        """Each once, in the order in which they were first met."""
        seen: dict[str, ComObject] = {}
        for one in self._numbers.all():
            if hash(one.object_uid) not in self._told:
                seen.setdefault(one.object_uid, one)
        yield from self.forgotten()
        yield from self._ended(seen.values())

    def _ended(self, objects: Iterable[ComObject]) -> Iterator[ComObject]:
        for one in objects:
            if one.oxid is not None and (exporter := self._exporters.get(one.oxid)) is not None:
                # It may have been announced after its objects were handed out.
                self._place(one, exporter)
                one.elsewhere = False
            if self._pings.have_stopped(one):
                one.closed_by = "pinged_out"
            yield one
