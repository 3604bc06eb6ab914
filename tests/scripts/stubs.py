"""Values without their structures to stubs, conforming or not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from decoders.ndr.encoder import encode
from decoders.ndr.model import Arm, Array, Enum, Named, Pointer, PointerKind, Scalar, Struct, Syntax, Union
from tests.scripts.statements import ScriptError
from tests.scripts.words import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Direction, Member, Operation, Type

Flat = dict[str, Any]
"""Parameters and members of their structures, side by side."""


def stub(interface: str, name: str, direction: Direction, flat: Flat, syntax: str) -> bytes:
    operation, types = _lenient(interface, name)
    # The sizes that arrays of an answer have by the request.
    values = flat | built(interface, name, direction, flat)
    return encode(operation, direction, values, types, Syntax(syntax), "<", fill=0xCD)


def built(interface: str, name: str, direction: Direction, flat: Flat) -> Flat:
    """With their structures around them."""
    operation, _ = _lenient(interface, name)
    return {member.name: _built(member, flat) for member in operation.on_the_wire(direction)}


@cache
def declared_types(interface: str, name: str, direction: Direction) -> Mapping[str, Type]:
    """What may be given to an operation by the declaration, and what is to be found there behind all pointers."""
    operation, types = _lenient(interface, name)
    found: dict[str, Type] = {}
    for member in operation.on_the_wire(direction):
        _add_types(member, types, found)
    return found


def _add_types(member: Member, types: Mapping[str, Type], found: dict[str, Type]) -> None:
    if member.name:
        found.setdefault(member.name, _pointed_at(member.type, types))
    for inner in _members(member.type):
        _add_types(inner, types, found)


def _pointed_at(declared: Type, types: Mapping[str, Type]) -> Type:
    while isinstance(declared, Pointer | Named):
        declared = types[declared.name] if isinstance(declared, Named) else declared.to
    return declared


def _members(declared: Type) -> tuple[Member, ...]:
    match declared:
        case Pointer():
            return _members(declared.to)
        case Struct():
            return declared.members
        case Union():
            return tuple(arm.member for arm in declared.arms if arm.member is not None)
    return ()


def _built(member: Member, flat: Flat) -> Any:  # noqa: ANN401
    declared = member.type
    if isinstance(declared, Pointer) and declared.kind is PointerKind.REF:
        declared = declared.to
    if isinstance(declared, Scalar):
        return _fitting(declared, member.name, flat.get(member.name, 0))
    if member.name in flat:
        return flat[member.name]
    if isinstance(declared, Enum):
        return 0
    inner = _members(declared)
    if not inner:
        return None
    values: Flat = {}
    for one in inner:
        built = _built(one, flat)
        values |= built if not one.name and isinstance(built, dict) else {one.name: built}
    return values


def _fitting(declared: Scalar, name: str, value: object) -> int:
    bits = declared.size * 8
    low, high = (-1 << bits - 1, 1 << bits - 1) if declared.signed else (0, 1 << bits)
    if not isinstance(value, int) or not low <= value < high:
        raise ScriptError(f"{name!r} has no room for {value}")
    return value


@cache
def _lenient(interface: str, name: str) -> tuple[Operation, Mapping[str, Type]]:
    """The declarations with an empty arm for whatever a hostile peer switches on."""
    declared = BY_NAME[interface]
    operation = next(operation for operation in declared.all_operations if operation.name == name)
    parameters = tuple(replace(one, member=_member(one.member)) for one in operation.parameters)
    return replace(operation, parameters=parameters), {key: _opened(value) for key, value in declared.types.items()}


def _member(member: Member) -> Member:
    return replace(member, type=_opened(member.type))


def _opened(declared: Type) -> Type:
    match declared:
        case Pointer():
            return replace(declared, to=_opened(declared.to))
        case Array():
            return replace(declared, of=_opened(declared.of))
        case Struct():
            return replace(declared, members=tuple(map(_member, declared.members)))
        case Union():
            arms = (replace(arm, member=arm.member and _member(arm.member)) for arm in declared.arms)
            return replace(declared, arms=(*arms, Arm((), None)))
    return declared
