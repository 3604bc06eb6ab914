"""Arguments of COM calls as text: of declared parameters, and of what Invoke carries."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.dcom.classes import com_interface_name
from decoders.dcom.objref import parse_objref
from decoders.limits import MAX_READABLE_CHARACTERS
from decoders.ndr.model import Array, Direction, InterfacePointer, Named, ObjrefBytes, Pointer, String
from decoders.oaut.texts import variant_text, variant_type, variant_value
from decoders.oaut.types import VARIANT_BOOL
from decoders.oaut.values import bstr_value
from pipelines.facts.com import Argument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from decoders.ndr.model import Operation, Type
    from pipelines.facts.com import Direction as Way

Raw = dict[str, Any]
MAX_ARGUMENTS: Final = 64
"""Of a call. No method of COM that is declared has half as many."""
_WAYS: Final[Mapping[Direction, Way]] = {
    Direction.IN: "in",
    Direction.OUT: "out",
    Direction.IN | Direction.OUT: "in_out",
}
_CUT: Final = "..."


def arguments_of(operation: Operation, asked: Raw, answered: Raw) -> tuple[Argument, ...]:
    """As declared. Of what goes both ways, the value that comes back."""
    return tuple(_declared(operation, asked, answered))[:MAX_ARGUMENTS]


def _declared(operation: Operation, asked: Raw, answered: Raw) -> Iterator[Argument]:
    for parameter in operation.parameters:
        if parameter.retval:
            continue
        member = parameter.member
        values = answered if Direction.OUT in parameter.direction else asked
        value = values.get(member.name)
        declared = type_name(member.type)
        kind = declared if operation.automation is None else _vartype(value) or declared
        yield Argument(member.name, _WAYS[parameter.direction], kind, _text(declared, value))


def returned(operation: Operation, answered: Raw) -> str | None:
    """What a script has as the result."""
    for parameter in operation.parameters:
        if parameter.retval:
            return _text(type_name(parameter.member.type), answered.get(parameter.member.name))
    return None


def _vartype(value: object) -> str | None:
    """Of a VARIANT."""
    match value:
        case {"vt": int(vt)}:
            return variant_type(vt)
    return None


def _text(declared: str, value: object) -> str | None:
    """A truth value is one by whichever call it comes."""
    if declared == VARIANT_BOOL.name and isinstance(value, int):
        return "true" if value else "false"
    return value_text(value)


def invoked_arguments(asked: Raw, answered: Raw) -> tuple[Argument, ...]:
    """[MS-OAUT] 2.2.33, 3.1.4.4: last one first, the named ones in front; those by reference stand elsewhere.

    Of too many the first ones. Those that were not captured have no type.
    """
    given = asked.get("pDispParams") or {}
    values = list(given.get("rgvarg") or ())
    count = max(len(values), given.get("cArgs") or 0)
    numbers = list(given.get("rgdispidNamedArgs") or ())
    changed = _by_reference(asked, asked.get("rgVarRef")), _by_reference(asked, answered.get("rgVarRef"))
    found = []
    for place in range(max(0, count - MAX_ARGUMENTS), count):
        name = _NAMED.get(numbers[place], str(numbers[place])) if place < len(numbers) else None
        value = values[place] if place < len(values) else None
        one = changed[1].get(place) or changed[0].get(place) or value
        way: Way = "in_out" if place in changed[0] else "in"
        vt = one.get("vt") if one else None
        found.append(Argument(name, way, "" if vt is None else variant_type(vt), result_of(one)))
    return tuple(reversed(found))


_NAMED: Final = {-3: "DISPID_PROPERTYPUT"}


def _by_reference(asked: Raw, values: object) -> dict[int, Raw]:
    places = asked.get("rgVarRefIdx") or ()
    return dict(zip(places, values, strict=False)) if isinstance(values, list) else {}


def result_of(variant: object) -> str | None:
    """None: nothing, or an empty VARIANT."""
    if not isinstance(variant, dict) or not variant.get("vt"):
        return None
    value = variant_value(variant)
    return reference_text(value) if isinstance(value, ObjrefBytes) else variant_text(variant)


def value_text(value: object) -> str | None:
    match value:
        case None:
            return None
        case bool() | int() | float():
            return str(value)
        case str():
            return _short(value)
        case ObjrefBytes():
            return reference_text(value)
        case bytes():
            return _short(value[:MAX_READABLE_CHARACTERS].hex())
        case {"vt": int()}:
            return result_of(value)
        case {"cBytes": int(), "asData": _}:
            return bstr_value(value)
        case {"abData": bytes(data)}:
            return reference_text(data)
        case list():
            return _short(", ".join(value_text(one) or "null" for one in value[:MAX_ARGUMENTS]))
        case dict():
            some = list(value.items())[:MAX_ARGUMENTS]
            return _short(", ".join(f"{name} {text}" for name, one in some if (text := value_text(one)) is not None))
    return None


def reference_text(data: bytes) -> str:
    found = parse_objref(data)
    if found.iid is None:
        return f"{len(data)} bytes that are no object reference"
    name = com_interface_name(found.iid) or found.iid
    return f"{name} {found.std.ipid}" if found.std else f"{name} by value"


def type_name(declared: Type) -> str:
    """As the IDL writes it, without what pointers and arrays stand around it."""
    while isinstance(declared, Pointer | Array):
        declared = declared.to if isinstance(declared, Pointer) else declared.of
    if isinstance(declared, String):
        return "string"
    if isinstance(declared, InterfacePointer):
        return declared.name
    return declared.name if isinstance(declared, Named) or hasattr(declared, "name") else ""


def _short(text: str) -> str:
    return text if len(text) <= MAX_READABLE_CHARACTERS else text[: MAX_READABLE_CHARACTERS - len(_CUT)] + _CUT
