"""A few hostile bytes cost no more than milliseconds and a megabyte, decoded and as text."""

from __future__ import annotations

import struct
import sys
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from decoders.dcom.pointers import interface_pointers
from decoders.limits import MAX_NDR_DEPTH, MAX_NDR_VALUES
from decoders.ndr.interpreter import decode
from decoders.ndr.model import Direction, Member, Named, Pointer, Syntax
from decoders.oaut.building import bstr, byte_array, safearray, variant
from decoders.oaut.descriptions import DESCRIPTION_TYPES
from decoders.oaut.names import VT
from decoders.oaut.texts import variant_text, variant_value
from decoders.oaut.variant import VT_ARRAY, VT_BYREF
from tests.decoders.ndr.operations import request
from tests.timing import quickest

from .variants import read, sent

if TYPE_CHECKING:
    from collections.abc import Callable

    from decoders.ndr.interpreter import Decoded

MANY = 0xFFFFFFFF
HEAD = struct.pack("<II", 0x20000, 0)
ARRAY_HEAD = HEAD + struct.pack("<IIHHHHIII", 9, 0, 0x200C, 0, 0, 0, 0x2000, 0x20004, 0x20008)


def cheaply(stub: bytes) -> Decoded:
    """Milliseconds, with all that is made of it."""

    def all_of_it() -> Decoded:
        decoded = read(stub)
        variant_text(decoded.values["v"])
        variant_value(decoded.values["v"])
        list(interface_pointers(decoded.values))
        return decoded

    all_of_it()
    _, seconds = quickest(all_of_it, 0.02)
    assert seconds < 0.02
    tracemalloc.start()
    try:
        decoded = all_of_it()
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    return decoded


def by_reference(levels: int) -> bytes:
    """A variant that refers to a variant, and so on: two referent ids a level."""
    stub = struct.pack("<I", 0x20000)
    for _ in range(levels):
        stub += bytes(-len(stub) % 8) + struct.pack("<IIHHHHIII", 9, 0, 0x400C, 0, 0, 0, 0x400C, 1, 2)
    return stub + bytes(-len(stub) % 8) + struct.pack("<IIHHHHI", 3, 0, 1, 0, 0, 0, 1)


def test_variants_within_variants_stop_at_the_limit_and_far_from_the_end_of_the_stack() -> None:
    assert cheaply(by_reference(MAX_NDR_DEPTH - 1)).complete
    frame, depth = sys._getframe(), 0
    while frame.f_back:
        frame, depth = frame.f_back, depth + 1
    allowed = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + 5 * MAX_NDR_DEPTH)
    try:
        deep = read(by_reference(2_000))
    finally:
        sys.setrecursionlimit(allowed)
    assert deep.problems[-1].code == "ndr-too-deep"
    assert cheaply(by_reference(2_000)).problems == deep.problems


