"""A call of a script to the two stubs of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from decoders.dcom.orpc import write_implicit
from decoders.ndr.model import Direction
from decoders.registry import BY_NAME as REGISTERED
from tests.scripts.activation import THIS
from tests.scripts.com import OF_EVERY_CALL
from tests.scripts.defaults import RECIPES
from tests.scripts.members import Way, is_member, way_of
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
    object: str | None = None
    """IPID that it is made on."""


def interface_of(operation: str) -> str | None:
    """None: whatever the connection speaks."""
    return None if operation == NUMBERED else _way(operation).speaks


@cache
def _way(operation: str) -> Way:
    if is_member(operation):
        return way_of(operation)
    if operation not in RECIPES:
        raise ScriptError(f"{operation!r} is no operation")
    interface, recipe = RECIPES[operation]
    declared = {one: declared_types(interface, operation, one) for one in (Direction.IN, Direction.OUT)}
    return Way(interface, operation, declared, recipe, interface)


def is_callback(operation: str) -> bool:
    interface = interface_of(operation)
    return interface is not None and operation in (one.name for one in BY_NAME[interface].callbacks)


def ask(operation: str, written: Mapping[str, Written], world: World, syntax: str) -> Asked:
    if operation == NUMBERED:
        given = _meanings(written, {}, frozenset(("number", *OF_EVERY_CALL)), operation)
        head = _this(given) if "object" in given else b""
        return Asked(
            operation, "", given.get("number", 0), given, given.get("stub", head + _OPAQUE), given.get("object")
        )
    way = _way(operation)
    opnum = next(one.opnum for one in BY_NAME[way.interface].all_operations if one.name == way.name)
    given = _meanings(written, way.declared[Direction.IN], way.recipe.left, operation)
    flat = way.recipe.request(given, world)
    com = REGISTERED[way.interface].is_com
    head = _this(flat) if com else b""
    sent = given["stub"] if "stub" in given else head + stub(way.interface, way.name, Direction.IN, flat, syntax)
    return Asked(operation, way.speaks, opnum, flat, sent, flat.get("object") if com else None)


def _this(flat: Flat) -> bytes:
    """[MS-DCOM] 2.2.13.3: in front of every call of an object."""
    flat = {**THIS, **flat}
    version = {name: flat[name] for name in ("MajorVersion", "MinorVersion")}
    kept = {name: flat[name] for name in ("flags", "reserved1", "cid", "extensions")}
    return write_implicit(Direction.IN, {"version": version, **kept}, "<")


def answer(asked: Asked, written: Mapping[str, Written], world: World, syntax: str) -> bytes:
    if asked.operation == NUMBERED:
        return bytes(_meanings(written, {}, frozenset(), asked.operation).get("stub", _OPAQUE))
    way = _way(asked.operation)
    declared = way.declared[Direction.OUT]
    returns = {"status"} if "return_value" in declared else set()
    given = _meanings(written, declared, way.recipe.right | returns, asked.operation)
    if returns and "status" in given:
        given["return_value"] = given.pop("status")
    if "stub" in given:
        return bytes(given["stub"])
    com = REGISTERED[way.interface].is_com
    head = write_implicit(Direction.OUT, {"flags": 0, "extensions": None}, "<") if com else b""
    flat = way.recipe.response(given, asked.flat, world)
    return head + stub(way.interface, way.name, Direction.OUT, flat, syntax)


def _meanings(
    written: Mapping[str, Written], declared: Mapping[str, Type], beyond: frozenset[str], operation: str
) -> Flat:
    for name in written:
        if name not in declared.keys() | beyond | {"stub"}:
            raise ScriptError(f"{name!r} is nothing that {operation} has on this side")
    return {name: meaning(name, value, declared.get(name)) for name, value in written.items()}
