"""VARIANTs of every type through both transfer syntaxes and byte orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from decoders.dcom.pointers import interface_pointers
from decoders.ndr.model import Direction, Member, Syntax
from decoders.oaut.declarations import TYPES
from decoders.oaut.safearray import SAFEARRAYUNION
from decoders.oaut.texts import variant_text, variant_value
from decoders.oaut.values import variant_content
from decoders.oaut.variant import VARIANT_UNION
from tests.decoders.ndr.arguments import arguments
from tests.decoders.ndr.operations import request
from tests.decoders.ndr.test_round_trip import assert_prefix

from .variants import ALONE, read, sent

if TYPE_CHECKING:
    from decoders.ndr.interpreter import ByteOrder

ORDERS: st.SearchStrategy[ByteOrder] = st.sampled_from(["<", ">"])
VARIANTS = arguments(ALONE, Direction.IN, TYPES, 6).map(lambda values: values["v"])
CASES = sorted(case for arm in VARIANT_UNION.arms for case in arm.cases)
SF_CASES = sorted(case for arm in SAFEARRAYUNION.union.arms for case in arm.cases)


@settings(max_examples=200)
@given(VARIANTS, st.sampled_from(Syntax), ORDERS)
def test_decoding_undoes_encoding(variant: Any, syntax: Syntax, order: ByteOrder) -> None:  # noqa: ANN401
    stub = sent(variant, syntax, order)
    decoded = read(stub, syntax, order)
    assert decoded.problems == ()
    assert decoded.values == {"v": variant}
    assert decoded.consumed == len(stub)


@settings(max_examples=10)
@pytest.mark.parametrize("case", CASES)
@given(st.data())
def test_every_type_comes_back(case: int, data: st.DataObject) -> None:
    of_case = VARIANTS.filter(lambda one: one is not None)
    variant = data.draw(of_case)
    arm = next(arm for arm in VARIANT_UNION.arms if case in arm.cases)
    value = data.draw(_values(arm.member.type)) if arm.member else None
    variant |= {"vt": case, "_varUnion": {arm.member.name: value} if arm.member else {}}
    for syntax in Syntax:
        for order in ("<", ">"):
            decoded = read(sent(variant, syntax, order), syntax, order)
            assert decoded.problems == ()
            assert decoded.values == {"v": variant}


@settings(max_examples=10)
@pytest.mark.parametrize("case", SF_CASES)
@given(st.data())
def test_every_array_comes_back(case: int, data: st.DataObject) -> None:
    arm = next(arm for arm in SAFEARRAYUNION.union.arms if case in arm.cases)
    assert arm.member
    array: dict[str, Any] = {"cDims": 2, "fFeatures": 0, "cbElements": 4, "cLocks": 0}
    array["uArrayStructs"] = {"sfType": case, "u": {arm.member.name: data.draw(_values(arm.member.type))}}
    array["rgsabound"] = [{"cElements": 3, "lLbound": -1}, {"cElements": 0, "lLbound": 0}]
    head = {"clSize": 9, "rpcReserved": 0, "vt": 0x2003, "wReserved1": 1, "wReserved2": 2, "wReserved3": 3}
    variant = {**head, "_varUnion": {"parray": array}}
    for syntax in Syntax:
        for order in ("<", ">"):
            decoded = read(sent(variant, syntax, order), syntax, order)
            assert decoded.problems == ()
            assert decoded.values == {"v": variant}


def _values(declared: Any) -> st.SearchStrategy[Any]:  # noqa: ANN401 - any type
    return arguments(request(Member("p", declared)), Direction.IN, TYPES, 4).map(lambda values: values["p"])


@settings(max_examples=60)
@given(VARIANTS, st.sampled_from(Syntax), ORDERS)
def test_a_stub_cut_anywhere_gives_what_stood_before(variant: Any, syntax: Syntax, order: ByteOrder) -> None:  # noqa: ANN401
    stub = sent(variant, syntax, order)
    for cut in range(len(stub)):
        decoded = read(stub[:cut], syntax, order)
        assert_prefix(decoded.values, {"v": variant})
        assert not decoded.complete or decoded.values == {"v": variant}
        variant_text(decoded.values["v"])


@settings(max_examples=200)
@given(st.binary(max_size=120), st.sampled_from(Syntax), ORDERS)
def test_any_bytes_have_a_value_and_a_text(stub: bytes, syntax: Syntax, order: ByteOrder) -> None:
    _told(read(stub, syntax, order).values["v"])


@settings(max_examples=200)
@given(VARIANTS, st.lists(st.tuples(st.integers(0, 9_999), st.integers(0, 7)), max_size=6))
def test_flipped_bits_have_a_value_and_a_text(variant: Any, flips: list[tuple[int, int]]) -> None:  # noqa: ANN401
    stub = bytearray(sent(variant))
    for place, bit in flips:
        stub[place % len(stub)] ^= 1 << bit
    _told(read(bytes(stub)).values["v"])


def _told(variant: object) -> None:
    variant_value(variant)
    variant_content(variant)
    for limit in (0, 1, 40):
        assert len(variant_text(variant, limit)) <= limit
    assert all(isinstance(objref, bytes) for objref in interface_pointers(variant))
