"""The rules of NDR, each with bytes made by hand. Gaps hold ee: nobody may look at them."""

from __future__ import annotations

import pytest

from decoders.ndr.base_types import BYTE, CHAR, DOUBLE, DWORD, FLOAT, GUID, LONG, SHORT, ULONGLONG, USHORT, WCHAR
from decoders.ndr.model import Arm, Array, ContextHandle, Enum, Member, Pointer, PointerKind, Scalar, String, Union

from .operations import COUNT, NDR64, of, read, request, struct, value

HANDLE = ContextHandle("H")
KIND = Enum("KIND", (("A", 1), ("B", 2)))
CHOICE = Union(
    "",
    USHORT,
    (
        Arm((0, 1), None),
        Arm((2,), Member("small", BYTE)),
        Arm((3,), Member("long", DWORD)),
        Arm((4,), Member("hyper", ULONGLONG)),
        Arm((5,), Member("text", Pointer(String(WCHAR)))),
    ),
)
NOTHING = {"small": None, "long": None, "hyper": None, "text": None}


@pytest.mark.parametrize(
    ("scalar", "little", "big", "expected"),
    [
        (BYTE, "fe", "fe", 0xFE),
        (SHORT, "feff", "fffe", -2),
        (USHORT, "3412", "1234", 0x1234),
        (LONG, "feffffff", "fffffffe", -2),
        (DWORD, "78563412", "12345678", 0x12345678),
        (ULONGLONG, "0807060504030201", "0102030405060708", 0x0102030405060708),
        (FLOAT, "0000c03f", "3fc00000", 1.5),
        (DOUBLE, "000000000000f83f", "3ff8000000000000", 1.5),
    ],
)
def test_scalars_follow_the_byte_order(scalar: Scalar, little: str, big: str, expected: float) -> None:
    assert value(scalar, little) == expected
    assert value(scalar, big, order=">") == expected


def test_a_guid_is_three_numbers_and_eight_bytes() -> None:
    text = "01020304-0506-0708-090a-0b0c0d0e0f10"
    assert value(GUID, "04030201 0605 0807 090a0b0c0d0e0f10") == text
    assert value(GUID, "01020304 0506 0708 090a0b0c0d0e0f10", order=">") == text


def test_a_context_handle_is_its_uuid_and_null_is_none() -> None:
    assert value(HANDLE, "00000000 04030201 0605 0807 090a0b0c0d0e0f10") == "01020304-0506-0708-090a-0b0c0d0e0f10"
    assert value(HANDLE, "00" * 20) is None
    assert value(HANDLE, "01000000" + "00" * 16) is None


def test_enumerations_have_16_bits_unless_v1_enum() -> None:
    assert value(KIND, "0200") == 2
    assert value(Enum("K", KIND.members, v1_enum=True), "02000000") == 2


def test_parameters_are_aligned_from_the_start_of_the_stub() -> None:
    operation = request(Member("a", BYTE), Member("b", SHORT), Member("c", BYTE), Member("d", ULONGLONG))
    decoded = read(operation, bytes.fromhex("01 ee 0200 03 eeeeee 0400000000000000"))
    assert decoded.values == {"a": 1, "b": 2, "c": 3, "d": 4}
    assert decoded.problems == ()


def test_a_structure_is_aligned_by_its_largest_member_and_has_no_trailing_gap() -> None:
    inner = struct(Member("x", BYTE), Member("y", DWORD), Member("z", BYTE))
    outer = struct(Member("a", BYTE), Member("s", inner), Member("b", BYTE))
    stub = "01 eeeeee 02 eeeeee 03000000 04 05"
    assert value(outer, stub) == {"a": 1, "s": {"x": 2, "y": 3, "z": 4}, "b": 5}


def test_alignment_is_found_again_after_a_member_of_unknown_size() -> None:
    declared = struct(Member("t", String(CHAR, bound=9)), Member("a", BYTE), Member("b", DWORD), Member("c", ULONGLONG))
    stub = "00000000 02000000 7800 61 ee 02000000 0300000000000000"
    assert value(declared, stub) == {"t": "x", "a": 0x61, "b": 2, "c": 3}


@pytest.mark.parametrize(
    ("stub", "chosen"),
    [
        ("0100 eeee eeeeeeee 0100", {}),
        ("0200 eeee eeeeeeee 0200 09", {"small": 9}),
        ("0300 eeee eeeeeeee 0300 eeee 09000000", {"long": 9}),
        ("0400 eeee eeeeeeee 0400 eeeeeeeeeeee 0900000000000000", {"hyper": 9}),
        ("0500 eeee eeeeeeee 0500 eeee 00000000", {}),
        ("0500 eeee eeeeeeee 0500 eeee 04000200 02000000 00000000 02000000 41000000", {"text": "A"}),
    ],
)
def test_a_union_arm_is_aligned_by_itself_but_the_structure_by_the_largest(stub: str, chosen: dict[str, int]) -> None:
    # A gap after `t` only because the arm `hyper` makes the inner structure 8-aligned.
    inner = struct(Member("u", CHOICE, switch_is="t"))
    operation = request(Member("t", USHORT), Member("p", inner))
    decoded = read(operation, bytes.fromhex(stub))
    assert decoded.values["p"] == {"u": NOTHING | chosen}
    assert decoded.problems == ()
    assert decoded.consumed == len(bytes.fromhex(stub))


