"""scapy reads what we write and we read what scapy writes, byte for byte the same, but for what differences.toml has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from decoders.ndr.model import Direction, Syntax
from tests.decoders.ndr.arguments import arguments
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.scapy_calls import ENCODINGS, MODULES, Call, as_scapy_declares, call

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEFT_OUT: Final = {
    # conformant-structure-gap: nothing follows the last tower.
    "ept_delete",
    # Windows offers neither: [MS-RPCE] 2.2.1.2.9 and 2.2.1.2.10. pointers-of-ept-mgmt-delete.
    "ept_inq_object",
    "ept_mgmt_delete",
}
_DEEP: Final = 6
"""Pointers below pointers: strings in variants in a variant have three."""

CALLS: Final = [
    replace(call(operation.name, direction, syntax, order), operation=as_scapy_declares(operation))
    for interface, _ in MODULES
    for operation in interface.operations
    if operation.name not in _LEFT_OUT
    for direction in (Direction.IN, Direction.OUT)
    for syntax, order in ENCODINGS
]
_EXAMPLES: Final = settings(
    max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
)


@pytest.fixture(scope="module", autouse=True)
def _corrected() -> Iterator[None]:
    with corrected():
        yield


def _drawn(data: st.DataObject, compared: Call) -> tuple[dict[str, Any], int | None]:
    """Arguments, and the count that only the request has."""
    values = data.draw(arguments(compared.operation, compared.direction, compared.interface.types, _DEEP))
    # empty-array-gap
    assume(compared.syntax is Syntax.NDR64 or not _has_nothing_aligned_by_eight(values))
    needs_count = compared.operation.name == "R_QMMgmtGetInfo" and compared.direction is Direction.OUT
    return values, len(values["apVar"]) if needs_count else None


def _has_nothing_aligned_by_eight(values: Any) -> bool:  # noqa: ANN401 - any of them
    if isinstance(values, list):
        return any(map(_has_nothing_aligned_by_eight, values))
    if not isinstance(values, dict):
        return False
    empty = (values.get(name) for name in ("cauh", "capropvar"))
    return (
        values.get("apVar") == []
        or any(vector and vector["pElems"] == [] for vector in empty)
        or any(map(_has_nothing_aligned_by_eight, values.values()))
    )


@_EXAMPLES
@given(st.data())
@pytest.mark.parametrize("compared", CALLS, ids=str)
def test_scapy_reads_what_we_write(compared: Call, data: st.DataObject) -> None:
    values, count = _drawn(data, compared)
    stub = compared.encoded(values, fill=0xEE)
    assert compared.dissected(stub, count) == (values, b"")


@_EXAMPLES
@given(st.data())
@pytest.mark.parametrize("compared", CALLS, ids=str)
def test_we_read_what_scapy_writes(compared: Call, data: st.DataObject) -> None:
    values, count = _drawn(data, compared)
    stub = compared.built(values, count)
    decoded = compared.decoded(stub)
    assert decoded.values == values
    assert decoded.problems == ()
    assert decoded.consumed == len(stub)
    assert stub == compared.encoded(values)


def test_every_operation_that_scapy_defines_is_declared_here() -> None:
    for interface, module in MODULES:
        (opnums,) = (value for name, value in vars(module).items() if name.endswith("_OPNUMS"))
        defined = {number: pair.request.__name__.removesuffix("_Request") for number, pair in opnums.items()}
        assert defined == {operation.opnum: operation.name for operation in interface.operations}
