"""Objects of one server: who handed them out, which interfaces they have, and who gave them back."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from msgspec.structs import replace

from decoders.dcom.classes import class_name, com_interface_name
from decoders.dcom.objref import NO_PING
from decoders.interfaces.mqac.members import class_of_interface
from decoders.registry import REMOTE_UNKNOWN
from pipelines.com.answers import done, reached
from pipelines.com.numbers import MAX_OBJECTS, Numbers
from pipelines.com.pings import Pings
from pipelines.facts.reasons import Reason
from pipelines.sessions.memory import Recent
from schemas.times import NO_TIME, micros, nanos
from schemas.uids import derived_uid

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pipelines.com.sight import Pairs
    from pipelines.facts.com import Exporter, Reference
    from pipelines.facts.model import CallFact, Moment
    from schemas.tables.com_objects import ComObjectRow

MAX_INTERFACES: Final = 64
"""Told of an object."""
MAX_EXPORTERS: Final = 10_000
MAX_HOLDERS: Final = 64
"""Clients of one object told apart. Of one with more nobody says that all have let go."""
_MSMQ_INTERFACE: Final = "IMSMQ"


Names: TypeAlias = dict[tuple[str, int, int | None], str]


@dataclass(slots=True, eq=False)
class ComObject:
    server: str
    object_uid: str
    oxid: int | None
    oid: int | None
    born: CallFact
    """Its first call or reference, without its values."""
    given_by: str | None
    parent: ComObject | None
    client: str
    dealt: int = 0
    """Which process it is that has the OXID."""
    clsid: str | None = None
    of_class: str | None = None
    """What the member that handed it out gives: a script has its IDispatch only."""
    port: int | None = None
    runs_as: str | None = None
    interfaces: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    """By IPID: IID, and the call that handed it out."""
    last_ts_ns: int = NO_TIME
    calls: int = 0
    given: int = 0
    returned: int = 0
    left: int = 0
    """Public references that nobody gave back. More than were given of an interface say nothing of the others."""
    left_of: dict[str, int] = field(default_factory=dict)
    """The same by IPID."""
    overdrawn: bool = False
    """More were given back of an interface than were seen to be given: somebody got some out of sight."""
    passed: int = 0
    """How often its host handed it out in a call of its own, to an object of a client's."""
    private: int = 0
    """References that were asked for apart: [MS-DCOM] 3.1.1.5.6.1.2."""
    holders: set[str] = field(default_factory=set)
    """Clients that were handed it or reached it, and did not take it out of their ping sets."""
    elsewhere: bool = False
    """[MS-DCOM] 3.1.1.5.2, 3.2.4.3: who handed it out has it of a third, by what its reference says. Only that one's
    own resolver can say otherwise, as behind an address that is not known there."""
    older: bool = False
    """It was handed on before anybody was seen to get it of this host."""
    crowded: bool = False
    """There were more."""
    pinged: bool = True
    """[MS-DCOM] 2.2.18.2: one with SORF_NOPING lives without."""
    end: str = "open_at_end"
    over: Moment | None = None
    """When what ended it was done."""
    over_by: str | None = None
    """`call_uid` of the call that gave back the last reference."""
    names: Names = field(default_factory=dict)
    """Members by interface and DISPID, as this object or its description told them; behind it that of an argument."""
    given_over: str | None = None
    """IID by which its parent was called for it."""

    def touch(self, fact: CallFact) -> None:
        self.last_ts_ns = max(self.last_ts_ns, fact.until.ts_ns, fact.began.ts_ns)

    def ended(self, how: str, over: Moment) -> bool:
        """False: it had ended before."""
        if self.end != "open_at_end":
            return False
        self.end, self.over = how, over
        return True

    def add(self, ipid: str, public: int, private: int = 0) -> None:
        self.given += public
        self.left += public
        self.left_of[ipid] = self.left_of.get(ipid, 0) + public
        self.private += private

    def take(self, ipid: str, public: int, private: int) -> bool:
        """True: that was the last of all references that were seen."""
        back = min(public, self.left_of.get(ipid, 0))
        self.overdrawn |= public > back
        self.returned += public
        self.left -= back
        self.left_of[ipid] = self.left_of.get(ipid, 0) - back
        self.private = max(0, self.private - private)
        return self.given > 0 and not self.left and not self.private

    @property
    def doubt(self) -> Reason | None:
        """Its birth was not captured: what was done with it before is not known, nor where it is."""
        return Reason.OPEN_NOT_SEEN if self.given_by is None or self.elsewhere or self.older else None

    @property
    def named_class(self) -> str | None:
        return class_name(self.clsid) if self.clsid else self._class_by_interface() or self.of_class

    def _class_by_interface(self) -> str | None:
        """[MC-MQAC] 1.3: each interface of MSMQ belongs to one class, whatever its revision."""
        names = (com_interface_name(iid) for iid, _ in islice(self.interfaces.values(), MAX_INTERFACES))
        found = (name for name in names if name is not None and name.startswith(_MSMQ_INTERFACE))
        return next((class_of_interface(name) for name in found), None)

    def row(self) -> ComObjectRow:
        fact, clsid = self.born, self.clsid
        # Of a server that a client hands an object to, the call does not tell the account.
        asked = fact.client == self.client
        return {
            "object_uid": self.object_uid,
            "oxid": None if self.oxid is None else f"{self.oxid:016x}",
            "oid": None if self.oid is None else f"{self.oid:016x}",
            "class": self.named_class,
            "clsid": clsid,
            "exporter": {"host": self.server, "port": self.port},
            "runs_as": self.runs_as,
            "interfaces": [
                {"ipid": ipid, "iid": iid, "interface": com_interface_name(iid), "given_by": given_by}
                for ipid, (iid, given_by) in list(self.interfaces.items())[:MAX_INTERFACES]
            ],
            "given_by": self.given_by,
            "parent_object_uid": self.parent.object_uid if self.parent else None,
            "client": self.client,
            "username": fact.username if asked else None,
            "domain": fact.domain if asked else None,
            "ts": micros(fact.began.ts_ns),
            "ts_ns": nanos(fact.began.ts_ns),
            "last_ts": micros(max(self.last_ts_ns, fact.began.ts_ns)),
            "calls_made": self.calls,
            "references_given": self.given,
            "references_returned": self.returned,
            "end": self.end,
            "doubt": self.doubt,
            "capture_id": fact.capture_id,
        }


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
        self._at_port: dict[int, int] = {}
        """The last OXID that was announced at a port."""
        self._open_of_exporter: dict[int, dict[str, ComObject]] = {}
        self._held_by: dict[tuple[str, int], dict[str, ComObject]] = {}
        """By OXID, and by client and OID, then by id: those that may still be open. What ends some takes their entry
        away, so that no number of announcements and pings makes us look at an object more often than it was reached."""
        self._handed: Recent[str, tuple[Reference, CallFact]] = Recent(MAX_OBJECTS)
        """By IPID: references that others handed on, of objects that were not met here yet."""
        self._forgotten: list[ComObject] = []
        """Those that nothing leads to any more, until they are told."""
        self._told: set[int] = set()
        """Their ids, hashed: whatever bears the same numbers later is another row."""
        self._kept: dict[int, set[str]] = {}
        """By OID, of objects that nobody was seen to get yet: clients that keep it alive."""

    def announce(self, exporter: Exporter, fact: CallFact) -> None:
        """[MS-DCOM] 3.1.1.5.1: an OXID is one process; another one at its port means that it is gone."""
        if len(self._exporters) >= MAX_EXPORTERS and exporter.oxid not in self._exporters:
            return
        known = self._exporters.get(exporter.oxid)
        if known is not None and known.remote_unknown != exporter.remote_unknown:
            # Each process has one Remote Unknown: the number came to another.
            self._replaced(exporter.oxid, fact)
            self._numbers.deal_again(exporter.oxid)
            known = None
        if known is None or known.principal is None:
            self._exporters[exporter.oxid] = exporter
        for _, port in exporter.bindings:
            before = self._at_port.get(port)
            if before is not None and before != exporter.oxid:
                self._replaced(before, fact)
            self._at_port[port] = exporter.oxid
        self._remote_unknown(exporter, fact)

    def _replaced(self, oxid: int, fact: CallFact) -> None:
        for one in self._open_of_exporter.pop(oxid, {}).values():
            one.ended("exporter_replaced", fact.until)

    def _remote_unknown(self, exporter: Exporter, fact: CallFact) -> None:
        """The object by which references of a process are counted. It has no number of its own."""
        one = self._numbers.of_ipid(exporter.remote_unknown)
        if one is None or one.oxid not in (None, exporter.oxid):
            uid = self._uid(f"{exporter.oxid:016x}|{exporter.remote_unknown}", fact)
            one = ComObject(self._server, uid, exporter.oxid, None, _kept(fact), fact.call_uid, None, fact.client)
        one.oxid = exporter.oxid
        one.interfaces.setdefault(exporter.remote_unknown, (REMOTE_UNKNOWN, fact.call_uid))
        self._place(one, exporter)
        self._lead(exporter.remote_unknown, one)
        self._reopen(one)
        self._forget_some()

    def _reopen(self, one: ComObject) -> None:
        """Handed out, announced or answering: it is there."""
        one.end = "open_at_end"
        if one.oxid is not None:
            self._open_of_exporter.setdefault(one.oxid, {})[one.object_uid] = one

    def _hold(self, one: ComObject, *clients: str) -> None:
        for client in clients:
            if len(one.holders) >= MAX_HOLDERS and client not in one.holders:
                one.crowded = True
                continue
            one.holders.add(client)
            if one.oid is not None:
                self._held_by.setdefault((client, one.oid), {})[one.object_uid] = one

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
        one.clsid = one.clsid or clsid or reference.clsid
        one.of_class = one.of_class or of_class
        one.interfaces.setdefault(reference.ipid, (reference.iid, fact.call_uid))
        one.add(reference.ipid, reference.public_refs)
        if reference.resolvers and self._server not in reference.resolvers and reference.oxid not in self._exporters:
            one.elsewhere = True
        one.pinged &= not reference.flags & NO_PING
        one.touch(fact)
        self._reopen(one)
        self._hold(one, _receiver(reference, fact))
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
        if one is None:
            self._handed.put(reference.ipid, (reference, _kept(fact)))
            return
        if self._numbers.of_ipid(reference.ipid) is None:
            # Whoever hands it on got this interface out of sight.
            one.interfaces.setdefault(reference.ipid, (reference.iid, fact.call_uid))
            self._lead(reference.ipid, one)
        self._hold(one, _receiver(reference, fact))
        one.touch(fact)

    def _met(self, ipid: str) -> ComObject | None:
        """One that was handed on among others before it was called here: when it was made is not known."""
        reference, fact = self._handed.get(ipid) or (None, None)
        if reference is None or fact is None:
            return None
        self._handed.drop(ipid)
        one = self._numbers.of_reference(reference)
        if one is None:
            one = self._new(reference, fact, None)
            self._number(one, reference)
            one.older = True
        one.interfaces.setdefault(ipid, (reference.iid, fact.call_uid))
        self._lead(ipid, one)
        self._hold(one, _receiver(reference, fact))
        return one

    def _number(self, one: ComObject, reference: Reference) -> None:
        self._numbers.number(one, reference.oxid, reference.oid)
        self._hold(one, *self._kept.pop(reference.oid, ()))
        self._forget_some()

    def _new(self, reference: Reference, fact: CallFact, parent: ComObject | None) -> ComObject:
        dealt = self._numbers.dealt(reference.oxid)
        uid = self._uid(f"{reference.oxid:016x}|{reference.oid:016x}{f'|{dealt}' if dealt else ''}", fact)
        numbers, client = (reference.oxid, reference.oid), _receiver(reference, fact)
        one = ComObject(self._server, uid, *numbers, _kept(fact), fact.call_uid, parent, client)
        one.given_over = fact.com.iid if fact.com else None
        return one

    def _adopted(self, reference: Reference) -> ComObject | None:
        """One that was called before its reference was seen, when another copy of that comes."""
        one = self._numbers.of_ipid(reference.ipid)
        if one is None or one.oid is not None:
            return None
        one.oxid, one.oid = reference.oxid, reference.oid
        self._hold(one, *one.holders)
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
        one.port = fact.ends.resp_p
        one.calls += 1
        one.touch(fact)
        if reached(fact):
            self._hold(one, fact.client)
            if one.end == "exporter_replaced" or (one.over is not None and fact.began > one.over):
                # Apartments of one process have an OXID each and share its port. Others may hold references that
                # somebody handed them out of sight.
                self._reopen(one)
        return one

    @staticmethod
    def interface_of(one: ComObject, ipid: str | None) -> str | None:
        """Which interface an IPID is of: as its reference or another call says."""
        known = one.interfaces.get(ipid or "")
        return known[0] if known else None

    def find(self, ipid: str, port: int | None = None) -> ComObject | None:
        """`port`: where it is called; processes of one host may have the same numbers."""
        return self._numbers.of_ipid(ipid, port) or self._met(ipid)

    def take_back(self, ipid: str, public: int, private: int, fact: CallFact) -> None:
        """[MS-DCOM] 3.1.1.5.6.1.3: with the last reference of its last interface the object is gone."""
        one = self.find(ipid, fact.ends.resp_p)
        if one is None:
            return
        one.touch(fact)
        if done(fact) and one.take(ipid, public, private):
            one.end, one.over, one.over_by = "released", fact.until, fact.call_uid

    def seen(self, fact: CallFact, *, of_resolver: bool) -> None:
        self._pings.seen(fact, of_resolver=of_resolver)

    def pinged(self, fact: CallFact) -> None:
        self._pings.pinged(fact)

    def keep(self, oid: int, fact: CallFact) -> None:
        """[MS-DCOM] 3.1.2.5.1.3: who has it in a ping set holds it, however that came to be."""
        if (one := self._numbers.of_oid(oid)) is not None:
            self._hold(one, fact.client)
        elif oid in self._kept or len(self._kept) < MAX_OBJECTS:
            self._kept.setdefault(oid, set()).add(fact.client)

    def unping(self, oid: int, fact: CallFact) -> None:
        """[MS-DCOM] 3.1.2.5.1.3: no longer in the client's ping set. It is gone when it is in nobody's."""
        self._kept.get(oid, set()).discard(fact.client)
        for one in self._held_by.pop((fact.client, oid), {}).values():
            one.holders.discard(fact.client)
            if not (one.holders or one.crowded) and one.ended("unpinged", fact.until):
                one.touch(fact)

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
        if oldest.oxid is not None:
            self._open_of_exporter.get(oldest.oxid, {}).pop(oldest.object_uid, None)
        if oldest.oid is not None:
            for client in oldest.holders:
                self._held_by.get((client, oldest.oid), {}).pop(oldest.object_uid, None)

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
                one.end = "pinged_out"
            yield one
