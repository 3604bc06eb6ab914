"""What was done to an object, however it was said: a call of MSMQ's objects by Invoke tells what its direct twin does.

`called` gives it of one call. `meaning` is what revisions and ways of calling have in common, see
`decoders.interfaces.mqac.members`; None of objects of other classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from decoders.interfaces.mqac.enumerations import value_name
from decoders.interfaces.mqac.members import (
    by_dispid,
    by_name,
    by_operation,
    class_of_interface,
    interface_of_class,
)
from decoders.ndr.model import InterfacePointer, MemberKind, Pointer
from decoders.oaut.names import VT
from decoders.oaut.types import IID_IDISPATCH
from pipelines.calls.com_arguments import type_name
from pipelines.com.members import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from decoders.interfaces.mqac.members import Meaning, Member
    from decoders.ndr.model import Parameter
    from pipelines.com.com_object import ComObject
    from pipelines.facts.com import Argument, Com, Direction, Invoked, Kind
    from pipelines.facts.model import CallFact

_VARIANT: Final = "VARIANT"
NULL: Final = "null"
"""Text of a null pointer in a VARIANT."""
_OBJECTS: Final = frozenset((VT["VT_UNKNOWN"], VT["VT_DISPATCH"]))
_BY_REFERENCE: Final = "VT_BYREF|"
_LEFT_OUT: Final = ("VT_ERROR", "0x80020004")
"""DISP_E_PARAMNOTFOUND: [MS-OAUT] 3.1.4.4.3."""
_VALUE: Final = "DISPID_PROPERTYPUT"
_SENT_AS: Final[Mapping[str, tuple[str, ...]]] = {
    _VARIANT: (),
    "BSTR": ("VT_BSTR",),
    "VARIANT_BOOL": ("VT_BOOL",),
    "short": ("VT_I2",),
    "long": ("VT_I4",),
    "HRESULT": ("VT_ERROR", "VT_HRESULT"),
}
"""[MS-OAUT] 2.2.7: types of a declaration, and of VARIANTs that carry their values as they are."""
_OF_INTERFACES: Final = ("VT_DISPATCH", "VT_UNKNOWN")
_KINDS: Final[Mapping[MemberKind, Kind]] = {
    MemberKind.METHOD: "method",
    MemberKind.GET: "get",
    MemberKind.PUT: "put",
    MemberKind.PUTREF: "putref",
}


class Said(NamedTuple):
    """An argument."""

    name: str | None
    direction: Direction
    type: str
    value: str | None
    value_name: str | None = None
    """Of a number of an enumeration."""
    given: Argument | None = None
    """All that is kept of it; None where the client left it out."""


class Called(NamedTuple):
    member: str | None
    """As this revision has it, else as the wire named it."""
    kind: Kind | None
    arguments: tuple[Said, ...]
    result: str | None
    result_name: str | None = None
    meaning: Meaning | None = None
    gives: str | None = None
    """Class of the object that it results in."""


def called(
    fact: CallFact, com: Com, iid: str | None, one: ComObject, told: Callable[[int, int | None], str | None]
) -> Called:
    """`iid`: of the interface that it is made on. `told`: what the wire told of a DISPID, and of an argument's."""
    if com.invoked is None:
        found = by_operation(iid, fact.operation) if iid and fact.operation else None
        if found is None:
            arguments = tuple(Said(one.name, one.direction, one.type, one.value) for one in com.arguments)
            return Called(fact.operation, "method" if fact.operation else None, arguments, com.result)
        return _known(fact, found, tuple(_direct(found, com.arguments)), com.result)
    named = told(com.invoked.dispid, None)
    found = _invoked(com.invoked, iid, one, named)
    if found is None:
        arguments = tuple(Said(one.name, one.direction, one.type, one.value) for one in com.arguments)
        return Called(named, kind_of(com.invoked), arguments, com.result)
    dispid = com.invoked.dispid
    given, more = _placed(found, com.arguments, lambda one: told(dispid, one))
    matched = [
        _said(parameter, given.get(place), cut=com.invoked.cut) for place, parameter in enumerate(_parameters(found))
    ]
    return _known(fact, found, (*matched, *more), com.result)


def _known(fact: CallFact, found: Member, arguments: tuple[Said, ...], result: str | None) -> Called:
    given = next((one for one in found.operation.parameters if one.retval), None)
    if any(one.member.payload for one in found.operation.parameters):
        shown = _content(fact, found.operation.parameters[0])
        arguments = tuple(one._replace(value=shown) for one in arguments)
        result = None if given is None else shown
    return Called(
        found.automation.member,
        _KINDS[found.automation.kind],
        arguments,
        result,
        None if given is None else _name(given, result),
        found.meaning,
        None if given is None else _class_given(given),
    )