def test_arrays_within_arrays_stop_at_the_limit() -> None:
    inner: dict[str, Any] = variant(VT["VT_NULL"])
    for _ in range(MAX_NDR_DEPTH // 3 + 1):
        inner = {**inner, "vt": 0x200C, "_varUnion": {"parray": safearray("VT_VARIANT", [inner, inner][:1])}}
    assert cheaply(sent(inner)).problems[-1].code == "ndr-too-deep"


@pytest.mark.parametrize("sf_type", [2, 3, 8, 9, 10, 12, 13, 16, 20, 36, 0x800D, 0xFFFFFFFF])
@pytest.mark.parametrize("dimensions", [0, 1, 65535])
@pytest.mark.parametrize("bounds", [0, 1, MANY])
def test_counts_of_an_array_cost_nothing(sf_type: int, dimensions: int, bounds: int) -> None:
    stub = ARRAY_HEAD + struct.pack("<IHHIII", bounds, dimensions, 0x80, 4, 0x000C0000, sf_type)
    stub += struct.pack("<II", MANY, 0x2000C) + struct.pack("<II", MANY, 0) * 9 + struct.pack("<I", MANY) + bytes(40)
    decoded = cheaply(stub)
    assert not decoded.complete
    assert decoded.problems[-1].code in {"ndr-truncated", "ndr-unknown-tag", "ndr-too-large"}


def test_bounds_whose_product_overflows_are_only_numbers() -> None:
    array = safearray("VT_UI1", b"ab")
    array["cDims"], array["rgsabound"] = 64, [{"cElements": MANY, "lLbound": -(2**31)}] * 64
    decoded = cheaply(sent({**variant(0), "vt": 0x2011, "_varUnion": {"parray": array}}))
    assert decoded.problems == ()
    assert variant_value(decoded.values["v"]) == b"ab"


@pytest.mark.parametrize("tag", [8, 9, 13, 36, 0x4008, 0x4024, 0x4009])
def test_counts_of_referents_cost_nothing(tag: int) -> None:
    stub = HEAD + struct.pack("<IIHHHHII", 9, 0, tag, 0, 0, 0, tag, 1) + struct.pack("<I", MANY) * 6 + bytes(20)
    assert not cheaply(stub).complete


def test_a_type_description_within_itself_stops_at_the_limit() -> None:
    chain = struct.pack("<HxxIHxx", 26, 0x20000, 26) * 5_000
    operation = request(Member("p", Pointer(Named("TYPEDESC"))))

    def work() -> Decoded:
        return decode(operation, Direction.IN, b"\1\0\0\0" + chain, DESCRIPTION_TYPES, Syntax.NDR, "<")

    assert work().problems[-1].code == "ndr-too-deep"
    assert quickest(work, 0.02)[1] < 0.02


def test_the_largest_stub_of_the_smallest_variants_is_refused() -> None:
    """Each takes 28 bytes and some 600 in memory."""
    number = 4 * 1024 * 1024 // 28
    head = struct.pack("<IHHIIIII", 1, 1, 0x880, 16, 0x000C0000, 12, number, 1) + struct.pack("<IiI", number, 0, number)
    stub = ARRAY_HEAD + head + struct.pack("<I", 1) * number
    stub += bytes(-len(stub) % 8) + struct.pack("<IIHHHHIxxxx", 3, 0, 1, 0, 0, 0, 1) * number
    decoded, seconds = quickest(lambda: read(stub), 3.0)
    assert decoded.problems[-1].code == "ndr-too-large"
    built = decoded.values["v"]["_varUnion"]["parray"]["uArrayStructs"]["u"]["VariantStr"]["aVariant"]
    assert sum(one is not None for one in built) < MAX_NDR_VALUES // 10
    assert seconds < 3.0


def test_a_message_of_four_megabytes_is_read_at_once() -> None:
    stub = sent(byte_array(bytes(4 * 1024 * 1024)))
    decoded, seconds = quickest(lambda: read(stub), 0.05)
    assert decoded.problems == ()
    assert seconds < 0.05
    words = sent(variant(VT["VT_BSTR"], bstr("x" * 2 * 1024 * 1024)))
    assert read(words).problems == ()


@pytest.mark.parametrize(
    "build",
    [
        lambda: byte_array(bytes(4_000_000)),
        lambda: variant(VT["VT_BSTR"], bstr("\0" * 2_000_000)),
        lambda: variant(VT_ARRAY | VT["VT_R8"], safearray("VT_R8", [0.5] * 500_000)),
        lambda: variant(VT_ARRAY | VT["VT_BSTR"], safearray("VT_BSTR", [bstr(None)] * 20_000)),
        lambda: variant(VT_ARRAY | VT["VT_VARIANT"], safearray("VT_VARIANT", [variant(0)] * 10_000)),
        lambda: variant(VT_BYREF | VT["VT_VARIANT"], variant(0x2003, safearray("VT_I4", range(500_000)))),
    ],
    ids=["bytes", "text", "numbers", "texts", "variants", "by reference"],
)
def test_a_short_text_of_a_large_value_takes_no_time(build: Callable[[], dict[str, Any]]) -> None:
    large = build()
    text, seconds = quickest(lambda: variant_text(large), 0.01)
    assert len(text) <= 512
    assert text.endswith("...")
    assert seconds < 0.01


def test_more_elements_than_the_limit_stay_bytes() -> None:
    array = safearray("VT_I2", [])
    array["uArrayStructs"]["u"]["WordStr"] = {"clSize": MAX_NDR_VALUES + 1, "pData": bytes(2 * MAX_NDR_VALUES + 2)}
    value, seconds = quickest(lambda: variant_value({"vt": 0x2002, "_varUnion": {"parray": array}}), 0.05)
    assert isinstance(value, bytes)
    assert seconds < 0.05


def test_the_search_for_objects_ends() -> None:
    shared: list[Any] = []
    for _ in range(64):
        shared = [shared, shared]
    found, seconds = quickest(lambda: list(interface_pointers(shared)), 0.05)
    assert found == []
    assert seconds < 0.05
