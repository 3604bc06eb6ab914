"""An object: its numbers and interfaces, who was handed it, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Final, TypeAlias

from decoders.dcom.classes import class_name, com_interface_name
from decoders.interfaces.mqac.members import class_of_interface
from pipelines.facts.model import BEGINNING
from pipelines.facts.reasons import Reason
from schemas.times import NO_TIME, micros, nanos

if TYPE_CHECKING:
    from pipelines.com.processes import Apartment
    from pipelines.facts.model import CallFact, Moment
    from schemas.tables.com_objects import ComObjectRow

MAX_INTERFACES: Final = 64
"""Told of an object."""
_MSMQ_INTERFACE: Final = "IMSMQ"
_OPEN: Final = "open_at_end"

Names: TypeAlias = dict[tuple[str, int, int | None], str]
"""Of members, by interface and DISPID; of their arguments, with that of the argument behind it."""


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
    named_here: bool = False
    """Somebody handed it on, and its reference names this host."""
    told_there: bool = False
    """The host that its reference names has a row for it."""
    met: bool = False
    """It was called here, or its references were counted here."""
    older: bool = False
    """It was handed on before anybody was seen to get it of this host."""
    crowded: bool = False
    """There were more."""
    pinged: bool = True
    """[MS-DCOM] 2.2.18.2: one with SORF_NOPING lives without."""
    home: Apartment | None = None
    """What exports it; None: not known."""
    there: Moment = BEGINNING
    """When it was last seen to be there: handed out, announced or answering."""
    closed_by: str = _OPEN
    """What ended it, of that which is done to an object by itself."""
    closed_at: Moment | None = None
    over_by: str | None = None
    """`call_uid` of the call that gave back the last reference."""
    names: Names = field(default_factory=dict)
    """Members by interface and DISPID, as this object or its description told them; behind it that of an argument."""
    given_over: str | None = None
    """IID by which its parent was called for it."""

    def touch(self, fact: CallFact) -> None:
        self.last_ts_ns = max(self.last_ts_ns, fact.until.ts_ns, fact.began.ts_ns)

    @property
    def end(self) -> str:
        return "exporter_replaced" if self.closed_by == _OPEN and self._gone is not None else self.closed_by

    @property
    def over(self) -> Moment | None:
        """When what ended it was done."""
        return self.closed_at or self._gone

    @property
    def _gone(self) -> Moment | None:
        gone = None if self.home is None else self.home.gone
        return gone if gone is not None and gone > self.there else None

    def ended(self, how: str, over: Moment) -> bool:
        """False: it had ended before."""
        if self.end != _OPEN:
            return False
        self.closed_by, self.closed_at = how, over
        return True

    def is_there(self, moment: Moment) -> None:
        """It was handed out or announced then, or answered."""
        self.closed_by, self.closed_at = _OPEN, None
        self.there = max(self.there, moment)

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
    def is_anothers(self) -> bool:
        """Whoever handed it on has nothing to tell of it."""
        return self.elsewhere and self.told_there and not self.met and self.of_class is None

    def begin(self, born: CallFact, parent: ComObject | None, client: str) -> None:
        """It was handed on before, and now somebody is seen to get it of its host."""
        self.born, self.given_by, self.parent, self.client, self.older = born, born.call_uid, parent, client, False

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
