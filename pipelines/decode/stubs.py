"""Stubs of one operation and direction to one Arrow column, with what was wrong in each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from decoders.interfaces import INTERFACES
from decoders.ndr.interpreter import compile_decoder
from schemas.idl_types import IdlTypes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from decoders.ndr.interpreter import Decoded
    from decoders.ndr.model import Direction, Interface, Operation, Syntax
    from decoders.ndr.problems import Problem

ByteOrder = Literal["<", ">"]


@dataclass(frozen=True, slots=True)
class Stub:
    data: bytes
    syntax: Syntax
    byte_order: ByteOrder


@dataclass(frozen=True, slots=True)
class DecodedStubs:
    column: pa.StructArray
    """A row a stub; null where there was none."""
    problems: dict[int, tuple[Problem, ...]]
    incomplete: frozenset[int]
    """Rows in which decoding stopped early."""


@cache
def decoder_of(
    interface_uuid: str, opnum: int, direction: Direction, syntax: Syntax, byte_order: ByteOrder
) -> Callable[[bytes], Decoded]:
    interface, operation = declared(interface_uuid, opnum)
    return compile_decoder(operation, direction, interface.types, syntax, byte_order)


def declared(interface_uuid: str, opnum: int) -> tuple[Interface, Operation]:
    interface = INTERFACES[interface_uuid]
    return interface, next(operation for operation in interface.operations if operation.opnum == opnum)


def decode_stubs(
    interface_uuid: str, opnum: int, direction: Direction, stubs: Sequence[Stub | None], *, keep_payload: bool
) -> DecodedStubs:
    interface, operation = declared(interface_uuid, opnum)
    members = operation.on_the_wire(direction)
    shapes = IdlTypes(interface.types, keep_payload=keep_payload)
    problems: dict[int, tuple[Problem, ...]] = {}
    incomplete: set[int] = set()
    rows: list[dict[str, Any] | None] = []
    for number, stub in enumerate(stubs):
        if stub is None:
            rows.append(None)
            continue
        found = decoder_of(interface_uuid, opnum, direction, stub.syntax, stub.byte_order)(stub.data)
        rows.append(shapes.shaped(members, found.values))
        if found.problems:
            problems[number] = found.problems
        if not found.complete:
            incomplete.add(number)
    return DecodedStubs(pa.array(rows, shapes.struct(members)), problems, frozenset(incomplete))
