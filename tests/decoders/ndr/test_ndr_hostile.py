"""A few bytes never cost more than a few milliseconds and a megabyte."""

from __future__ import annotations

import struct as packing
import sys
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from decoders.interfaces import mqmq
from decoders.limits import MAX_NDR_DEPTH, MAX_NDR_VALUES
from decoders.ndr.base_types import BYTE, CHAR, DWORD, GUID, WCHAR
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import Array, Direction, Member, Named, Pointer, PointerKind, String, Struct, Syntax, Type
from tests.timing import quickest

from .operations import NDR, NDR64, of, problem, read, struct

if TYPE_CHECKING:
    from decoders.ndr.interpreter import Decoded

EMPTY = Struct("EMPTY", ())
VARIANTS = Array(Named("PROPVARIANT"), size_is="n")
MANY = {NDR: 2**32 - 1, NDR64: 2**64 - 1}
WORD = {NDR: "I", NDR64: "Q"}


def cheaply(declared: Type, stub: bytes, syntax: Syntax) -> Decoded:
    decode = compile_decoder(of(declared), Direction.IN, mqmq.TYPES, syntax, "<")
    decode(stub)
    _, seconds = quickest(lambda: decode(stub), 0.05)
    assert seconds < 0.05
    tracemalloc.start()
    try:
        decoded = decode(stub)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()
    return decoded


@pytest.mark.parametrize("syntax", Syntax)
@pytest.mark.parametrize(
    "element",
    [
        BYTE,
        WCHAR,
        DWORD,
        GUID,
        Pointer(DWORD),
        Pointer(EMPTY),
        Pointer(BYTE, PointerKind.REF),
        Pointer(EMPTY, PointerKind.REF),
        Pointer(Array(BYTE, size_is="n"), PointerKind.REF),
        String(WCHAR),
        String(CHAR, bound=3),
        EMPTY,
        struct(Member("e", EMPTY), Member("f", Array(EMPTY, bound=9))),
        struct(Member("b", BYTE)),
        Named("PROPVARIANT"),
    ],
    ids=str,
)
@pytest.mark.parametrize("follow", [0, 40])
def test_a_count_costs_nothing(element: Type, syntax: Syntax, follow: int) -> None:
    for array in (Array(element, size_is="n"), Array(element, size_is="n", length_is="n")):
        words = [MANY[syntax]] + [0, MANY[syntax]] * array.varying
        stub = packing.pack("<" + WORD[syntax] * len(words), *words) + bytes(follow)
        decoded = cheaply(array, stub, syntax)
        assert not decoded.complete
        assert decoded.problems[-1].code in {"ndr-truncated", "ndr-too-large"}


@pytest.mark.parametrize("syntax", Syntax)
def test_a_string_count_costs_nothing(syntax: Syntax) -> None:
    stub = packing.pack("<3" + WORD[syntax], MANY[syntax], 0, MANY[syntax]) + bytes(40)
    assert problem(cheaply(String(WCHAR), stub, syntax)).code == "ndr-truncated"


def test_empty_elements_are_limited_too() -> None:
    decoded = read(of(Array(EMPTY, size_is="n")), packing.pack("<I", MAX_NDR_VALUES + 1))
    assert problem(decoded).code == "ndr-too-large"
    assert decoded.values == {"p": None}


def nested(levels: int) -> bytes:
    """A vector of one variant that is a vector of one variant, and so on; the last one is VT_NULL."""
    vector = packing.pack("<HBBIHxxII", 0x100C, 0, 0, 0, 0x100C, 1, 0x20000)
    stub = b""
    for _ in range(levels):
        stub += packing.pack("<I", 1)
        stub += bytes(-len(stub) % 8) + vector
    stub += packing.pack("<I", 1)
    return stub + bytes(-len(stub) % 8) + packing.pack("<HBBIH", 1, 0, 0, 0, 1)


def test_vectors_within_vectors_stop_at_the_limit_and_far_from_the_end_of_the_stack() -> None:
    def depth() -> int:
        frame, count = sys._getframe(), 0
        while frame.f_back:
            frame, count = frame.f_back, count + 1
        return count

    decode = compile_decoder(of(VARIANTS), Direction.IN, mqmq.TYPES, NDR, "<")
    allowed = sys.getrecursionlimit()
    sys.setrecursionlimit(depth() + 4 * MAX_NDR_DEPTH)
    try:
        fits = decode(nested(MAX_NDR_DEPTH - 1))
        deep = decode(nested(2_000))
    finally:
        sys.setrecursionlimit(allowed)
    assert fits.complete
    assert fits.problems == ()
    assert problem(deep).code == "ndr-too-deep"
    assert problem(deep).path == "p[0]._varUnion.capropvar.pElems" + "[0]._varUnion.capropvar.pElems" * (
        MAX_NDR_DEPTH - 1
    )


def test_the_largest_stub_of_the_smallest_variants_is_refused_before_it_is_built() -> None:
    count = 4 * 1024 * 1024 // 16
    stub = packing.pack("<II", count, 0) + bytes(16 * count)
    decoded = cheaply_large(stub)
    assert problem(decoded).code == "ndr-too-large"


def cheaply_large(stub: bytes) -> Decoded:
    decode = compile_decoder(of(VARIANTS), Direction.IN, mqmq.TYPES, NDR, "<")
    decoded, seconds = quickest(lambda: decode(stub), 0.5)
    assert seconds < 0.5
    return decoded