def _content(fact: CallFact, parameter: Parameter) -> str | None:
    """A message's body: its size and hash, whichever way it went."""
    asked, answered = fact.request or {}, fact.response or {}
    values: tuple[object, ...] = (asked.get(parameter.member.name), answered.get(parameter.member.name))
    if "dispIdMember" in asked:
        given = (asked.get("pDispParams") or {}).get("rgvarg") or ()
        values = (answered.get("pVarResult"),) if parameter.retval else tuple(given[:1])
    for one in values:
        match one:
            case {"size": int(size), "sha256": sha256}:
                return f"{size} bytes" if sha256 is None else f"{size} bytes, SHA-256 {sha256}"
    return None


def _class_given(parameter: Parameter) -> str | None:
    declared = parameter.member.type
    while isinstance(declared, Pointer):
        declared = declared.to
    given = class_of_interface(declared.name) if isinstance(declared, InterfacePointer) else ""
    return given if interface_of_class(given) else None


def _invoked(invoked: Invoked, iid: str | None, one: ComObject, named: str | None) -> Member | None:
    """What the wire told of a number goes before what the type library has."""
    target = iid or ""
    if iid == IID_IDISPATCH and (object_class := one.named_class) is not None:
        target = interface_of_class(object_class) or iid
    if named is not None:
        return by_name(target, named, invoked.flags)
    return by_dispid(target, invoked.dispid, invoked.flags)


def _direct(found: Member, arguments: Sequence[Argument]) -> Iterator[Said]:
    given = {one.name: one for one in arguments}
    for parameter in _parameters(found):
        yield _said(parameter, given.get(parameter.member.name))


def _placed(
    found: Member, arguments: Sequence[Argument], told: Callable[[int], str | None]
) -> tuple[dict[int, Argument], list[Said]]:
    """[MS-OAUT] 3.1.4.4: positions first; a name is a number here, by 3.1.4.3 mostly the parameter's place.

    Behind them those that no parameter is there for.
    """
    parameters = _parameters(found)
    places = {parameter.member.name.lower(): place for place, parameter in enumerate(parameters)}
    given: dict[int, Argument] = {}
    more: list[Said] = []
    for position, one in enumerate(arguments):
        place = position if one.name is None else _place(one.name, places, told)
        if 0 <= place < len(parameters) and place not in given:
            given[place] = one
        else:
            more.append(Said(None, one.direction, one.type, one.value))
    return given, more


def _place(number: str, places: Mapping[str, int], told: Callable[[int], str | None]) -> int:
    if number == _VALUE:
        return len(places) - 1
    name = told(int(number))
    return int(number) if name is None else places.get(name.lower(), -1)


def _parameters(found: Member) -> list[Parameter]:
    return [one for one in found.operation.parameters if not one.retval]


def _said(parameter: Parameter, one: Argument | None, *, cut: bool = False) -> Said:
    """What a client leaves out is VT_ERROR without a value; what was not captured has no value either."""
    name, declared = parameter.member.name, type_name(parameter.member.type)
    if one is None and cut:
        return Said(name, "in", declared, None)
    if one is None or (parameter.optional and (one.type, one.value) == _LEFT_OUT):
        return Said(name, "in", _LEFT_OUT[0] if declared == _VARIANT else declared, None)
    # A null pointer has no text by the member's own number: by Invoke it is a VARIANT, which says so.
    is_null = declared != _VARIANT and one.vt in _OBJECTS and one.reference is None and one.value == NULL
    value = None if is_null else one.value
    return Said(name, "in", _kind(declared, one.type), value, _name(parameter, value), one)


def _kind(declared: str, carried: str) -> str:
    """What the wire carried: as declared where that is how it is sent, else the type that it came with.

    [MS-OAUT] 3.1.4.4.4: a server looks through references, and converts what it is given to what was declared.
    """
    carried = carried.removeprefix(_BY_REFERENCE)
    as_declared = carried in _SENT_AS.get(declared, _OF_INTERFACES)
    return declared if as_declared or not carried else carried


def _name(parameter: Parameter, value: str | None) -> str | None:
    if parameter.values is None or value is None or not value.lstrip("-").isdecimal():
        return None
    return value_name(parameter.values, int(value))
