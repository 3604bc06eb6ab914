"""impacket's endpoint mapper reads what we write and we read what it writes, gaps apart the same bytes."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from decoders.interfaces import epm
from decoders.ndr.model import Direction, Operation, Syntax
from tests.decoders.ndr.arguments import arguments
from tests.second_opinion.stubs.impacket_values import CALLS, built, decoded, dissected, encoded, without_gaps

_EXAMPLES: Final = settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
_COMPARED: Final = [
    pytest.param(operation, direction, syntax, id=f"{operation.name}-{direction.name}-{syntax}")
    for operation in epm.INTERFACE.operations
    for direction in (Direction.IN, Direction.OUT)
    for syntax in Syntax
    if (operation.name, direction) in CALLS
]


def _drawn(data: st.DataObject, operation: Operation, direction: Direction, syntax: Syntax) -> dict[str, Any]:
    values: dict[str, Any] = data.draw(arguments(operation, direction, epm.INTERFACE.types))
    entries = values.get("entries")
    # structure-gap: a tower's 8-byte count hides it.
    assume(syntax is Syntax.NDR or not entries or any(entry["tower"] for entry in entries))
    return values


@_EXAMPLES
@given(st.data())
@pytest.mark.parametrize(("operation", "direction", "syntax"), _COMPARED)
def test_impacket_reads_what_we_write(
    operation: Operation, direction: Direction, syntax: Syntax, data: st.DataObject
) -> None:
    values = _drawn(data, operation, direction, syntax)
    stub = encoded(operation, direction, syntax, values, fill=0xEE)
    assert dissected(operation, direction, syntax, stub) == (values, len(stub))


@_EXAMPLES
@given(st.data())
@pytest.mark.parametrize(("operation", "direction", "syntax"), _COMPARED)
def test_we_read_what_impacket_writes(
    operation: Operation, direction: Direction, syntax: Syntax, data: st.DataObject
) -> None:
    values = _drawn(data, operation, direction, syntax)
    stub = built(operation, direction, syntax, values)
    read = decoded(operation, direction, syntax, stub)
    assert read.values == values
    assert read.problems == ()
    assert read.consumed == len(stub)
    assert without_gaps(operation, direction, syntax, values, stub) == encoded(operation, direction, syntax, values)
