"""DCOM's interfaces: arguments come back in both byte orders, behind ORPCTHIS and ORPCTHAT where those are implicit."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoders.dcom.orpc import read_implicit, write_implicit
from decoders.dcom.types import ORPCTHAT, ORPCTHIS, TYPES
from decoders.interfaces import activation, object_exporter, remote_scm_activator, remote_unknown, remote_unknown2
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder, decode
from decoders.ndr.model import Direction, Interface, Operation, Syntax
from decoders.registry import REGISTRY
from tests.decoders.dcom.captured import NATIVE, ORPC
from tests.decoders.dcom.values import ORDERS, of_type
from tests.decoders.interfaces.wire import counted, words
from tests.decoders.ndr.arguments import arguments
from tests.decoders.ndr.honest_values import Honest
from tests.timing import quickest

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

DIRECTIONS = st.sampled_from([Direction.IN, Direction.OUT])
IMPLICIT = {Direction.IN: ORPCTHIS, Direction.OUT: ORPCTHAT}
OPERATIONS = [
    pytest.param(interface, operation, id=f"{interface.name}-{operation.name}")
    for interface in (*NATIVE, *ORPC)
    for operation in interface.operations
]
IPID = "00001c02-0998-0000-1122-334455667788"
RAW_IPID = bytes.fromhex("021c0000 9809 0000 1122334455667788")


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data(), DIRECTIONS, ORDERS, st.sampled_from(Syntax))
@pytest.mark.parametrize(("interface", "operation"), OPERATIONS)
def test_arguments_come_back(
    interface: Interface,
    operation: Operation,
    data: st.DataObject,
    direction: Direction,
    order: ByteOrder,
    syntax: Syntax,
) -> None:
    values = data.draw(arguments(operation, direction, interface.types))
    before = b""
    if interface in ORPC:
        # NDR whatever the syntax of the parameters: [MS-DCOM] 2.2.13.
        before = write_implicit(direction, data.draw(of_type(IMPLICIT[direction], TYPES)), order)
    stub = encode(operation, direction, values, interface.types, syntax, order, before=before, fill=0xEE)
    start = read_implicit(direction, stub, order).size if interface in ORPC else 0
    assert start == len(before)
    found = decode(operation, direction, stub, interface.types, syntax, order, start=start)
    assert (found.values, found.problems, found.consumed) == (values, (), len(stub))
    cut = data.draw(st.integers(start, len(stub)))
    assert (
        decode(operation, direction, stub[:cut], interface.types, syntax, order, start=start).complete
        == (cut == len(stub))
        or not values
    )


@settings(max_examples=25)
@given(st.binary(max_size=200), DIRECTIONS, ORDERS, st.sampled_from(Syntax), st.integers(0, 60))
@pytest.mark.parametrize(("interface", "operation"), OPERATIONS)
def test_any_bytes(
    interface: Interface,
    operation: Operation,
    stub: bytes,
    direction: Direction,
    order: ByteOrder,
    syntax: Syntax,
    start: int,
) -> None:
    found = decode(operation, direction, stub, interface.types, syntax, order, start=start)
    assert found.values.keys() == {member.name for member in operation.on_the_wire(direction)}
    assert found.consumed <= len(stub)


@pytest.mark.parametrize(("interface", "operation"), OPERATIONS)
@pytest.mark.parametrize("direction", [Direction.IN, Direction.OUT], ids=["in", "out"])
def test_hostile_counts_are_cheap(interface: Interface, operation: Operation, direction: Direction) -> None:
    """Every count and size of an honest stub in turn is the largest there is."""
    values = Honest(interface.types, random.Random(7)).members(operation.on_the_wire(direction))
    stub = encode(operation, direction, values, interface.types, Syntax.NDR, "<")
    decoder = compile_decoder(operation, direction, interface.types, Syntax.NDR, "<")
    for at in range(0, len(stub), 4):
        forged = stub[:at] + b"\xff" * 4 + stub[at + 4 :]
        _, seconds = quickest(lambda forged=forged: decoder(forged), 0.02)  # type: ignore[misc]
        assert seconds < 0.02


@pytest.mark.parametrize("interface", NATIVE, ids=lambda interface: interface.name)
def test_native_ones_are_those_of_the_registry(interface: Interface) -> None:
    known = REGISTRY[interface.uuid]
    assert (known.name, known.version) == (interface.name, interface.version)


@pytest.mark.parametrize("interface", ORPC, ids=lambda interface: interface.name)
def test_objects_have_no_handle_and_begin_behind_iunknown(interface: Interface) -> None:
    assert interface.version == (0, 0)
    assert [one.opnum for one in interface.operations] == list(range(3, 3 + len(interface.operations)))
    assert not any(one.takes_handle_t for one in interface.operations)


def test_a_ping_by_hand() -> None:
    stub = bytes.fromhex(
        "0807060504030201 0100 0200 0000 eeee"  # SETID, sequence 1, two to add, none to remove, pad 4
        "00000200 02000000"  # pointer and max_count; 24 is a multiple of 8
    )
    stub += words(1, 2, size=8) + words(0)
    ping = object_exporter.INTERFACE.operations[2]
    found = decode(ping, Direction.IN, stub, object_exporter.INTERFACE.types, Syntax.NDR, "<")
    assert found.problems == ()
    assert found.values == {
        "pSetId": 0x0102030405060708,
        "SequenceNum": 1,
        "cAddToSet": 2,
        "cDelFromSet": 0,
        "AddToSet": [1, 2],
        "DelFromSet": None,
    }


def test_results_of_a_query_by_hand() -> None:
    """One refused and one granted behind ORPCTHAT; a result is aligned 8."""
    that = words(0, 0)
    refused = words(0x80004002, 0) + bytes(40)
    granted = words(0, 0) + words(0x1000, 5) + words(7, 8, size=8) + RAW_IPID
    stub = that + words(0x20000, 2) + refused + granted + words(1)
    start = read_implicit(Direction.OUT, stub, "<").size
    operation = remote_unknown.INTERFACE.operations[0]
    found = decode(operation, Direction.OUT, stub, remote_unknown.INTERFACE.types, Syntax.NDR, "<", start=start)
    assert (found.problems, found.consumed) == ((), len(stub))
    first, second = found.values["ppQIResults"]
    assert first["hResult"] == 0x80004002
    assert second == {
        "hResult": 0,
        "std": {"flags": 0x1000, "cPublicRefs": 5, "oxid": 7, "oid": 8, "ipid": IPID},
    }
    assert found.values["return_value"] == 1


def test_an_old_activation_by_hand() -> None:
    """No capture has one: laid out as 3.1.2.5.2.3.1 declares it."""
    this = bytes.fromhex("0500 0600") + words(0, 0) + RAW_IPID + words(0)
    stub = this + RAW_IPID + words(0x20000) + counted("a") + words(0, 3, 0xFFFFFFFF, 1, 0x20004, 1)
    stub += RAW_IPID + bytes.fromhex("0100 eeee") + words(1) + words(7, size=2)
    (operation,), types = activation.INTERFACE.operations, activation.INTERFACE.types
    found = decode(operation, Direction.IN, stub, types, Syntax.NDR, "<")
    assert (found.problems, found.consumed) == ((), len(stub))
    assert found.values.pop("ORPCthis")["version"] == {"MajorVersion": 5, "MinorVersion": 6}
    assert found.values == {
        "Clsid": IPID,
        "pwszObjectName": "a",
        "pObjectStorage": None,
        "ClientImpLevel": 3,
        "Mode": 0xFFFFFFFF,
        "Interfaces": 1,
        "pIIDs": [IPID],
        "cRequestedProtseqs": 1,
        "aRequestedProtseqs": [7],
    }
    answer = words(0, 0) + words(9, size=8) + words(0x20000, 4) + words(4, 2, 0, 0, 0, 0, size=2) + RAW_IPID
    answer += words(5) + bytes.fromhex("0500 0600") + words(0)
    answer += words(2, 0x20004, 0) + words(3, 3) + bytes.fromhex("010203 ee") + words(2, 0, 0x80004002) + words(0)
    found = decode(operation, Direction.OUT, answer, types, Syntax.NDR, "<")
    assert (found.problems, found.consumed) == ((), len(answer))
    assert (found.values["pOxid"], found.values["pipidRemUnknown"], found.values["pAuthnHint"]) == (9, IPID, 5)
    assert found.values["ppInterfaceData"] == [{"ulCntData": 3, "abData": b"\1\2\3"}, None]
    assert found.values["pResults"] == [0, 0x80004002]


def test_a_second_query_by_hand() -> None:
    """No capture has one either: 3.1.1.5.7.1.1."""
    stub = words(0, 0) + words(1, 0) + words(1, 0x20000) + words(2, 2) + bytes.fromhex("0102 eeee") + words(0)
    interface = remote_unknown2.INTERFACE
    found = decode(interface.operations[3], Direction.OUT, stub, interface.types, Syntax.NDR, "<", start=8)
    assert (found.problems, found.consumed) == ((), len(stub))
    assert found.values == {"phr": [0], "ppMIF": [{"ulCntData": 2, "abData": b"\1\2"}], "return_value": 0}


def test_a_failed_activation_has_no_properties() -> None:
    stub = words(1, 0) + words(0) + words(0x80070005)
    activator = remote_scm_activator.INTERFACE
    found = decode(activator.operations[1], Direction.OUT, stub, activator.types, Syntax.NDR, "<")
    assert found.problems == ()
    assert found.values == {
        "orpcthat": {"flags": 1, "extensions": None},
        "ppActProperties": None,
        "return_value": 0x80070005,
    }
