"""Stubs of one operation and direction to one Arrow column, with what was wrong in each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pyarrow as pa

from decoders.interfaces import INTERFACES, operation_of
from decoders.ndr.columnar.plans import plan
from decoders.ndr.interpreter import compile_decoder
from schemas.idl_columns import to_arrow
from schemas.idl_types import IdlTypes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.ndr.columnar.columns import Columns
    from decoders.ndr.columnar.plans import Plan
    from decoders.ndr.interpreter import Decoder
    from decoders.ndr.model import Direction, Interface, Operation, Syntax
    from decoders.ndr.problems import Problem

ByteOrder = Literal["<", ">"]


@dataclass(frozen=True, slots=True)
class Stub:
    data: bytes
    syntax: Syntax
    byte_order: ByteOrder
    whole: bool = True
    """False: its end was not captured."""


@dataclass(frozen=True, slots=True)
class DecodedStubs:
    column: pa.StructArray
    """A row a stub; null where there was none."""
    problems: dict[int, tuple[Problem, ...]]
    incomplete: frozenset[int]
    """Rows in which decoding stopped early."""


@cache
def decoder_of(
    interface_uuid: str,
    opnum: int,
    direction: Direction,
    syntax: Syntax,
    byte_order: ByteOrder,
    *,
    callback: bool = False,
) -> Decoder:
    interface, operation = declared(interface_uuid, opnum, callback=callback)
    return compile_decoder(operation, direction, interface.types, syntax, byte_order)


def declared(interface_uuid: str, opnum: int, *, callback: bool = False) -> tuple[Interface, Operation]:
    """Of an operation that there is."""
    operation = operation_of(interface_uuid, opnum, callback=callback)
    if operation is None:
        raise KeyError(f"{interface_uuid} declares no operation {opnum}")
    return INTERFACES[interface_uuid], operation


@cache
def plan_of(
    interface_uuid: str,
    opnum: int,
    direction: Direction,
    syntax: Syntax,
    byte_order: ByteOrder,
    *,
    callback: bool = False,
) -> Plan | None:
    interface, operation = declared(interface_uuid, opnum, callback=callback)
    return plan(operation, direction, interface.types, syntax, byte_order)


def decode_stubs(
    interface_uuid: str,
    opnum: int,
    direction: Direction,
    stubs: Sequence[Stub | None],
    *,
    keep_payload: bool,
    callback: bool = False,
) -> DecodedStubs:
    """In columns where there are enough stubs of a kind; what the columnar decoder declines, one by one."""
    interface, operation = declared(interface_uuid, opnum, callback=callback)
    members = operation.on_the_wire(direction)
    shapes = IdlTypes(interface.types, keep_payload=keep_payload)
    kinds: dict[tuple[Syntax, ByteOrder], list[int]] = defaultdict(list)
    for number, stub in enumerate(stubs):
        if stub is not None and stub.whole:
            kinds[stub.syntax, stub.byte_order].append(number)
    pieces: list[tuple[Sequence[int], pa.Array]] = []
    one_by_one = [number for number, stub in enumerate(stubs) if stub is not None and not stub.whole]
    for kind, numbers in kinds.items():
        columnar = plan_of(interface_uuid, opnum, direction, *kind, callback=callback)
        if columnar is None or len(numbers) < columnar.min_rows:
            one_by_one += numbers
            continue
        columns = _decoded_columns(columnar, [stub.data for n in numbers if (stub := stubs[n])])
        pieces.append((np.array(numbers)[columns.accepted].tolist(), to_arrow(columns, members, shapes)))
        one_by_one += np.array(numbers)[~columns.accepted].tolist()
    problems: dict[int, tuple[Problem, ...]] = {}
    incomplete: set[int] = set()
    rows: list[dict[str, Any] | None] = []
    for number in sorted(one_by_one):
        stub = stubs[number]
        if stub is None:
            continue
        decode = decoder_of(interface_uuid, opnum, direction, stub.syntax, stub.byte_order, callback=callback)
        found = decode(stub.data, whole=stub.whole)
        rows.append(shapes.shaped(members, found.values))
        if found.problems:
            problems[number] = found.problems
        if not found.complete:
            incomplete.add(number)
    arrow = shapes.struct(members)
    pieces.append((sorted(one_by_one), pa.array(rows, arrow)))
    absent = [number for number, stub in enumerate(stubs) if stub is None]
    pieces.append((absent, pa.nulls(len(absent), arrow)))
    return DecodedStubs(_in_order(pieces), problems, frozenset(incomplete))


def _decoded_columns(columnar: Plan, stubs: list[bytes]) -> Columns:
    lengths = np.array([len(stub) for stub in stubs], np.int64)
    starts = np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64)
    return columnar.decode(np.frombuffer(b"".join(stubs), np.uint8), starts, lengths)


def _in_order(pieces: list[tuple[Sequence[int], pa.Array]]) -> pa.StructArray:
    pieces = [(numbers, rows) for numbers, rows in pieces if len(rows)] or pieces[:1]
    if len(pieces) == 1:
        # Its numbers rise, so its rows stand as the stubs do.
        return pieces[0][1]
    places = np.concatenate([np.array(numbers, np.int64) for numbers, _ in pieces])
    return pa.concat_arrays([rows for _, rows in pieces]).take(pa.array(np.argsort(places, kind="stable")))
