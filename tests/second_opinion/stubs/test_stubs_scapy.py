"""scapy reads what we write and we read what scapy writes, the same bytes, but for what differences.toml has."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from decoders.interfaces import qmmgmt
from decoders.ndr.model import Direction, Syntax
from tests.decoders.ndr.arguments import arguments
from tests.second_opinion.stubs.corrections import corrected
from tests.second_opinion.stubs.scapy_calls import ENCODINGS, MODULES, Call, as_scapy_declares, call

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    for operation in interface.operations
    if operation.name not in _LEFT_OUT
    for direction in (Direction.IN, Direction.OUT)
}
# By name: Hypothesis shows a test's arguments, warns of one as long as an interface, and the warning hides the failure.
_EXAMPLES: Final = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.fixture(scope="module", autouse=True)
def _corrected() -> Iterator[None]:
    with corrected():
        yield


@_EXAMPLES
@given(st.data())
@pytest.mark.parametrize("name", CALLS)
def test_scapy_reads_what_we_write(name: str, data: st.DataObject) -> None:
    declared = CALLS[name]
    values, count = _drawn(data, declared)
    for compared in _encodings(declared, values):
        stub = compared.encoded(values, fill=0xEE)
        assert compared.dissected(stub, count) == (values, b""), str(compared)


@_EXAMPLES
@given(st.data())
@pytest.mark.parametrize("name", CALLS)
def test_we_read_what_scapy_writes(name: str, data: st.DataObject) -> None:
    declared = CALLS[name]
    values, count = _drawn(data, declared)
    for compared in _encodings(declared, values):
        stub = compared.built(values, count)
        decoded = compared.decoded(stub)
        assert decoded.values == values, str(compared)
        assert decoded.problems == (), str(compared)
        assert decoded.consumed == len(stub), str(compared)
        assert stub == compared.encoded(values), str(compared)


def _drawn(data: st.DataObject, declared: Call) -> tuple[dict[str, Any], int | None]:
    """Arguments, and the count that only the request has."""
    values = data.draw(arguments(declared.operation, declared.direction, declared.interface.types, _DEEP))
    if declared.interface is qmmgmt.INTERFACE:
        values = _without_nul(values)
    needs_count = declared.operation.name == "R_QMMgmtGetInfo" and declared.direction is Direction.OUT
    return values, len(values["apVar"]) if needs_count else None


def _encodings(declared: Call, values: dict[str, Any]) -> Iterator[Call]:
    for syntax, order in ENCODINGS:
        # empty-array-gap
        if syntax is Syntax.NDR64 or not _has_nothing_aligned_by_eight(values):
            yield replace(declared, syntax=syntax, order=order)


def _without_nul(values: Any) -> Any:  # noqa: ANN401 - any of them
    # string-inner-nul
    match values:
        case str():
            return values.replace("\0", "0")
        case list():
            return [_without_nul(one) for one in values]
        case dict():
            return {name: _without_nul(one) for name, one in values.items()}
    return values


def _has_nothing_aligned_by_eight(values: Any) -> bool:  # noqa: ANN401
    if isinstance(values, list):
        return any(map(_has_nothing_aligned_by_eight, values))
    if not isinstance(values, dict):
        return False
    vectors = (values.get(name) for name in ("cauh", "capropvar"))
    return (
        values.get("apVar") == []
        or any(vector and vector["pElems"] == [] for vector in vectors)
        or any(map(_has_nothing_aligned_by_eight, values.values()))
    )


def test_every_operation_that_scapy_defines_is_declared_here() -> None:
    for interface, module in MODULES:
        (opnums,) = (value for name, value in vars(module).items() if name.endswith("_OPNUMS"))
        defined = {number: pair.request.__name__.removesuffix("_Request") for number, pair in opnums.items()}
        assert defined == {operation.opnum: operation.name for operation in interface.operations}
