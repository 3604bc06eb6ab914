"""A call of a script to the two stubs of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from decoders.dcom.orpc import write_implicit
from decoders.ndr.model import Direction
from decoders.registry import BY_NAME as REGISTERED
from tests.scripts import mqac
from tests.scripts.activation import THIS
from tests.scripts.com import OF_EVERY_CALL
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
_THAT: Final = write_implicit(Direction.OUT, {"flags": 0, "extensions": None}, "<")
_INVOKE: Final = 6


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
    if operation == NUMBERED:
        return None
    if mqac.is_member(operation):
        return mqac.interface_named(operation)
    if operation not in RECIPES:
        raise ScriptError(f"{operation!r} is no operation")
    return RECIPES[operation][0]


def is_callback(operation: str) -> bool:
    interface = interface_of(operation)
    return interface is not None and operation in (one.name for one in BY_NAME[interface].callbacks)


def spoken_as(operation: str, spoken: Mapping[str, object]) -> str | None:
    """Interface of those that a connection speaks by which it may be called; None: it may not."""
    if mqac.is_member(operation):
        return mqac.spoken_as(operation, spoken)
    interface = interface_of(operation)
    return (next(iter(spoken), None) if interface is None else interface) if interface in (None, *spoken) else None


def _ask_member(operation: str, written: Mapping[str, Written], world: World, syntax: str, spoken: str | None) -> Asked:
    given = mqac.values(operation, written, right=False)
    late = mqac.is_late(operation, spoken or "")
    found = mqac.member(operation)
    interface = mqac.LATE if late else mqac.declaring(found, operation)
    recipe = mqac.late(operation) if late else mqac.direct(operation)
    flat = recipe.request(given, world)
    name, opnum = ("Invoke", _INVOKE) if late else (found.operation.name, found.operation.opnum)
    sent = _this(flat) + stub(interface, name, Direction.IN, flat, syntax)
    return Asked(operation, spoken or interface, opnum, flat, sent, flat.get("object"))


def _answer_member(asked: Asked, written: Mapping[str, Written], world: World, syntax: str) -> bytes:
    operation = asked.operation
    given = mqac.values(operation, written, right=True)
    if "status" in given:
        given["return_value"] = given.pop("status")
    late = mqac.is_late(operation, asked.interface)
    recipe = mqac.late(operation) if late else mqac.direct(operation)
    flat = recipe.response(given, asked.flat, world)
    interface = mqac.LATE if late else mqac.declaring(mqac.member(operation), operation)
    name = "Invoke" if late else mqac.member(operation).operation.name
    return _THAT + stub(interface, name, Direction.OUT, flat, syntax)


def ask(operation: str, written: Mapping[str, Written], world: World, syntax: str, spoken: str | None = None) -> Asked:
    """`spoken`: the interface of the connection by which it is called."""
    if mqac.is_member(operation):
        return _ask_member(operation, written, world, syntax, spoken)
    if operation == NUMBERED:
        given = _meanings(written, {}, frozenset(("number", *OF_EVERY_CALL)), operation)
        head = _this(given) if "object" in given else b""
        return Asked(
            operation, "", given.get("number", 0), given, given.get("stub", head + _OPAQUE), given.get("object")
        )
    interface, recipe = RECIPES[operation]
    opnum = next(one.opnum for one in BY_NAME[interface].all_operations if one.name == operation)
    given = _meanings(written, declared_types(interface, operation, Direction.IN), recipe.left, operation)
    flat = recipe.request(given, world)
    head = _this(flat) if _is_com(interface) else b""
    sent = given["stub"] if "stub" in given else head + stub(interface, operation, Direction.IN, flat, syntax)
    return Asked(operation, interface, opnum, flat, sent, flat.get("object") if _is_com(interface) else None)


def _is_com(interface: str) -> bool:
    return REGISTERED[interface].is_com


def _this(flat: Flat) -> bytes:
    """[MS-DCOM] 2.2.13.3: in front of every call of an object."""
    flat = {**THIS, **flat}
    version = {name: flat[name] for name in ("MajorVersion", "MinorVersion")}
    kept = {name: flat[name] for name in ("flags", "reserved1", "cid", "extensions")}
    return write_implicit(Direction.IN, {"version": version, **kept}, "<")


def answer(asked: Asked, written: Mapping[str, Written], world: World, syntax: str) -> bytes:
    if asked.operation == NUMBERED:
        return bytes(_meanings(written, {}, frozenset(), asked.operation).get("stub", _OPAQUE))
    if mqac.is_member(asked.operation):
        return _answer_member(asked, written, world, syntax)
    _, recipe = RECIPES[asked.operation]
    declared = declared_types(asked.interface, asked.operation, Direction.OUT)
    returns = {"status"} if "return_value" in declared else set()
    given = _meanings(written, declared, recipe.right | returns, asked.operation)
    if returns and "status" in given:
        given["return_value"] = given.pop("status")
    if "stub" in given:
        return bytes(given["stub"])
    head = _THAT if _is_com(asked.interface) else b""
    flat = recipe.response(given, asked.flat, world)
    return head + stub(asked.interface, asked.operation, Direction.OUT, flat, syntax)


def _meanings(
    written: Mapping[str, Written], declared: Mapping[str, Type], beyond: frozenset[str], operation: str
) -> Flat:
    for name in written:
        if name not in declared.keys() | beyond | {"stub"}:
            raise ScriptError(f"{name!r} is nothing that {operation} has on this side")
    return {name: meaning(name, value, declared.get(name)) for name, value in written.items()}