def test_the_arms_of_an_unnamed_union_stand_in_the_structure() -> None:
    declared = struct(Member("k", USHORT), Member("", CHOICE, switch_is="k"), Member("z", BYTE))
    assert value(declared, "0200 0200 09 ff") == {"k": 2, **NOTHING, "small": 9, "z": 255}
    assert list(value(declared, "0100 0100 ff")) == ["k", *NOTHING, "z"]  # type: ignore[call-overload]


def test_an_arm_without_cases_is_the_default() -> None:
    union = Union("U", BYTE, (Arm((1,), None), Arm((), Member("other", BYTE))))
    declared = struct(Member("k", BYTE), Member("u", union, switch_is="k"))
    assert value(declared, "01 01") == {"k": 1, "u": {"other": None}}
    assert value(declared, "63 63 05") == {"k": 0x63, "u": {"other": 5}}


def test_arrays() -> None:
    assert value(Array(USHORT, bound=2), "0100 0200") == [1, 2]
    assert value(Array(BYTE, bound=3), "010203") == b"\1\2\3"
    assert value(Array(USHORT, size_is="n"), "02000000 0100 0200") == [1, 2]
    assert value(Array(USHORT, bound=4, length_is="n"), "00000000 01000000 0700") == [7]
    assert value(Array(USHORT, size_is="m", length_is="n"), "04000000 00000000 01000000 0700") == [7]
    assert value(Array(ULONGLONG, size_is="n"), "01000000 eeeeeeee 0700000000000000") == [7]
    assert value(Array(GUID, bound=1), "04030201 0605 0807 090a0b0c0d0e0f10") == [
        "01020304-0506-0708-090a-0b0c0d0e0f10"
    ]


def test_an_array_of_structures_is_aligned_after_its_count_and_so_is_each_element() -> None:
    element = struct(Member("h", ULONGLONG), Member("b", BYTE))
    stub = "02000000 eeeeeeee 0100000000000000 02 eeeeeeeeeeeeee 0300000000000000 04"
    assert value(Array(element, size_is="n"), stub) == [{"h": 1, "b": 2}, {"h": 3, "b": 4}]


def test_no_elements_are_aligned_like_elements() -> None:
    operation = request(Member("p", Array(struct(Member("h", ULONGLONG)), size_is="n")), Member("r", DWORD))
    decoded = read(operation, bytes.fromhex("00000000 eeeeeeee 07000000"))
    assert decoded.values == {"p": [], "r": 7}


def test_no_elements_may_end_the_stub_without_their_gap() -> None:
    assert value(Array(ULONGLONG, size_is="n"), "00000000") == []
    assert value(Array(struct(Member("h", ULONGLONG)), size_is="n"), "00000000") == []


def test_strings() -> None:
    assert value(String(WCHAR), "03000000 00000000 03000000 4100 4200 0000") == "AB"
    assert value(String(WCHAR), "00000003 00000000 00000003 0041 0042 0000", order=">") == "AB"
    assert value(String(CHAR), "02000000 00000000 02000000 e900") == "\u00e9"
    assert value(String(CHAR, bound=64), "00000000 02000000 4100") == "A"


def test_lone_surrogates_become_text_that_files_can_hold() -> None:
    assert value(String(WCHAR), "03000000 00000000 03000000 3dd8 4200 0000") == "\\ud83dB"
    assert value(String(WCHAR), "03000000 00000000 03000000 3dd8 00de 0000") == "\U0001f600"


def test_the_count_of_a_conformant_structure_stands_in_front_of_the_outermost() -> None:
    inner = struct(COUNT, Member("a", Array(BYTE, size_is="n")))
    outer = struct(Member("h", ULONGLONG), Member("s", inner))
    stub = "02000000 eeeeeeee 0100000000000000 02000000 0506"
    assert value(outer, stub) == {"h": 1, "s": {"n": 2, "a": b"\5\6"}}


def test_the_size_of_a_conformant_array_aligns_its_structure_in_ndr_only() -> None:
    inner = struct(Member("n", BYTE), Member("a", Array(BYTE, size_is="n")))
    outer = struct(Member("b", BYTE), Member("s", inner))
    expected = {"b": 9, "s": {"n": 1, "a": b"\7"}}
    assert value(outer, "01000000 09 eeeeee 01 07") == expected
    assert value(outer, "0100000000000000 09 01 07", syntax=NDR64) == expected


def test_a_conformant_varying_array_leaves_its_other_counts_in_place() -> None:
    declared = struct(COUNT, Member("a", Array(USHORT, size_is="m", length_is="n")))
    assert value(declared, "04000000 01000000 00000000 01000000 0700") == {"n": 1, "a": [7]}


def test_a_string_that_the_idl_lacks_is_one_character_where_counts_have_no_room() -> None:
    declared = Pointer(String(WCHAR, written=False), PointerKind.REF)
    assert value(declared, "4100") == "A"
    assert value(declared, "02000000 00000000 02000000 4100 0000") == "A"
    decoded = read(of(declared), b"A")
    assert (decoded.complete, decoded.values) == (False, {"p": None})


def test_conformant_members_elsewhere_than_last_are_no_declaration() -> None:
    declared = struct(Member("a", Array(BYTE, size_is="n")), COUNT)
    with pytest.raises(ValueError, match="last member"):
        read(of(declared), b"")
