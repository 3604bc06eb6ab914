"""Calls of MSMQ's objects by what they mean, whichever revision of an interface they come by and however made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.interfaces.mqac.members import (
    Meaning,
    by_dispid,
    by_name,
    by_opnum,
    class_of_interface,
    interface_of_class,
)
from decoders.ndr.model import MemberKind
from decoders.oaut.names import VT
from decoders.registry import BY_NAME, REGISTRY, Family, lineage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from decoders.interfaces.mqac.members import Member
    from decoders.ndr.model import Operation
    from pipelines.com.object_calls import ObjectCall
    from pipelines.facts.com import Argument

_LEFT_OUT: Final = VT["VT_ERROR"]
"""[MC-MQAC] 3.1.4.2: of an optional argument that the client does not give."""
_PROPERTY_PUT: Final = "DISPID_PROPERTYPUT"
_GENERIC: Final = {
    "ITransaction": "MSMQTransaction",
    "IConnectionPointContainer": "MSMQEvent",
    "IConnectionPoint": "ConnectionPoint",
}
"""Interfaces that objects of other makers have too, and what they are where an object of MSMQ's has them."""
_ALSO: Final = {
    BY_NAME["IMSMQManagement"].uuid: (
        BY_NAME["IMSMQQueueManagement"].uuid,
        BY_NAME["IMSMQOutgoingQueueManagement"].uuid,
    )
}
"""[MC-MQAC] 3.4.3, 3.5.3: which members an object has besides its class's own depends on its queue."""


class Resolved(NamedTuple):
    """A call of an object of MSMQ's."""

    meaning: Meaning
    endpoint: str
    """Interface of the member, of the first revision: the same however it was called."""
    arguments: Mapping[str, Argument]
    """Of the request, by the name that the IDL has. Those left out are not there."""
    result: Argument | None
    """None: nothing, or it was not captured."""


def class_of(interface: str | None) -> str | None:
    """Of one of MSMQ's interfaces, of whichever revision."""
    known = interface is not None and interface.startswith(("IMSMQ", "_DMSMQ"))
    return class_of_interface(interface) if known and interface is not None else None


def resolved(called: ObjectCall, cls: str | None) -> Resolved | None:
    """`cls`: of the object. None: it is none of MSMQ's, or nobody knows which member was called."""
    known = REGISTRY.get(called.iid or "")
    own = known.uuid if known is not None and known.family is Family.MSMQ_COM else None
    if called.com.invoked is not None:
        found = _invoked(called, own or (interface_of_class(cls) if cls else None))
        return found and _resolved(found, _in_order(found.operation, called.com.arguments), called.com.returned)
    arguments = {one.name: one for one in called.com.arguments if one.name is not None}
    if own is not None:
        found = by_opnum(own, called.call.opnum) if called.call.opnum is not None else None
        back = _returned(found.operation) if found is not None else None
        asked = {name: one for name, one in arguments.items() if name != back}
        return found and _resolved(found, asked, arguments.get(back or ""))
    if known is None or cls is None or _GENERIC.get(known.name) != cls or called.call.operation is None:
        return None
    out = {name: one for name, one in arguments.items() if one.direction == "out"}
    asked = {name: one for name, one in arguments.items() if name not in out}
    meaning = Meaning(cls, called.call.operation, MemberKind.METHOD)
    return Resolved(meaning, known.name, asked, _something(next(iter(out.values()), None)))


def _invoked(called: ObjectCall, iid: str | None) -> Member | None:
    invoked = called.com.invoked
    if invoked is None or iid is None:
        return None
    if called.named is not None:
        own = by_name(iid, called.named, invoked.flags)
        more = (by_name(one, called.named, invoked.flags) for one in _ALSO.get(iid, ()))
        return own or next((one for one in more if one is not None), None)
    return by_dispid(iid, invoked.dispid & 0xFFFF_FFFF, invoked.flags)


def _in_order(operation: Operation, given: Sequence[Argument]) -> dict[str, Argument]:
    """[MS-OAUT] 3.1.4.4: those without a name in the order of the IDL, the named ones by number, counted from 0."""
    names = [one.member.name for one in operation.parameters if not one.retval]
    found: dict[str, Argument] = {}
    place = 0
    for one in given:
        at: Any = one.name
        if at is None:
            at, place = place, place + 1
        elif at == _PROPERTY_PUT:
            at = len(names) - 1
        elif at.isdecimal():
            at = int(at)
        else:
            continue
        if 0 <= at < len(names):
            found[names[at]] = one
    return found


def _returned(operation: Operation) -> str | None:
    return next((one.member.name for one in operation.parameters if one.retval), None)


def _resolved(found: Member, arguments: Mapping[str, Argument], result: Argument | None) -> Resolved:
    given = {name: one for name, one in arguments.items() if one.vt != _LEFT_OUT}
    return Resolved(found.meaning, _endpoint(found), given, _something(result))


def _endpoint(found: Member) -> str:
    """Of the class that declares the member."""
    name = f"I{found.meaning.object_class}"
    return name if lineage(name) != (name,) else "_DMSMQEventEvents"


def _something(result: Argument | None) -> Argument | None:
    empty = result is None or (result.value is None and result.number is None and result.reference is None)
    return None if empty else result
