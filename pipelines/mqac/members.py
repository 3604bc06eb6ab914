"""Members of MSMQ's classes, whichever way and by whichever revision of an interface they are called.

[MC-MQAC] 1.7: a revision adds members and takes away none. So a member is known by its class, its name and what is
done with it; `_v1` and `_v2` behind a name only make room for a later member of that name.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.dcom.classes import com_interface_name
from decoders.interfaces import INTERFACES
from decoders.oaut.names import VT
from decoders.registry import REGISTRY, Family
from pipelines.com.members import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from decoders.ndr.model import Operation
    from pipelines.com.called import Called
    from pipelines.facts.com import Argument, Kind

_REVISION: Final = re.compile(r"(?<=[a-z])[234]$")
_EARLIER: Final = re.compile(r"_v[12]$")
_OF_CLASS: Final = {"MSMQQueueManagement": "MSMQManagement", "MSMQOutgoingQueueManagement": "MSMQManagement"}
"""[MC-MQAC] 3.3.4.1.1: one object has these interfaces, whichever of its classes was activated."""
_LEFT_OUT: Final = VT["VT_ERROR"]
"""[MC-MQAC] 3.1.4.2: of an optional argument that the client does not give."""
_PROPERTY_PUT: Final = "DISPID_PROPERTYPUT"
_GENERIC: Final = {
    "ITransaction": "MSMQTransaction",
    "IConnectionPointContainer": "MSMQEvent",
    "IConnectionPoint": "ConnectionPoint",
}
"""Interfaces that objects of other makers have too, and what they are where an object of MSMQ's has them."""


class Member(NamedTuple):
    cls: str
    name: str
    kind: Kind


class _Declared(NamedTuple):
    member: Member
    endpoint: str
    """The first interface that has it."""
    parameters: tuple[str, ...]
    """Without the one that is returned."""
    returned: str | None


class Resolved(NamedTuple):
    """A call of an object of MSMQ's."""

    member: Member
    endpoint: str
    """The first revision of the interface that has the member: the same however it was called."""
    arguments: Mapping[str, Argument]
    """Of the request, by the name that the IDL has. Those left out are not there."""
    result: Argument | None
    """None: nothing, a null pointer, or it was not captured."""


def class_of(interface: str | None) -> str | None:
    """Of one of MSMQ's interfaces, of whichever revision."""
    if interface is None or not interface.startswith(("IMSMQ", "_DMSMQ")):
        return None
    name = _REVISION.sub("", interface.removeprefix("I"))
    return _OF_CLASS.get(name, name)


def class_named(name: str | None) -> str | None:
    """Of what an activation or an interface tells of an object."""
    return None if name is None or not name.startswith(("MSMQ", "_DMSMQ")) else _OF_CLASS.get(name, name)


def _declared() -> Iterator[tuple[str, Operation, _Declared]]:
    """Oldest revisions first, as the registry has them."""
    for uuid, one in REGISTRY.items():
        interface = INTERFACES.get(uuid)
        cls = class_of(one.name) if one.family is Family.MSMQ_COM else _GENERIC.get(one.name)
        if interface is None or cls is None:
            continue
        for operation in interface.operations:
            automation = operation.automation
            name = _EARLIER.sub("", automation.member if automation else operation.name)
            kind: Kind = automation.kind.value if automation else "method"
            back = next((one.member.name for one in operation.parameters if one.retval), None)
            names = tuple(one.member.name for one in operation.parameters if not one.retval)
            yield one.name, operation, _Declared(Member(cls, name, kind), interface.name, names, back)


class _Table:
    def __init__(self) -> None:
        self.by_operation: dict[tuple[str, str], _Declared] = {}
        """By interface and operation."""
        self.by_number: dict[tuple[str, int, str], _Declared | None] = {}
        """By class, DISPID and kind. None: interfaces of the class contradict each other."""
        self.by_name: dict[tuple[str, str, str], _Declared] = {}
        """By class, name in lower case, and kind."""
        first: dict[Member, str] = {}
        for interface, operation, one in _declared():
            endpoint = first.setdefault(one.member, one.endpoint)
            told = one._replace(endpoint=endpoint)
            self.by_operation[interface, operation.name] = told
            self.by_name[one.member.cls, one.member.name.lower(), one.member.kind] = told
            if operation.automation is not None:
                key = one.member.cls, operation.automation.dispid, one.member.kind
                known = self.by_number.setdefault(key, told)
                if known is not None and known.member != told.member:
                    self.by_number[key] = None


_TABLE: Final = _Table()
_KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "method": ("method", "get"),
    "get": ("get", "method"),
    "method_or_get": ("method", "get"),
    "put": ("put", "putref"),
    "putref": ("putref", "put"),
}
"""[MS-OAUT] 3.1.4.4: which members a client may mean. Script engines do not know whether a name is a property's, nor
whether an object is put by reference."""


def resolved(called: Called, cls: str | None) -> Resolved | None:
    """`cls`: of the object. None: it is none of MSMQ's, or nobody knows which member was called."""
    interface = com_interface_name(called.iid) if called.iid else None
    if called.com.invoked is not None:
        return _invoked(called, class_of(interface) or cls)
    found = _TABLE.by_operation.get((interface or "", called.call.operation or ""))
    if found is None or (interface in _GENERIC and found.member.cls != cls):
        return None
    arguments = {one.name: one for one in called.com.arguments if one.name is not None}
    result = arguments.get(found.returned) if found.returned else None
    asked = {name: one for name in found.parameters if (one := arguments.get(name)) is not None}
    return _made(found, asked, result)


def _invoked(called: Called, cls: str | None) -> Resolved | None:
    invoked = called.com.invoked
    kind = kind_of(invoked) if invoked is not None else None
    if invoked is None or cls is None or kind is None:
        return None
    found = None
    for one in _KINDS[kind]:
        if called.named is not None:
            found = _TABLE.by_name.get((cls, called.named.lower(), one))
        else:
            found = _TABLE.by_number.get((cls, invoked.dispid & 0xFFFF_FFFF, one))
        if found is not None:
            break
    if found is None:
        return None
    return _made(found, _in_order(found.parameters, called.com.arguments), called.com.returned)


def _in_order(names: Sequence[str], given: Sequence[Argument]) -> dict[str, Argument]:
    """[MS-OAUT] 3.1.4.4: those without a name in the order of the IDL, the named ones by number, counted from 0."""
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


def _made(found: _Declared, arguments: Mapping[str, Argument], result: Argument | None) -> Resolved:
    given = {name: one for name, one in arguments.items() if one.vt != _LEFT_OUT}
    empty = result is None or (result.value is None and result.number is None and result.reference is None)
    return Resolved(found.member, found.endpoint, given, None if empty else result)
