"""Values without their structures to stubs, conforming or not."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

from decoders.ndr.encoder import encode
from decoders.ndr.model import Arm, Array, Enum, Pointer, PointerKind, Scalar, Struct, Syntax, Union
from tests.scripts.statements import ScriptError
from tests.scripts.words import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Direction, Member, Operation, Type

Flat = dict[str, Any]
"""Parameters and members of their structures, side by side."""


def stub(interface: str, name: str, direction: Direction, flat: Flat, syntax: str) -> bytes:
    operation, types = _lenient(interface, name)
    members = operation.on_the_wire(direction)
    values = {member.name: _built(member, flat) for member in members}
    # The sizes that arrays of an answer have by the request.
    return encode(operation, direction, flat | values, types, Syntax(syntax), "<", fill=0xCD)


@cache
def names(interface: str, name: str, direction: Direction) -> frozenset[str]:
    """What may be given to an operation by the declaration."""
    operation, _ = _lenient(interface, name)
    return frozenset(found for member in operation.on_the_wire(direction) for found in _names(member))


def _names(member: Member) -> set[str]:
    found = {member.name} if member.name else set()
    for inner in _members(member.type):
        found |= _names(inner)
    return found


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
    operation = next(operation for operation in declared.operations if operation.name == name)
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
