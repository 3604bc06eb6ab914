"""Members of MSMQ's objects: `IMSMQQueueInfo4.Open object=A Access=1` by opnum, and `IDispatch.` in front by Invoke."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.ndr.model import Direction, InterfacePointer, MemberKind, Named, ObjrefBytes, Pointer
from decoders.oaut.building import bstr, variant
from decoders.oaut.names import VT
from decoders.registry import lineage
from tests.scripts.activation import THIS
from tests.scripts.com import DISPATCH, OF_EVERY_CALL, argument, reference
from tests.scripts.com_parts import REFERENCE_NAMES
from tests.scripts.recipes import Recipe, World, fails
from tests.scripts.statements import ScriptError
from tests.scripts.words import BY_NAME, handle

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Automation, Member, Operation, Type
    from tests.scripts.stubs import Flat

_LATE: Final = "IDispatch."
_LEFT_OUT: Final = [VT["VT_ERROR"], 0x8002_0004]
"""DISP_E_PARAMNOTFOUND: [MC-MQAC] 3.1.4.2."""
_EXCEPTION: Final = 0x8002_0009
_NAMED_PUT: Final = -3
_FLAGS: Final = {MemberKind.METHOD: 1, MemberKind.GET: 2, MemberKind.PUT: 4, MemberKind.PUTREF: 8}
_BSTR, _VARIANT = Named("BSTR"), Named("VARIANT")
_TYPES: Final = {"VARIANT_BOOL": "VT_BOOL", "short": "VT_I2"}
"""What a number is in a VARIANT, if not VT_I4."""
_INVOKED: Final = OF_EVERY_CALL | (REFERENCE_NAMES - {"gives"}) | {"dwFlags", "lcid", "dispIdMember"}


class Way(NamedTuple):
    """How a call is made: the operation that is on the wire, and what a script says of it."""

    interface: str
    name: str
    declared: Mapping[Direction, Mapping[str, Type]]
    recipe: Recipe
    speaks: str
    """Interface that the connection needs."""


def is_member(operation: str) -> bool:
    return "." in operation


@cache
def way_of(operation: str) -> Way:
    late = operation.startswith(_LATE)
    interface, _, name = operation.removeprefix(_LATE).partition(".")
    declaring, found = _found(interface, name)
    declared = {direction: _declared(found, direction) for direction in (Direction.IN, Direction.OUT)}
    if late:
        return Way("IDispatch", "Invoke", declared, _late(found), "IDispatch")
    return Way(declaring, name, declared, _direct(found), interface)


def _found(interface: str, name: str) -> tuple[str, Operation]:
    for one in lineage(interface) if interface in BY_NAME else ():
        for operation in BY_NAME[one].operations if one in BY_NAME else ():
            if operation.name == name:
                return one, operation
    raise ScriptError(f"{interface!r} has no {name!r}")


def members_of(interface: str) -> list[Automation]:
    """With those of its bases."""
    known = (BY_NAME[one].operations for one in lineage(interface) if one in BY_NAME)
    return [one.automation for operations in known for one in operations if one.automation is not None]


def _declared(operation: Operation, direction: Direction) -> dict[str, Type]:
    found = {member.name: _pointed_at(member.type) for member in operation.on_the_wire(direction)}
    return {name: declared for name, declared in found.items() if name}


def _pointed_at(declared: Type) -> Type:
    return declared.to if isinstance(declared, Pointer) else declared


def _direct(operation: Operation) -> Recipe:
    taken, given_back = (operation.on_the_wire(one) for one in (Direction.IN, Direction.OUT))

    def request(given: Flat, world: World) -> Flat:
        values = {one.name: _encoded(one, given, world) for one in taken}
        return {**THIS, "object": handle("A"), **given, **values}

    def response(given: Flat, asked: Flat, world: World) -> Flat:
        values = {one.name: _answered(one, given, world) for one in given_back if one.name != "return_value"}
        return {**asked, **given, **values}

    left = OF_EVERY_CALL | (REFERENCE_NAMES - {"gives"})
    return Recipe(request, response, left=left, right=REFERENCE_NAMES)


def _encoded(member: Member, given: Flat, world: World) -> Any:  # noqa: ANN401
    declared, name = _pointed_at(member.type), member.name
    match declared:
        case InterfacePointer():
            ipid = given.get(name)
            return None if ipid is None else ObjrefBytes(reference(declared.iid or "", ipid, given, world))
        case Named("BSTR"):
            return bstr(given.get(name, ""))
        case Named("VARIANT"):
            return argument(given.get(name, _LEFT_OUT), given, world)
    return given.get(name, 0)


def _answered(member: Member, given: Flat, world: World) -> Any:  # noqa: ANN401
    declared = _pointed_at(member.type)
    if isinstance(declared, InterfacePointer):
        ipid = None if fails(given) else next(iter(given.get("gives") or ()), None)
        return None if ipid is None else ObjrefBytes(reference(declared.iid or "", ipid, given, world))
    if declared == _VARIANT and member.name not in given:
        return variant(VT["VT_EMPTY"])
    return _encoded(member, given, world)


def _late(operation: Operation) -> Recipe:
    """[MS-OAUT] 3.1.4.4: the last argument first; what is left out at the end is not there at all."""
    automation = operation.automation
    if automation is None:
        raise ScriptError(f"{operation.name!r} is not for scripts")
    taken = [one.member for one in operation.parameters if not one.retval]
    result = next((one.member for one in operation.parameters if one.retval), None)
    invoke = DISPATCH["Invoke"]
    puts = automation.kind in (MemberKind.PUT, MemberKind.PUTREF)

    def request(given: Flat, world: World) -> Flat:
        written = [_written(one, given) for one in taken]
        while written and written[-1] == _LEFT_OUT:
            written.pop()
        call = {"dispIdMember": automation.dispid, "dwFlags": _FLAGS[automation.kind], "rgvarg": written[::-1]}
        named = {"rgdispidNamedArgs": [_NAMED_PUT]} if puts else {}
        return invoke.request({**call, **named, **given}, world)

    def response(given: Flat, asked: Flat, world: World) -> Flat:
        told = dict(given)
        if fails(given):
            told |= {"scode": given["return_value"], "return_value": _EXCEPTION, "wCode": 0}
        elif result is not None and "gives" not in given:
            told["pVarResult"] = _written(result, given, [VT["VT_EMPTY"], None])
        return invoke.response(told, asked, world)

    return Recipe(request, response, left=_INVOKED, right=REFERENCE_NAMES)


def _written(member: Member, given: Flat, otherwise: Any = _LEFT_OUT) -> Any:  # noqa: ANN401
    """As `argument` takes it."""
    declared, name = _pointed_at(member.type), member.name
    match declared:
        case InterfacePointer():
            return [VT["VT_DISPATCH"], given.get(name)]
        case Named("BSTR"):
            return [VT["VT_BSTR"], given.get(name, "")]
        case Named("VARIANT"):
            return given.get(name, otherwise)
    kind = _TYPES.get(getattr(declared, "name", ""), "VT_I4")
    return [VT[kind], given.get(name, 0)]
