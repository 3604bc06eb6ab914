"""Every operation that is declared, with random arguments and with random bytes."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import decoders.interfaces
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction, Interface, Operation, Syntax

from .arguments import arguments

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

ORDERS: st.SearchStrategy[ByteOrder] = st.sampled_from(["<", ">"])


def _interfaces() -> list[Interface]:
    modules = pkgutil.iter_modules(decoders.interfaces.__path__, "decoders.interfaces.")
    declared = [value for module in modules for value in vars(importlib.import_module(module.name)).values()]
    return list({one.uuid: one for one in declared if isinstance(one, Interface)}.values())


OPERATIONS = [
    pytest.param(interface, operation, id=f"{interface.name}-{operation.name}")
    for interface in _interfaces()
    for operation in interface.all_operations
]


@settings(max_examples=10, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.data())
@pytest.mark.parametrize(("interface", "operation"), OPERATIONS)
def test_arguments_come_back(interface: Interface, operation: Operation, data: st.DataObject) -> None:
    direction = data.draw(st.sampled_from([Direction.IN, Direction.OUT]))
    syntax, order = data.draw(st.sampled_from(Syntax)), data.draw(ORDERS)
    values = data.draw(arguments(operation, direction, interface.types))
    stub = encode(operation, direction, values, interface.types, syntax, order, fill=0xEE)
    decode = compile_decoder(operation, direction, interface.types, syntax, order)
    decoded = decode(stub)
    assert decoded.values == values
    assert decoded.problems == ()
    assert decoded.consumed == len(stub)
    for cut in {0, len(stub) // 2, max(len(stub) - 1, 0)}:
        assert decode(stub[:cut]).values.keys() == values.keys()
    assert decode(data.draw(st.binary(max_size=100))).values.keys() == values.keys()
