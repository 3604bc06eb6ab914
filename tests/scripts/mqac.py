"""Calls of MSMQ's COM objects: `IMSMQQueue4.Receive`, by its own number or, on a connection for scripts, by Invoke.

The same line plays both: on a connection that speaks the interface it is the direct call, on one that speaks only
IDispatch its late-bound twin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.interfaces.mqac.members import by_operation
from decoders.ndr.model import InterfacePointer, Named, ObjrefBytes, Pointer
from decoders.oaut.building import bstr, variant
from decoders.oaut.names import VT
from decoders.registry import BY_NAME as REGISTERED
from tests.scripts.com import DISPATCH, OF_EVERY_CALL, argument, reference_to
from tests.scripts.com_parts import REFERENCE_NAMES
from tests.scripts.recipes import Recipe, World, fails
from tests.scripts.statements import Bare, ScriptError, Written
from tests.scripts.words import BY_NAME, handle, meaning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.interfaces.mqac.members import Member
    from decoders.ndr.model import Parameter
    from tests.scripts.stubs import Flat

LATE: Final = "IDispatch"
_ALWAYS_LATE: Final = frozenset(("_DMSMQEventEvents",))
"""A dispinterface has no numbers of its own."""
_LEFT_OUT: Final = variant(VT["VT_ERROR"], 0x8002_0004)
_DISP_E_EXCEPTION: Final = 0x8002_0009
_FLAGS: Final = {"method": 1, "get": 2, "put": 4, "putref": 8}
_PROPERTY_PUT: Final = -3
_HANDED: Final = {"public": 1}
"""A client that hands an object back keeps references of its own."""
_TRUTHS: Final = frozenset(("true", "false"))
RIGHT: Final = REFERENCE_NAMES | {"result", "status"}


def is_member(operation: str) -> bool:
    return "." in operation


def interface_named(operation: str) -> str:
    return operation.partition(".")[0]


def spoken_as(operation: str, spoken: Mapping[str, Any]) -> str | None:
    """Interface of a connection by which it may be called."""
    interface = interface_named(operation)
    return next((one for one in (interface, LATE) if one in spoken), None)


def member(operation: str) -> Member:
    interface, _, name = operation.partition(".")
    known = REGISTERED.get(interface)
    found = by_operation(known.uuid, name) if known is not None else None
    if found is None:
        raise ScriptError(f"{operation!r} is no member of MSMQ's objects")
    return found


def declaring(found: Member, operation: str) -> str:
    """Interface that declares it: the script's, or one that this is derived from."""
    name = interface_named(operation)
    while True:
        known = REGISTERED[name]
        if any(one is found.operation for one in _operations(name)):
            return name
        if not known.base:
            raise ScriptError(f"nobody declares {operation!r}")
        name = known.base


def _operations(name: str) -> tuple[Any, ...]:
    return BY_NAME[name].operations if name in BY_NAME else ()


def is_late(operation: str, interface: str) -> bool:
    return interface == LATE or interface_named(operation) in _ALWAYS_LATE


def values(operation: str, written: Mapping[str, Written], *, right: bool) -> Flat:
    """What a script says of arguments: of a VARIANT "text", a number, true, null or [vt, value]."""
    found = member(operation)
    parameters = {one.member.name: one for one in found.operation.parameters}
    beyond = RIGHT if right else OF_EVERY_CALL | REFERENCE_NAMES
    given: Flat = {}
    for name, value in written.items():
        if name in parameters and not right:
            given[name] = _value(parameters[name], name, value)
        elif name in beyond:
            given[name] = _variant_value(value) if name == "result" else meaning(name, value)
        else:
            raise ScriptError(f"{name!r} is nothing that {operation} has on this side")
    return given


def _kind(parameter: Parameter) -> str:
    declared = parameter.member.type
    while isinstance(declared, Pointer):
        declared = declared.to
    if isinstance(declared, InterfacePointer):
        return "object"
    return {"BSTR": "text", "VARIANT": "variant"}.get(declared.name if isinstance(declared, Named) else "", "number")


def _value(parameter: Parameter, name: str, value: Written) -> Any:  # noqa: ANN401
    kind = _kind(parameter)
    if kind == "object":
        return meaning("object", value)
    if kind == "variant":
        return _variant_value(value)
    return meaning(name, value)


