"""scapy reads what we write and we read what scapy writes, the same bytes, but for what differences.toml has."""

from __future__ import annotations

import uuid
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.layers.dcerpc import DCE_RPC_INTERFACES

from decoders.interfaces import dscomm, epm
from decoders.ndr.layout import Layout
from decoders.ndr.model import Array, Direction, Pointer, PointerKind, String, Struct, Syntax
from tests.decoders.ndr.arguments import arguments
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.left_out import has_nothing_aligned_by_eight, without_nul
from tests.second_opinion.stubs.scapy_calls import ENCODINGS, MODULES, Call, call
from tests.second_opinion.stubs.scapy_declarations import as_scapy_declares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from decoders.ndr.model import Interface, Type

_LEFT_OUT: Final = {
    # conformant-structure-gap: nothing follows the last tower.
    "ept_delete",
    # Windows offers neither: [MS-RPCE] 2.2.1.2.9 and 2.2.1.2.10.
    "ept_inq_object",
    "ept_mgmt_delete",
}
_DEEP: Final = 6
"""Pointers below pointers: strings in variants in a variant have three."""

CALLS: Final = {
    f"{operation.name}-{direction.name}": replace(
        call(operation.name, direction), operation=as_scapy_declares(operation)
    )
    for interface, _ in MODULES
    for operation in interface.all_operations
    if operation.name not in _LEFT_OUT
    for direction in (Direction.IN, Direction.OUT)
}
# By name: Hypothesis shows a test's arguments, warns of one as long as an interface, and the warning hides the failure.


def _is_plain(declared: Type, layout: Layout) -> bool:
    """Of one size, whatever the values."""
    declared = layout.resolve(declared)
    if isinstance(declared, Pointer) and declared.kind is PointerKind.REF:
        declared = layout.resolve(declared.to)
    return not isinstance(declared, Pointer | Array | String | Struct)


PLAIN: Final = [
    name
    for name, one in CALLS.items()
    if all(
        _is_plain(member.type, Layout(one.interface.types, one.syntax))
        for member in one.operation.on_the_wire(one.direction)
    )
]
CONSTRUCTED: Final = [name for name in CALLS if name not in PLAIN]


def _examples(number: int) -> settings:
    return settings(max_examples=number, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.fixture(scope="module", autouse=True)
def _corrected() -> Iterator[None]:
    with corrected():
        yield


@_examples(25)
@given(st.data())
@pytest.mark.parametrize("name", CONSTRUCTED)
def test_each_reads_what_the_other_writes(name: str, data: st.DataObject) -> None:
    _agree(CALLS[name], data)


@_examples(5)
@given(st.data())
@pytest.mark.parametrize("name", PLAIN)
def test_each_reads_what_the_other_writes_of_one_size(name: str, data: st.DataObject) -> None:
    _agree(CALLS[name], data)


def _agree(declared: Call, data: st.DataObject) -> None:
    values = _drawn(data, declared)
    count = declared.count(values)
    for compared in _encodings(declared, values):
        stub = compared.encoded(values, fill=0xEE)
        assert compared.dissected(stub, count) == (values, b""), str(compared)
        theirs = compared.built(values, count)
        decoded = compared.decoded(theirs)
        assert (decoded.values, decoded.problems, decoded.consumed) == (values, (), len(theirs)), str(compared)
        assert theirs == compared.encoded(values), str(compared)


def _drawn(data: st.DataObject, declared: Call) -> dict[str, Any]:
    values = data.draw(arguments(declared.operation, declared.direction, declared.interface.types, _DEEP))
    return values if declared.interface is epm.INTERFACE else without_nul(values)


def _encodings(declared: Call, values: dict[str, Any]) -> Iterator[Call]:
    for syntax, order in ENCODINGS:
        if syntax is Syntax.NDR64 or not has_nothing_aligned_by_eight(values):
            yield replace(declared, syntax=syntax, order=order)


@pytest.mark.parametrize("interface", [interface for interface, _ in MODULES], ids=lambda interface: interface.name)
def test_every_operation_that_scapy_defines_is_declared_here(interface: Interface) -> None:
    theirs = DCE_RPC_INTERFACES[uuid.UUID(interface.uuid), interface.version[0]]
    assert (theirs.major_version, theirs.minor_version) == interface.version
    defined = {number: pair.request.__name__.removesuffix("_Request") for number, pair in theirs.opnums.items()}
    assert set(defined.values()) == {operation.name for operation in interface.all_operations}
    # callback-opnums
    if interface is not dscomm.INTERFACE:
        assert defined == {operation.opnum: operation.name for operation in interface.operations}
