"""Operations of MSMQ's objects as bytes: all of them both ways, some by hand, and hostile ones."""

from __future__ import annotations

import random
from functools import partial
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.interfaces.mqac import INTERFACES
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder, decode
from decoders.ndr.model import Direction, Syntax
from tests.decoders.ndr.honest_values import Honest
from tests.timing import quickest

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Interface, Operation

ORDERS: tuple[ByteOrder, ...] = ("<", ">")
DIRECTIONS = (Direction.IN, Direction.OUT)
THIS, THAT = 32, 8
"""Of ORPCTHIS and ORPCTHAT without extensions."""
OBJREF = "4d454f57"


def shapes() -> dict[str, tuple[Interface, Operation]]:
    """One operation of each shape that requests and answers have: revisions and properties share them."""
    found: dict[str, tuple[Interface, Operation]] = {}
    for interface in INTERFACES:
        for operation in interface.operations:
            ways = [(parameter.direction, repr(parameter.member.type)) for parameter in operation.parameters]
            found.setdefault(f"{ways} {operation.returns}", (interface, operation))
    return found


SHAPES = [pytest.param(*one, id=f"{one[0].name}-{one[1].name}") for one in shapes().values()]


@pytest.mark.parametrize("interface", INTERFACES, ids=lambda interface: interface.name)
def test_every_operation_comes_back(interface: Interface) -> None:
    honest = Honest(interface.types, random.Random(interface.name))
    for operation in interface.operations:
        for direction in DIRECTIONS:
            values = honest.members(operation.on_the_wire(direction))
            for syntax in Syntax:
                for order in ORDERS:
                    stub = encode(operation, direction, values, interface.types, syntax, order, fill=0xEE)
                    found = decode(operation, direction, stub, interface.types, syntax, order)
                    assert (found.values, found.problems, found.consumed) == (values, (), len(stub))


@pytest.mark.parametrize(("interface", "operation"), SHAPES)
def test_what_was_cut_is_never_taken_for_whole(interface: Interface, operation: Operation) -> None:
    """At every fourth byte, behind ORPCTHIS and ORPCTHAT."""
    for direction, start in ((Direction.IN, THIS), (Direction.OUT, THAT)):
        values = Honest(interface.types, random.Random(operation.name)).members(operation.on_the_wire(direction))
        stub = encode(operation, direction, values, interface.types, Syntax.NDR, "<", before=bytes(start), fill=0xEE)
        decoder = partial(compile_decoder(operation, direction, interface.types, Syntax.NDR, "<"), start=start)
        whole = decoder(stub)
        assert (whole.values, whole.problems, whole.consumed) == (values, (), len(stub))
        for cut in range(start, len(stub), 4):
            part = decoder(stub[:cut])
            assert part.values.keys() == values.keys()
            assert not part.complete


@settings(max_examples=8)
@given(st.binary(max_size=200), st.sampled_from(DIRECTIONS), st.sampled_from(ORDERS), st.sampled_from(Syntax))
@pytest.mark.parametrize(("interface", "operation"), SHAPES)
def test_any_bytes(
    interface: Interface, operation: Operation, stub: bytes, direction: Direction, order: ByteOrder, syntax: Syntax
) -> None:
    found = decode(operation, direction, stub, interface.types, syntax, order)
    assert found.values.keys() == {member.name for member in operation.on_the_wire(direction)}
    assert found.consumed <= len(stub)


@pytest.mark.parametrize(("interface", "operation"), SHAPES)
def test_hostile_counts_are_cheap(interface: Interface, operation: Operation) -> None:
    """Every count and size of an honest stub in turn is the largest there is."""
    for direction in DIRECTIONS:
        values = Honest(interface.types, random.Random(7)).members(operation.on_the_wire(direction))
        stub = encode(operation, direction, values, interface.types, Syntax.NDR, "<")
        decoder = compile_decoder(operation, direction, interface.types, Syntax.NDR, "<")
        for at in range(0, len(stub), 4):
            forged = stub[:at] + b"\xff" * 4 + stub[at + 4 :]
            _, seconds = quickest(partial(decoder, forged), 0.02)
            assert seconds < 0.02


def told(name: str, operation: str, direction: Direction, stub: str) -> dict[str, object]:
    (interface,) = (one for one in INTERFACES if one.name == name)
    (declared,) = (one for one in interface.operations if one.name == operation)
    start = THIS if direction is Direction.IN else THAT
    data = bytes(start) + bytes.fromhex(stub)
    found = decode(declared, direction, data, interface.types, Syntax.NDR, "<", start=start)
    assert (found.problems, found.consumed) == ((), len(data))
    return found.values


def test_open_by_hand() -> None:
    assert told("IMSMQQueueInfo4", "Open", Direction.IN, "81000000 01000000") == {"Access": 0x81, "ShareMode": 1}
    answered = told("IMSMQQueueInfo4", "Open", Direction.OUT, f"00000200 04000000 04000000 {OBJREF} 00000000")
    assert answered == {"ppq": b"MEOW", "return_value": 0}
    refused = told("IMSMQQueueInfo4", "Open", Direction.OUT, "00000000 25000ec0")
    assert refused == {"ppq": None, "return_value": 0xC00E0025}


def test_a_path_name_by_hand() -> None:
    """[MS-OAUT] 2.2.23: max_count, cBytes, clSize, the words."""
    stub = "00000200 03000000 06000000 03000000 2e005c00 7100"
    values = told("IMSMQQueueInfo", "put_PathName", Direction.IN, stub)
    assert values == {"bstrPathName": {"cBytes": 6, "clSize": 3, "asData": ".\\q".encode("utf-16-le")}}


def test_truth_by_hand() -> None:
    assert told("IMSMQQueue4", "get_IsOpen2", Direction.OUT, "ffff0000 00000000") == {"pisOpen": -1, "return_value": 0}
    assert told("IMSMQQueue4", "get_IsOpen", Direction.OUT, "01000000 00000000") == {"pisOpen": 1, "return_value": 0}


def test_what_is_left_out_by_hand() -> None:
    """[MS-OAUT] 3.1.4.4.3: VT_ERROR and DISP_E_PARAMNOTFOUND. VARIANT * is no pointer on the wire; VARIANT is one."""
    left_out = "03000000 00000000 0a00 0000 0000 0000 0a000000 04000280"
    chosen = "03000000 00000000 0b00 0000 0000 0000 0b000000 ffff"
    stub = f"00000200 00000000 {left_out} 04000200 00000000 {chosen}"
    values = told("IMSMQQueueInfo4", "Create", Direction.IN, stub)
    first, second = values["IsTransactional"], values["IsWorldReadable"]
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert (first["vt"], first["_varUnion"]) == (10, {"scode": 0x80020004})
    assert (second["vt"], second["_varUnion"]) == (11, {"boolVal": -1})


def test_an_event_has_no_result() -> None:
    stub = f"00000200 04000000 04000000 {OBJREF} 02000000"
    assert told("_DMSMQEventEvents", "Arrived", Direction.IN, stub) == {"Queue": b"MEOW", "Cursor": 2}
    assert told("_DMSMQEventEvents", "Arrived", Direction.OUT, "") == {}
