"""Random declarations, random values, and what captures do to stubs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.limits import MAX_NDR_PROBLEMS
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction, Syntax
from decoders.ndr.problems import PROBLEMS

from .declarations import TYPES, calls

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder
    from decoders.ndr.model import Operation

Call = tuple["Operation", dict[str, Any]]
SYNTAXES = st.sampled_from(Syntax)
ORDERS: st.SearchStrategy[ByteOrder] = st.sampled_from(["<", ">"])
FILLS = st.integers(0, 255)


@given(calls(), SYNTAXES, ORDERS, FILLS)
def test_decoding_undoes_encoding(call: Call, syntax: Syntax, order: ByteOrder, fill: int) -> None:
    operation, values = call
    stub = encode(operation, Direction.IN, values, TYPES, syntax, order, fill=fill)
    decoded = compile_decoder(operation, Direction.IN, TYPES, syntax, order)(memoryview(stub))
    assert decoded.problems == ()
    assert decoded.values == values
    assert list(decoded.values) == list(values)
    assert decoded.complete
    assert decoded.consumed == len(stub)


@settings(max_examples=60)
@given(calls(), SYNTAXES, ORDERS, st.binary(max_size=40))
def test_parameters_behind_something_else(call: Call, syntax: Syntax, order: ByteOrder, before: bytes) -> None:
    operation, values = call
    stub = encode(operation, Direction.IN, values, TYPES, syntax, order, before=before)
    decoded = compile_decoder(operation, Direction.IN, TYPES, syntax, order)(stub, start=len(before))
    assert stub.startswith(before)
    assert decoded.problems == ()
    assert decoded.values == values
    assert decoded.consumed == len(stub)


@settings(max_examples=60)
@given(calls(), SYNTAXES, ORDERS)
def test_a_stub_cut_anywhere_gives_what_stood_before_the_cut(call: Call, syntax: Syntax, order: ByteOrder) -> None:
    operation, values = call
    stub = encode(operation, Direction.IN, values, TYPES, syntax, order)
    decode = compile_decoder(operation, Direction.IN, TYPES, syntax, order)
    for cut in range(len(stub)):
        decoded = decode(stub[:cut])
        assert_prefix(decoded.values, values)
        assert decoded.consumed <= cut
        assert decoded.complete or decoded.problems[-1].code == "ndr-truncated"
        assert not decoded.complete or decoded.values == values, "complete although something is missing"


def assert_prefix(part: object, whole: object) -> None:
    """Everything in `part` is in `whole`, at the same place; None and shorter lists are what was not reached."""
    if isinstance(part, dict):
        assert isinstance(whole, dict)
        assert part.keys() == whole.keys()
        for key in part:
            assert_prefix(part[key], whole[key])
    elif isinstance(part, list):
        assert isinstance(whole, list)
        assert len(part) <= len(whole)
        for item, original in zip(part, whole, strict=False):
            assert_prefix(item, original)
    else:
        assert part is None or part == whole


@settings(max_examples=60)
@given(
    calls(), SYNTAXES, ORDERS, st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 7)), min_size=1, max_size=8)
)
def test_flipped_bits_are_decoded_or_reported_but_never_raise(
    call: Call, syntax: Syntax, order: ByteOrder, flips: list[tuple[int, int]]
) -> None:
    operation, values = call
    stub = bytearray(encode(operation, Direction.IN, values, TYPES, syntax, order))
    for position, bit in flips:
        if stub:
            stub[position % len(stub)] ^= 1 << bit
    decoded = compile_decoder(operation, Direction.IN, TYPES, syntax, order)(bytes(stub))
    assert list(decoded.values) == list(values)
    assert decoded.consumed <= len(stub)
    assert {found.code for found in decoded.problems} <= PROBLEMS.keys()
    stops = [found for found in decoded.problems if PROBLEMS[found.code].stops]
    assert len(stops) == (not decoded.complete)


@settings(max_examples=60)
@given(calls(), SYNTAXES, ORDERS, st.binary(max_size=200))
def test_any_bytes(call: Call, syntax: Syntax, order: ByteOrder, stub: bytes) -> None:
    operation, values = call
    decoded = compile_decoder(operation, Direction.IN, TYPES, syntax, order)(stub)
    assert list(decoded.values) == list(values)
    assert all(0 <= found.offset <= len(stub) for found in decoded.problems)
    if decoded.complete and decoded.consumed < len(stub):
        assert (
            "ndr-trailing-bytes" in {found.code for found in decoded.problems}
            or len(decoded.problems) > MAX_NDR_PROBLEMS
        )
