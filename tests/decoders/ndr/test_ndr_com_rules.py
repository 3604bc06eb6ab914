"""What COM adds to NDR, byte by byte: interface pointers, encapsulated unions, folded tags, parameters further on."""

from __future__ import annotations

import pytest

from decoders.ndr.base_types import BYTE, DWORD, ULONGLONG, USHORT
from decoders.ndr.encoder import encode
from decoders.ndr.interpreter import compile_decoder
from decoders.ndr.model import (
    Arm,
    Array,
    CutBytes,
    CutObjref,
    Direction,
    EncapsulatedUnion,
    InterfacePointer,
    Member,
    ObjrefBytes,
    Pointer,
    PointerKind,
    Scalar,
    Struct,
    Union,
)

from .operations import COUNT, NDR, NDR64, of, problem, read, request, struct, value

POINTER = InterfacePointer("IUnknown")
ARMS = (Arm((1,), Member("a", BYTE)), Arm((2,), Member("b", ULONGLONG)), Arm((3,), None))
OWN_TAG = EncapsulatedUnion("E", "k", "u", Union("", DWORD, ARMS, sparse=True))


def test_an_interface_pointer_has_two_counts() -> None:
    assert value(POINTER, "01000000 03000000 03000000 616263") == b"abc"
    assert type(value(POINTER, "01000000 03000000 03000000 616263")) is ObjrefBytes
    assert value(POINTER, "01000000 00000003 00000003 616263".replace("01", "10"), order=">") == b"abc"
    wide = "0100000000000000 0300000000000000 03000000 616263"
    assert value(POINTER, wide, syntax=NDR64) == b"abc"


def test_a_null_interface_pointer() -> None:
    assert value(POINTER, "00000000") is None
    assert value(POINTER, "0000000000000000", syntax=NDR64) is None


def test_a_pointer_to_an_interface_pointer_as_parameter_has_one_referent_id() -> None:
    assert value(Pointer(POINTER, PointerKind.REF), "01000000 01000000 01000000 61") == b"a"
    assert value(Pointer(POINTER), "01000000 02000000 01000000 01000000 61") == b"a"


def test_within_a_structure_the_reference_follows_it() -> None:
    stub = "01000000 07000000 02000000 02000000 6162"
    assert value(struct(Member("i", POINTER), Member("n", DWORD)), stub) == {"i": b"ab", "n": 7}


def test_counts_that_differ_are_reported_and_the_first_is_used() -> None:
    decoded = read(of(POINTER), bytes.fromhex("01000000 02000000 03000000 616263"))
    assert [one.code for one in decoded.problems] == ["ndr-count-differs", "ndr-trailing-bytes"]
    assert decoded.values == {"p": b"ab"}


def test_a_reference_that_is_cut() -> None:
    decode = compile_decoder(of(POINTER), Direction.IN, {}, NDR, "<")
    stub = bytes.fromhex("01000000 09000000 09000000 616263")
    assert problem(decode(stub)).code == "ndr-truncated"
    assert decode(stub).values == {"p": None}
    kept = decode(stub, whole=False).values["p"]
    assert (type(kept), kept) == (CutObjref, b"abc")
    assert problem(decode(stub[:9])).code == "ndr-truncated"


@pytest.mark.parametrize(
    ("stub", "found"),
    [
        ("01000000 41", {"k": 1, "u": {"a": 0x41}}),
        ("02000000 eeeeeeee 0100000000000000", {"k": 2, "u": {"b": 1}}),
        ("03000000", {"k": 3, "u": {}}),
    ],
)
def test_an_encapsulated_union_has_its_tag_once(stub: str, found: object) -> None:
    assert value(OWN_TAG, stub) == found


def test_in_ndr64_its_arm_is_aligned_for_the_largest() -> None:
    assert value(OWN_TAG, "01000000 eeeeeeee 41", syntax=NDR64) == {"k": 1, "u": {"a": 0x41}}


def test_an_unknown_tag_is_kept() -> None:
    decoded = read(of(OWN_TAG), bytes.fromhex("09000000 41"))
    assert problem(decoded).code == "ndr-unknown-tag"
    assert decoded.values == {"p": {"k": 9, "u": {}}}


FOLDED = struct(
    Member("vt", USHORT),
    Member(
        "u",
        Union("", USHORT, (Arm((0x2000,), Member("a", BYTE)), Arm((1,), None)), folded=(0x2000, 0x6000)),
        switch_is="vt",
    ),
)


def test_a_switch_stands_for_its_masked_bits_where_it_has_the_flag() -> None:
    assert value(FOLDED, "1120 0020 41") == {"vt": 0x2011, "u": {"a": 0x41}}
    stub = encode(of(FOLDED), Direction.IN, {"p": {"vt": 0x2011, "u": {"a": 0x41}}}, {}, NDR, "<")
    assert stub == bytes.fromhex("1120002041")


def test_without_the_flag_every_bit_counts() -> None:
    found = problem(read(of(FOLDED), bytes.fromhex("1100 0100")))
    assert (found.code, found.detail) == ("ndr-union-tag-differs", "tag 1, vt is 17")


@pytest.mark.parametrize(("begin", "gap"), [(0, 7), (8, 7), (12, 3), (32, 7), (33, 6), (7, 0)])
def test_parameters_may_begin_further_on_while_alignment_counts_from_the_first_byte(begin: int, gap: int) -> None:
    operation = request(Member("a", BYTE), Member("b", ULONGLONG))
    before = b"\xaa" * begin
    stub = encode(operation, Direction.IN, {"a": 1, "b": 2}, {}, NDR, "<", before=before)
    assert stub == before + b"\1" + bytes(gap) + (2).to_bytes(8, "little")
    decoded = compile_decoder(operation, Direction.IN, {}, NDR, "<")(stub, start=begin)
    assert (decoded.values, decoded.problems, decoded.consumed) == ({"a": 1, "b": 2}, (), len(stub))


def test_a_stub_that_ends_before_they_begin() -> None:
    decoded = compile_decoder(of(DWORD), Direction.IN, {}, NDR, "<")(b"\0\0\0\0", start=32)
    assert (problem(decoded).code, problem(decoded).offset) == ("ndr-truncated", 4)


def test_a_little_endian_structure_in_a_big_endian_call() -> None:
    little = Struct("S", (Member("n", USHORT), Member("p", Pointer(DWORD))), little_endian=True)
    stub = "00000001 0100 0000 02000000 03000000"
    assert value(struct(Member("k", DWORD), Member("s", little)), stub, order=">") == {"k": 1, "s": {"n": 1, "p": 3}}


def test_raw_arrays_are_bytes_and_their_count_is_of_elements() -> None:
    raw = struct(COUNT, Member("a", Pointer(Array(USHORT, size_is="n", raw=True))))
    assert value(raw, "02000000 01000000 02000000 01000200") == {"n": 2, "a": b"\1\0\2\0"}
    decode = compile_decoder(of(raw), Direction.IN, {}, NDR, "<")
    kept = decode(bytes.fromhex("02000000 01000000 02000000 010002"), whole=False).values["p"]["a"]
    assert (type(kept), kept) == (CutBytes, b"\1\0\2")
    with pytest.raises(ValueError, match="multiple of 2"):
        encode(of(raw), Direction.IN, {"p": {"n": 1, "a": b"abc"}}, {}, NDR, "<")


def test_an_int3264_follows_the_transfer_syntax() -> None:
    pointer_sized = Scalar("ULONG_PTR", 8, int3264=True)
    assert value(pointer_sized, "01000000") == 1
    assert value(pointer_sized, "0100000000000000", syntax=NDR64) == 1
