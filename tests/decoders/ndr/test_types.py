"""Types outside of operations, parameters behind something else, and counts that are rounded up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decoders.ndr.base_types import BYTE, DWORD, UNSIGNED_LONG
from decoders.ndr.counts import Rounded, compared_with
from decoders.ndr.encoder import encode, encode_type
from decoders.ndr.interpreter import compile_decoder, decode
from decoders.ndr.model import Array, Direction, Member, Pointer, Scalar, Struct, Syntax
from decoders.ndr.types import decode_type

from .arguments import arguments
from .operations import COUNT, NDR, read, request

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

HYPER = Scalar("hyper", 8)
ROUNDED = Struct("R", (Member("size", UNSIGNED_LONG), Member("data", Array(BYTE, size_is="(size+7)&~7"))))
LIST = Struct("L", (Member("size", DWORD), Member("them", Pointer(Array(Pointer(ROUNDED), size_is="(size+1)&~1")))))
LATE = request(Member("data", Array(BYTE, size_is="(n+3)&~3")), COUNT)
ORDERS: st.SearchStrategy[ByteOrder] = st.sampled_from(["<", ">"])


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(size+7)&~7", Rounded("size", 7)),
        ("( size + 1 ) & ~1", Rounded("size", 1)),
        ("(size+7)&~3", None),
        ("(size+6)&~6", None),
        ("size+7", None),
        ("size / 2", None),
        ("*size", "size"),
        ("12", 12),
    ],
)
def test_what_a_size_is_compared_with(expression: str, expected: object) -> None:
    assert compared_with(expression) == expected


@pytest.mark.parametrize(("size", "count", "fits"), [(0, 0, True), (1, 8, True), (8, 8, True), (9, 8, False)])
def test_a_rounded_count_is_compared(size: int, count: int, fits: bool) -> None:
    data = count.to_bytes(4, "little") + size.to_bytes(4, "little") + bytes(count)
    found = decode_type({}, ROUNDED, data, "<", NDR)
    assert found.value == {"size": size, "data": bytes(count)}
    assert [(problem.code, problem.path) for problem in found.problems] == (
        [] if fits else [("ndr-count-differs", "R.data")]
    )
    assert found.end == len(data)


@pytest.mark.parametrize(("n", "codes"), [(5, []), (9, ["ndr-count-differs"])])
def test_a_rounded_count_is_compared_once_its_member_is_read(n: int, codes: list[str]) -> None:
    stub = bytes((8, 0, 0, 0)) + bytes(8) + n.to_bytes(4, "little")
    assert [problem.code for problem in read(LATE, stub).problems] == codes


@given(st.data(), st.sampled_from(Syntax), ORDERS, st.integers(0, 3), st.integers(0, 255))
def test_a_type_is_read_as_it_was_written(
    data: st.DataObject, syntax: Syntax, order: ByteOrder, words: int, fill: int
) -> None:
    value: dict[str, Any] = data.draw(arguments(request(Member("p", LIST)), Direction.IN, {}))["p"]
    front = 8 * words
    written = encode_type(LIST, value, {}, syntax, order, fill=fill)
    found = decode_type({}, LIST, bytes(front) + written + b"\xff\xff", order, syntax, front)
    assert found.complete
    assert found == (value, (), front + len(written))
    for cut in range(0, len(written), 3):
        assert not decode_type({}, LIST, written[:cut], order, syntax).complete


@pytest.mark.parametrize(("start", "value", "end"), [(0, 1, 8), (1, 2, 16), (8, 2, 16), (12, 3, 24)])
def test_a_scalar_is_aligned_wherever_reading_begins(start: int, value: int, end: int) -> None:
    data = b"".join(number.to_bytes(8, "little") for number in (1, 2, 3))
    assert decode_type({}, HYPER, data, "<", NDR, start) == (value, (), end)


@given(st.binary(max_size=120), ORDERS, st.sampled_from(Syntax), st.integers(0, 130))
def test_any_bytes_from_anywhere(data: bytes, order: ByteOrder, syntax: Syntax, start: int) -> None:
    found = decode_type({}, LIST, data, order, syntax, start)
    assert found.end <= len(data)
    assert start <= found.end or start > len(data)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1), st.binary(max_size=24), ORDERS)
def test_parameters_begin_anywhere_and_are_aligned_by_the_stub(
    small: int, large: int, before: bytes, order: ByteOrder
) -> None:
    operation = request(Member("small", DWORD), Member("large", HYPER))
    values = {"small": small, "large": large}
    stub = encode(operation, Direction.IN, values, {}, NDR, order, before=before)
    aligned = len(before) + -len(before) % 4 + 4
    assert len(stub) == aligned + -aligned % 8 + 8
    for found in (
        decode(operation, Direction.IN, stub, {}, NDR, order, start=len(before)),
        compile_decoder(operation, Direction.IN, {}, NDR, order)(stub, start=len(before)),
    ):
        assert (found.values, found.problems, found.consumed) == (values, (), len(stub))
