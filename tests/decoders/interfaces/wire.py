"""Stubs laid out by hand, as [C706] 14 and [MS-RPCE] 2.2.4 have it, read by the declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from decoders.interfaces import operation_of
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, Interface, Syntax

if TYPE_CHECKING:
    from decoders.ndr.interpreter import Decoded


def decoded(
    interface: Interface,
    opnum: int,
    direction: Direction,
    stub: bytes,
    syntax: Syntax = Syntax.NDR,
    *,
    callback: bool = False,
) -> Decoded:
    operation = operation_of(interface.uuid, opnum, callback=callback)
    assert operation is not None
    return decode(operation, direction, stub, interface.types, syntax, "<")


def read(
    interface: Interface,
    opnum: int,
    direction: Direction,
    stub: bytes,
    syntax: Syntax = Syntax.NDR,
    *,
    callback: bool = False,
) -> dict[str, Any]:
    """Of a stub in which nothing is wrong."""
    found = decoded(interface, opnum, direction, stub, syntax, callback=callback)
    assert (found.problems, found.complete, found.consumed) == ((), True, len(stub))
    return found.values


def counted(text: str) -> bytes:
    """The three counts of a string, and its characters."""
    size = len(text) + 1
    return words(size, 0, size) + text.encode("utf-16-le") + b"\0\0"


def words(*numbers: int, size: int = 4) -> bytes:
    return b"".join(number.to_bytes(size, "little") for number in numbers)
