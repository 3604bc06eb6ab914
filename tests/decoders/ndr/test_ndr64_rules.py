"""What NDR64 does otherwise: [MS-RPCE] 2.2.5 and 4.8. Gaps hold ee."""

from __future__ import annotations

import pytest

from decoders.ndr.base_types import BYTE, CHAR, DWORD, GUID, LONG, SHORT, USHORT, WCHAR
from decoders.ndr.model import Arm, Array, ContextHandle, Enum, Member, Pointer, PointerKind, String, Type, Union

from .operations import COUNT, NDR64, read, request, struct, value


def test_a_structure_is_padded_to_its_alignment() -> None:
    # [MS-RPCE] 4.8.
    with_pad = struct(Member("l", LONG), Member("s", SHORT))
    assert value(with_pad, "01000000 0200 eeee", syntax=NDR64) == {"l": 1, "s": 2}
    operation = request(Member("p", with_pad), Member("q", BYTE))
    assert read(operation, bytes.fromhex("01000000 0200 eeee 03"), syntax=NDR64).values["q"] == 3


def test_a_last_gap_that_was_not_sent_takes_nothing_away() -> None:
    with_pad = struct(Member("l", LONG), Member("s", SHORT))
    assert value(with_pad, "01000000 0200", syntax=NDR64) == {"l": 1, "s": 2}


def test_counts_have_64_bits() -> None:
    one = "0100000000000000"
    none = "0000000000000000"
    cases: list[tuple[Type, str, object]] = [
        (Array(USHORT, size_is="n"), f"{one} 0700", [7]),
        (Array(USHORT, bound=4, length_is="n"), f"{none} {one} 0700", [7]),
        (Array(USHORT, size_is="m", length_is="n"), f"{one} {none} {one} 0700", [7]),
        (String(WCHAR), f"{one} {none} {one} 0000", ""),
        (String(CHAR, bound=9), f"{none} {one} 00", ""),
        (struct(COUNT, Member("a", Array(BYTE, size_is="n"))), f"{one} 01000000 07", {"n": 1, "a": b"\7"}),
        (
            struct(COUNT, Member("s", USHORT), Member("a", Array(BYTE, size_is="n"))),
            f"{one} 01000000 0200 eeee 07",
            {"n": 1, "s": 2, "a": b"\7"},
        ),
    ]
    for declared, stub, expected in cases:
        assert value(declared, stub, syntax=NDR64) == expected


def test_pointers_have_64_bits_and_the_same_order() -> None:
    declared = struct(COUNT, Member("a", Pointer(DWORD)), Member("b", Pointer(DWORD)))
    stub = "01000000 eeeeeeee 0000020000000000 0400020000000000 02000000 03000000"
    assert value(declared, stub, syntax=NDR64) == {"n": 1, "a": 2, "b": 3}
    assert value(Pointer(DWORD, PointerKind.UNIQUE), "0000000001000000 02000000", syntax=NDR64) == 2


def test_enumerations_have_32_bits() -> None:
    kind = Enum("K", (("A", 1),))
    assert value(kind, "01000000", syntax=NDR64) == 1


def test_context_handles_and_guids_keep_their_layout() -> None:
    operation = request(Member("b", BYTE), Member("h", ContextHandle("H")), Member("g", GUID))
    stub = bytes.fromhex("01 eeeeee") + bytes(20) + bytes(16)
    decoded = read(operation, stub, syntax=NDR64)
    assert decoded.values == {"b": 1, "h": None, "g": "00000000-0000-0000-0000-000000000000"}
    assert decoded.consumed == len(stub)


@pytest.mark.parametrize(
    ("stub", "chosen"),
    [
        ("01 eeeeeeeeeeeeee 01 eeeeeeeeeeeeee", {}),
        ("02 eeeeeeeeeeeeee 02 eeeeeeeeeeeeee 09 eeeeeeeeeeeeee", {"small": 9}),
        ("03 eeeeeeeeeeeeee 03 eeeeeeeeeeeeee 0000020000000000 09000000", {"pointer": 9}),
    ],
)
def test_a_union_and_its_arm_are_aligned_by_the_largest_arm(stub: str, chosen: dict[str, int]) -> None:
    union = Union(
        "U", BYTE, (Arm((1,), None), Arm((2,), Member("small", BYTE)), Arm((3,), Member("pointer", Pointer(DWORD))))
    )
    declared = struct(Member("k", BYTE), Member("u", union, switch_is="k"))
    decoded = value(declared, stub, syntax=NDR64)
    assert isinstance(decoded, dict)
    assert decoded["u"] == {"small": None, "pointer": None, **chosen}


def test_an_arm_is_not_aligned_by_the_tag() -> None:
    union = Union("U", DWORD, (Arm((2,), Member("small", BYTE)),))
    declared = struct(Member("k", DWORD), Member("u", union, switch_is="k"))
    assert value(declared, "02000000 02000000 09 eeeeee", syntax=NDR64) == {"k": 2, "u": {"small": 9}}