def _variant_value(value: Written) -> Any:  # noqa: ANN401
    if isinstance(value, Bare) and value.text in _TRUTHS:
        return [VT["VT_BOOL"], -1 if value.text == "true" else 0]
    return meaning("rgvarg", (value,))[0]


def direct(operation: str) -> Recipe:
    found = member(operation)

    def request(given: Flat, world: World) -> Flat:
        flat = {**given, "object": given.get("object", handle("A"))}
        for one in found.operation.parameters:
            if not one.retval:
                flat[one.member.name] = _asked(one, given, world)
        return flat

    def response(given: Flat, _: Flat, world: World) -> Flat:
        flat = {**given}
        for one in found.operation.parameters:
            if one.retval:
                failed = fails(given) and _kind(one) != "number"
                flat[one.member.name] = None if failed else _answered(one, given, world)
        return flat

    return Recipe(request, response)


def _asked(one: Parameter, given: Flat, world: World) -> Any:  # noqa: ANN401
    value, kind = given.get(one.member.name), _kind(one)
    if kind == "object":
        return None if value is None else ObjrefBytes(reference_to(_iid(one), value, {**_HANDED, **given}, world))
    if kind == "text":
        return bstr(value)
    if kind == "variant":
        if one.member.name not in given and one.optional:
            return _LEFT_OUT
        return argument(value, {**_HANDED, **given}, world)
    return value or 0


def _answered(one: Parameter, given: Flat, world: World) -> Any:  # noqa: ANN401
    kind, value = _kind(one), given.get("result")
    if kind == "object":
        ipid = given["gives"][0] if given.get("gives") else None
        return None if ipid is None else ObjrefBytes(reference_to(_iid(one), ipid, given, world))
    if kind == "text":
        return bstr(value)
    if kind == "variant":
        if given.get("gives"):
            return variant(VT["VT_DISPATCH"], ObjrefBytes(reference_to(_IDISPATCH, given["gives"][0], given, world)))
        return argument(value, {}, world)
    return value[1] if isinstance(value, list) else value or 0


_IDISPATCH: Final = "00020400-0000-0000-c000-000000000046"


def _iid(one: Parameter) -> str:
    declared = one.member.type
    while isinstance(declared, Pointer):
        declared = declared.to
    return (declared.iid if isinstance(declared, InterfacePointer) else None) or _IDISPATCH


def late(operation: str) -> Recipe:
    """Arguments last one first; what is left out at their end is not sent."""
    found = member(operation)
    kind = str(found.automation.kind)
    parameters = [one for one in found.operation.parameters if not one.retval]
    invoke = DISPATCH["Invoke"]

    def request(given: Flat, world: World) -> Flat:
        sent = [place for place, one in enumerate(parameters) if one.member.name in given or not one.optional]
        last = max(sent, default=-1)
        arguments = [_late_value(one, given) for one in parameters[: last + 1]]
        more = {name: value for name, value in given.items() if name in OF_EVERY_CALL | REFERENCE_NAMES}
        dispid = found.automation.dispid
        signed = dispid - (1 << 32) if dispid >> 31 else dispid
        named = [_PROPERTY_PUT] if kind in ("put", "putref") else []
        asked = {"dispIdMember": signed, "dwFlags": _FLAGS[kind], "rgvarg": arguments[::-1], **_HANDED, **more}
        return invoke.request({**asked, "rgdispidNamedArgs": named}, world)

    def response(given: Flat, asked: Flat, world: World) -> Flat:
        told = {name: value for name, value in given.items() if name in REFERENCE_NAMES}
        if fails(given):
            code = given["return_value"]
            return invoke.response({"return_value": _DISP_E_EXCEPTION, "scode": code}, asked, world)
        if "gives" in told:
            told["gives"] = told["gives"][:1]
            if told["gives"] in ([], [None]):
                told.pop("gives")
        back = next((one for one in found.operation.parameters if one.retval), None)
        if "result" in given and back is not None:
            told["pVarResult"] = given["result"]
        return invoke.response(told, asked, world)

    return Recipe(request, response)


def _late_value(one: Parameter, given: Flat) -> Any:  # noqa: ANN401
    value = given.get(one.member.name)
    if one.member.name not in given and one.optional:
        return [VT["VT_ERROR"], 0x8002_0004]
    if _kind(one) == "object":
        return [VT["VT_DISPATCH"], value]
    return 0 if value is None and _kind(one) == "number" else value
