"""impacket reads what we write and we read what it writes, gaps apart the same bytes; differences.toml has the rest.

Its endpoint mapper is its own; the calls of MSMQ are declared in impacket_calls.py.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from decoders.interfaces import INTERFACES
from decoders.ndr.model import Direction, Syntax
from tests.decoders.ndr.arguments import arguments
from tests.second_opinion.stubs.impacket_calls import CALLS
from tests.second_opinion.stubs.impacket_values import built, decoded, dissected, encoded, without_gaps
from tests.second_opinion.stubs.left_out import has_nothing_aligned_by_eight

_DEEP: Final = 5
_OPERATIONS: Final = {
    operation.name: (operation, interface.types)
    for interface in INTERFACES.values()
    for operation in interface.operations
}
_COMPARED: Final = [
    pytest.param(name, direction, syntax, id=f"{name}-{direction.name}-{syntax}")
    for name, direction in CALLS
    for syntax in Syntax
]


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
@pytest.mark.parametrize(("name", "direction", "syntax"), _COMPARED)
def test_each_reads_what_the_other_writes(name: str, direction: Direction, syntax: Syntax, data: st.DataObject) -> None:
    operation, types = _OPERATIONS[name]
    values = data.draw(arguments(operation, direction, types, _DEEP))
    assume(_compared(values, syntax))
    stub = encoded(operation, direction, syntax, values, fill=0xEE)
    assert dissected(operation, direction, syntax, stub) == (values, len(stub))
    theirs = built(operation, direction, syntax, values)
    read = decoded(operation, direction, syntax, theirs)
    assert (read.values, read.problems, read.consumed) == (values, (), len(theirs))
    assert without_gaps(operation, direction, syntax, values, theirs) == encoded(operation, direction, syntax, values)


def _compared(values: dict[str, Any], syntax: Syntax) -> bool:
    if syntax is Syntax.NDR:
        return not has_nothing_aligned_by_eight(values)
    # structure-gap: a tower's 8-byte count hides it.
    entries = values.get("entries")
    return not entries or any(entry["tower"] for entry in entries)
