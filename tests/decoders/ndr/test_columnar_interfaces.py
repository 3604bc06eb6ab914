"""Every operation that has a plan, on the traffic of honest peers and on what becomes of it."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from decoders.interfaces import INTERFACES
from decoders.ndr.columnar import plans
from decoders.ndr.columnar.plans import Plan, fast_path, plan
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction, Interface, Operation, Syntax

from .columnar_values import Honest, decode_stubs, rows

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

PLANNED = [
    pytest.param(interface, operation, direction, id=f"{operation.name}-{direction.name}")
    for interface in INTERFACES.values()
    for planned in [fast_path(interface)]
    for operation in interface.all_operations
    for direction in (Direction.IN, Direction.OUT)
    if planned[operation.name, direction]
]
WIRES = [(syntax, order) for syntax in Syntax for order in ("<", ">")]


def _plan(interface: Interface, operation: Operation, direction: Direction, syntax: Syntax, order: ByteOrder) -> Plan:
    made = plan(operation, direction, interface.types, syntax, order)
    assert made is not None
    return made


def _stubs(
    interface: Interface, operation: Operation, direction: Direction, syntax: Syntax, order: ByteOrder, number: int
) -> list[bytes]:
    rng = random.Random(f"{operation.name} {direction} {syntax} {order}")
    honest = Honest(interface.types, rng)
    members = operation.on_the_wire(direction)
    return [
        encode(operation, direction, honest.members(members), interface.types, syntax, order, fill=rng.randrange(256))
        for _ in range(number)
    ]


@pytest.mark.parametrize("interface", INTERFACES.values(), ids=lambda interface: interface.name)
def test_every_call_of_these_interfaces_has_a_plan(interface: Interface) -> None:
    assert all(fast_path(interface).values())


@pytest.mark.parametrize(("syntax", "order"), WIRES)
@pytest.mark.parametrize(("interface", "operation", "direction"), PLANNED)
def test_honest_traffic_is_accepted_and_means_the_same(
    interface: Interface, operation: Operation, direction: Direction, syntax: Syntax, order: ByteOrder
) -> None:
    stubs = _stubs(interface, operation, direction, syntax, order, 40)
    decode = compile_decoder(operation, direction, interface.types, syntax, order)
    expected = [decode(stub) for stub in stubs]
    assert all(one.problems == () and one.complete for one in expected)
    columns = decode_stubs(_plan(interface, operation, direction, syntax, order), stubs)
    assert columns.accepted.all()
    assert rows(columns) == [one.values for one in expected]


@pytest.mark.parametrize(("syntax", "order"), WIRES)
@pytest.mark.parametrize(("interface", "operation", "direction"), PLANNED)
def test_damaged_traffic_is_declined_or_means_the_same(
    interface: Interface, operation: Operation, direction: Direction, syntax: Syntax, order: ByteOrder
) -> None:
    rng = random.Random(f"damage {operation.name} {direction} {syntax} {order}")
    stubs = [b"", b"\xff" * 200, bytes(200)]
    for stub in _stubs(interface, operation, direction, syntax, order, 25):
        stubs += [stub, stub[: rng.randint(0, len(stub))], stub + bytes(rng.randint(1, 9))]
        for _ in range(4):
            flipped = bytearray(stub)
            for _ in range(rng.randint(1, 3)):
                if flipped:
                    flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
            stubs.append(bytes(flipped))
    decode = compile_decoder(operation, direction, interface.types, syntax, order)
    columns = decode_stubs(_plan(interface, operation, direction, syntax, order), stubs)
    expected = [decode(stub) for stub, accepted in zip(stubs, columns.accepted, strict=True) if accepted]
    assert all(one.problems == () and one.complete for one in expected)
    assert repr(rows(columns)) == repr([one.values for one in expected])


def test_blocks_of_a_large_batch_are_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    interface = next(interface for interface in INTERFACES.values() if interface.name == "epm")
    operation = next(operation for operation in interface.operations if operation.name == "ept_lookup")
    stubs = _stubs(interface, operation, Direction.OUT, Syntax.NDR, "<", 40)
    stubs = [stub[:-1] if number in (6, 7, *range(14, 22)) else stub for number, stub in enumerate(stubs)]
    made = _plan(interface, operation, Direction.OUT, Syntax.NDR, "<")
    at_once = decode_stubs(made, stubs)
    monkeypatch.setattr(plans, "_BLOCK_ROWS", 7)
    monkeypatch.setattr(plans, "_BLOCK_BYTES", 4 * max(map(len, stubs)))
    in_blocks = decode_stubs(made, stubs)
    assert in_blocks.accepted.tolist() == at_once.accepted.tolist() == [len(stub) % 4 == 0 for stub in stubs]
    assert rows(in_blocks) == rows(at_once)
