"""VARIANT, BSTR and SAFEARRAY byte by byte, as [MS-OAUT] 2.2.23, 2.2.29 and 2.2.30 and real traffic have them."""

from __future__ import annotations

import pytest

from decoders.interfaces import dispatch
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Direction, Named, Syntax
from decoders.oaut.building import bstr, byte_array, safearray, variant
from decoders.oaut.declarations import TYPES
from decoders.oaut.names import VT
from decoders.oaut.texts import variant_value
from decoders.oaut.variant import VT_ARRAY, VT_BYREF
from tests.decoders.ndr.operations import value

from .variants import read, sent, variant_of

HEAD = "55736572 00000000"
"""A referent id and the gap to a multiple of 8."""


def test_the_tag_has_four_bytes() -> None:
    """Two would leave the value's place to the tag's end: seen only with values shorter than four bytes."""
    stub = HEAD + "03000000 00000000 0b00 0000 0000 0000 0b000000 ffff"
    assert variant_of(stub)["_varUnion"] == {"boolVal": -1}
    assert variant_value(variant_of(stub)) is True


def test_eight_byte_values_have_a_gap_behind_the_tag() -> None:
    stub = HEAD + "04000000 00000000 1500 aaaa bbbb cccc 15000000 eeeeeeee 0100000000000080"
    assert variant_value(variant_of(stub)) == 0x8000000000000001


@pytest.mark.parametrize(
    ("blob", "value"),
    [
        ("02000000 04000000 02000000 41004200", "AB"),
        ("00000000 00000000 00000000", ""),
        ("00000000 ffffffff 00000000", None),
        ("02000000 03000000 02000000 41004200", "410042"),
    ],
    ids=["text", "empty", "null", "binary"],
)
def test_a_bstr(blob: str, value: str | None) -> None:
    stub = HEAD + "05000000 00000000 0800 0000 0000 0000 08000000 55736572" + blob
    assert variant_value(variant_of(stub)) == value


def test_a_null_pointer_is_a_null_bstr_too() -> None:
    stub = HEAD + "03000000 00000000 0800 0000 0000 0000 08000000 00000000"
    assert variant_value(variant_of(stub)) is None


BODY = (
    "00200000 01000200 02000200"  # tag without the element's type, PSAFEARRAY's two referent ids
    "01000000 0100 8000 01000000 00001100"  # max_count, cDims, fFeatures, cbElements, cLocks
    "10000000 03000000 03000200"  # sfType, clSize, pData
    "03000000 00000000"  # rgsabound
    "03000000 616263"
)


def test_an_array_of_bytes() -> None:
    found = variant_of(HEAD + "0a000000 00000000 1120 0000 0000 0000" + BODY)
    assert variant_value(found) == b"abc"
    assert found["_varUnion"]["parray"]["uArrayStructs"]["sfType"] == 16
    assert byte_array(b"abc")["_varUnion"] == found["_varUnion"]


def test_an_array_by_reference_has_one_more_referent_id() -> None:
    body = "00600000 00000200" + BODY.removeprefix("00200000")
    assert variant_value(variant_of(HEAD + "0a000000 00000000 1160 0000 0000 0000" + body)) == b"abc"


def test_another_tag_than_the_type_is_reported() -> None:
    stub = bytes.fromhex(HEAD + "03000000 00000000 1120 0000 0000 0000 03000000 07000000")
    (problem,) = read(stub).problems
    assert (problem.code, problem.path) == ("ndr-union-tag-differs", "v._varUnion")


def test_a_variant_by_value_within_a_variant_is_none() -> None:
    stub = bytes.fromhex(HEAD + "03000000 00000000 0c00 0000 0000 0000 0c000000 00000000")
    assert [problem.code for problem in read(stub).problems] == ["ndr-unknown-tag"]


def test_a_variant_by_reference_has_its_own_referent_id() -> None:
    inner = "03000000 00000000 0300 0000 0000 0000 03000000 2a000000"
    stub = HEAD + "08000000 00000000 0c40 0000 0000 0000 0c400000 01000200 02000200 eeeeeeee" + inner
    assert variant_value(variant_of(stub)) == 42


def test_bytes_are_little_endian_in_a_big_endian_call_but_for_the_pointer_to_them() -> None:
    stub = "00020000 00000000 05000000 00000000 0800 0000 0000 0000 08000000 01000200"
    found = variant_of(stub + "01000000 02000000 01000000 4100", ">")
    assert variant_value(found) == "A"
    assert variant_value(read(sent(variant(VT["VT_BSTR"], bstr("A")), order=">"), order=">").values["v"]) == "A"


def test_a_bstr_by_itself_is_little_endian_too() -> None:
    stub = "00020000 01000000 02000000 01000000 4100"
    assert value(Named("BSTR"), stub, TYPES, order=">") == bstr("A")


def test_an_object_reference_has_its_counts_in_the_calls_byte_order() -> None:
    head = "00020000 00000000 05000000 00000000 0d00 0000 0000 0000 0d000000 01000200"
    assert variant_value(variant_of(head + "00000003 00000003 4d454f", ">")) == b"MEO"
    assert variant_value(variant_of(head + "03000000 03000000 4d454f")) == b"MEO"


def test_two_variants_follow_each_other_without_a_boundary_of_eight() -> None:
    """ClSize is rounded up, what follows begins right behind the value: a response of Invoke."""
    invoke = dispatch.OPERATIONS[3]
    stub = bytes.fromhex(
        "0000000000000000"  # ORPCTHAT
        "55736572 00000000 03000000 00000000 0b00 0000 0000 0000 0b000000 ffff 0000"
        "0000 0000 01000200 02000200 03000200 00000000 00000000 00000000 09000280"
        + "00000000 ffffffff 00000000" * 3
        + "05000000 00000000 09000280"
    )
    decoded = compile_decoder(invoke, Direction.OUT, dispatch.INTERFACE.types, Syntax.NDR, "<")(stub, start=8)
    assert decoded.problems == ()
    assert variant_value(decoded.values["pVarResult"]) is True
    assert decoded.values["pExcepInfo"]["scode"] == 0x80020009
    assert (decoded.values["pArgErr"], decoded.values["rgVarRef"]) == (5, [])


def test_what_is_built_counts_itself() -> None:
    assert variant(VT["VT_EMPTY"])["clSize"] == 3
    assert variant(VT["VT_BSTR"], bstr("7"))["clSize"] == 5
    assert variant(VT_BYREF | VT["VT_I4"], 1)["clSize"] == 4
    assert variant(VT_ARRAY | VT["VT_BSTR"], safearray("VT_BSTR", [bstr("x"), bstr(None)]))["clSize"] == 13
