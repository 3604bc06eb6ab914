"""A call of a script to the two stubs of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.ndr.model import Direction
from tests.scripts.defaults import RECIPES
from tests.scripts.statements import ScriptError, Written
from tests.scripts.stubs import Flat, declared_types, stub
from tests.scripts.words import BY_NAME, meaning

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Type
    from tests.scripts.recipes import World

NUMBERED: Final = "opnum"
"""An operation of which only the number is known."""
_OPAQUE: Final = bytes(4)


@dataclass(frozen=True, slots=True)
class Asked:
    operation: str
    interface: str
    opnum: int
    flat: Flat
    stub: bytes


def interface_of(operation: str) -> str | None:
    """None: whatever the connection speaks."""
    if operation == NUMBERED:
        return None
    if operation not in RECIPES:
        raise ScriptError(f"{operation!r} is no operation")
    return RECIPES[operation][0]


def is_callback(operation: str) -> bool:
    interface = interface_of(operation)
    return interface is not None and operation in (one.name for one in BY_NAME[interface].callbacks)


def ask(operation: str, written: Mapping[str, Written], world: World, syntax: str) -> Asked:
    if operation == NUMBERED:
        given = _meanings(written, {}, frozenset(("number",)), operation)
        return Asked(operation, "", given.get("number", 0), given, given.get("stub", _OPAQUE))
    interface, recipe = RECIPES[operation]
    opnum = next(one.opnum for one in BY_NAME[interface].all_operations if one.name == operation)
    given = _meanings(written, declared_types(interface, operation, Direction.IN), recipe.left, operation)
    flat = recipe.request(given, world)
    sent = given["stub"] if "stub" in given else stub(interface, operation, Direction.IN, flat, syntax)
    return Asked(operation, interface, opnum, flat, sent)


def answer(asked: Asked, written: Mapping[str, Written], world: World, syntax: str) -> bytes:
    if asked.operation == NUMBERED:
        return bytes(_meanings(written, {}, frozenset(), asked.operation).get("stub", _OPAQUE))
    _, recipe = RECIPES[asked.operation]
    declared = declared_types(asked.interface, asked.operation, Direction.OUT)
    returns = {"status"} if "return_value" in declared else set()
    given = _meanings(written, declared, recipe.right | returns, asked.operation)
    if returns and "status" in given:
        given["return_value"] = given.pop("status")
    if "stub" in given:
        return bytes(given["stub"])
    return stub(asked.interface, asked.operation, Direction.OUT, recipe.response(given, asked.flat, world), syntax)


def _meanings(
    written: Mapping[str, Written], declared: Mapping[str, Type], beyond: frozenset[str], operation: str
) -> Flat:
    for name in written:
        if name not in declared.keys() | beyond | {"stub"}:
            raise ScriptError(f"{name!r} is nothing that {operation} has on this side")
    return {name: meaning(name, value, declared.get(name)) for name, value in written.items()}
