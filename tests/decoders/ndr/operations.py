"""Short ways to declare an operation for a test and to send it both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.ndr.base_types import DWORD
from decoders.ndr.interpreter import Decoded, compile_decoder
from decoders.ndr.model import Direction, Member, Operation, Parameter, Struct, Syntax, Type

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.problems import Problem

NDR, NDR64 = Syntax.NDR, Syntax.NDR64


def request(*members: Member) -> Operation:
    return Operation(0, "Test", tuple(Parameter(Direction.IN, member) for member in members), None, "0", "A test.")


def of(declared: Type) -> Operation:
    """With one parameter, `p`."""
    return request(Member("p", declared))


def struct(*members: Member) -> Struct:
    return Struct("S", members)


def read(
    operation: Operation,
    stub: bytes,
    types: Mapping[str, Type] | None = None,
    *,
    syntax: Syntax = NDR,
    order: ByteOrder = "<",
    direction: Direction = Direction.IN,
) -> Decoded:
    return compile_decoder(operation, direction, types or {}, syntax, order)(stub)


def value(
    declared: Type, stub: str, types: Mapping[str, Type] | None = None, *, syntax: Syntax = NDR, order: ByteOrder = "<"
) -> object:
    """Of the only parameter, given as hex; the stub has to be without fault."""
    decoded = read(of(declared), bytes.fromhex(stub), types, syntax=syntax, order=order)
    assert decoded.problems == ()
    assert decoded.complete
    assert decoded.consumed == len(bytes.fromhex(stub))
    return decoded.values["p"]


def problem(decoded: Decoded) -> Problem:
    """The only one."""
    assert len(decoded.problems) == 1, decoded.problems
    return decoded.problems[0]


COUNT = Member("n", DWORD)
