"""Where pointers and their referents stand: [C706] 14.3.10 to 14.3.12."""

from __future__ import annotations

import struct as packing

from decoders.limits import MAX_NDR_DEPTH
from decoders.ndr.base_types import BYTE, DWORD, GUID, USHORT, WCHAR
from decoders.ndr.model import Array, Member, Named, Pointer, PointerKind, String, Struct

from .operations import NDR64, of, problem, read, request, struct, value

REF, UNIQUE, FULL = PointerKind
NODE = Struct("NODE", (Member("v", BYTE), Member("next", Pointer(Named("NODE")))))
TYPES = {"NODE": NODE}


def words(*numbers: int) -> bytes:
    return packing.pack(f"<{len(numbers)}I", *numbers)


def test_a_reference_parameter_is_only_its_referent() -> None:
    assert value(Pointer(DWORD, REF), "07000000") == 7


def test_other_parameters_have_the_referent_behind_the_id() -> None:
    for kind in (UNIQUE, FULL):
        operation = request(Member("p", Pointer(DWORD, kind)), Member("q", DWORD))
        assert read(operation, words(0x20000, 7, 8)).values == {"p": 7, "q": 8}
        assert read(operation, words(0, 8)).values == {"p": None, "q": 8}


def test_a_pointer_to_a_pointer_has_its_own_id() -> None:
    declared = Pointer(Pointer(DWORD), REF)
    assert value(declared, "00000200 07000000") == 7
    assert value(declared, "00000000") is None
    assert value(Pointer(Pointer(DWORD, REF), REF), "00000000 07000000") == 7
    assert value(Pointer(Pointer(DWORD), FULL), "00000200 04000200 07000000") == 7


def test_referents_follow_the_outermost_structure_in_order_depth_first() -> None:
    inner = struct(Member("x", Pointer(DWORD)), Member("y", Pointer(DWORD)))
    outer = struct(Member("a", Pointer(inner)), Member("i", inner), Member("b", Pointer(DWORD)), Member("c", DWORD))
    # ids of a, i.x, i.y, b; c; then *a (its ids, its referents), *i.x, *i.y, *b.
    stub = words(1, 2, 3, 4, 99, 5, 6, 10, 11, 12, 13, 14)
    decoded = read(of(outer), stub)
    assert decoded.values["p"] == {"a": {"x": 10, "y": 11}, "i": {"x": 12, "y": 13}, "b": 14, "c": 99}
    assert decoded.problems == ()


def test_referents_of_array_elements_follow_the_last_element() -> None:
    declared = Array(Pointer(String(WCHAR)), size_is="n")
    text = words(1, 0, 1) + b"\0\0"
    stub = words(3, 0x20000, 0, 0x20004) + text + b"\xee\xee" + text
    decoded = read(of(declared), stub)
    assert decoded.values["p"] == ["", None, ""]
    assert decoded.consumed == len(stub)


def test_an_embedded_reference_pointer_has_four_bytes_that_mean_nothing() -> None:
    declared = struct(Member("r", Pointer(USHORT, REF)), Member("n", DWORD))
    for anything in ("00000000", "eeeeeeee"):
        assert value(declared, f"{anything} 02000000 0700") == {"r": 7, "n": 2}


def test_an_array_of_reference_pointers_has_only_referents_in_ndr() -> None:
    declared = struct(Member("a", Array(Pointer(USHORT, REF), bound=2)), Member("n", DWORD))
    assert value(declared, "05000000 0100 0200") == {"a": [1, 2], "n": 5}
    stub = "0100000000000000 0200000000000000 05000000 eeeeeeee 0100 0200"
    assert value(declared, stub, syntax=NDR64) == {"a": [1, 2], "n": 5}


def test_an_array_of_reference_pointers_aligns_nothing() -> None:
    inner = struct(Member("b", BYTE), Member("a", Array(Pointer(DWORD, REF), bound=1)))
    assert value(struct(Member("x", BYTE), Member("s", inner)), "01 02 eeee 03000000") == {
        "x": 1,
        "s": {"b": 2, "a": [3]},
    }


def test_ndr64_demands_that_reference_pointers_are_not_null() -> None:
    declared = struct(Member("r", Pointer(USHORT, REF)))
    decoded = read(of(declared), bytes(8) + b"\7\0", syntax=NDR64)
    assert decoded.values["p"] == {"r": 7}
    assert (problem(decoded).code, problem(decoded).path) == ("ndr-null-reference", "p.r")


def test_a_full_pointer_with_a_known_id_means_the_first_referent() -> None:
    declared = Array(Pointer(GUID, FULL), bound=3)
    decoded = read(of(declared), words(9, 9, 8) + b"\1" * 16 + b"\2" * 16)
    first, second = "01010101-0101-0101-0101-010101010101", "02020202-0202-0202-0202-020202020202"
    assert decoded.values["p"] == [first, first, second]
    assert decoded.problems == ()


def test_a_unique_pointer_never_is_an_alias() -> None:
    assert read(of(Array(Pointer(DWORD), bound=2)), words(9, 9, 1, 2)).values["p"] == [1, 2]


def test_a_full_pointer_to_what_contains_it_is_left_out() -> None:
    cycle = Struct("CYCLE", (Member("v", DWORD), Member("next", Pointer(Named("CYCLE"), FULL))))
    decoded = read(of(Pointer(cycle, FULL)), words(9, 1, 9), {"CYCLE": cycle})
    assert decoded.values["p"] == {"v": 1, "next": None}
    assert (problem(decoded).code, problem(decoded).path) == ("ndr-alias", "p.next")


def test_an_id_that_was_another_types_is_an_object_of_its_own() -> None:
    operation = request(Member("a", Pointer(GUID, FULL)), Member("b", Pointer(DWORD, FULL)))
    decoded = read(operation, words(9) + bytes(16) + words(9, 5))
    assert (decoded.values["b"], decoded.complete, decoded.consumed) == (5, True, 28)
    assert (problem(decoded).code, problem(decoded).path) == ("ndr-alias", "b")


def test_aliases_do_not_multiply_a_stub() -> None:
    # Each level points twice to the level below: 2 to the power of 25 leaves, if followed.
    types = {
        f"L{level}": struct(*(Member(k, Pointer(Named(f"L{level + 1}"), FULL)) for k in "ab")) for level in range(25)
    }
    types["L25"] = struct(Member("a", DWORD), Member("b", DWORD))
    stub = b"".join(words(level, level) for level in range(1, 26)) + words(1, 2)
    decoded = read(of(Pointer(Named("L0"), REF)), stub, types)
    assert {found.code for found in decoded.problems} == {"ndr-alias"}
    assert _leaves(decoded.values) < len(stub)


def _leaves(item: object) -> int:
    return sum(map(_leaves, item.values())) if isinstance(item, dict) else 1


def test_referents_are_followed_as_deep_as_the_limit() -> None:
    def chain(links: int) -> bytes:
        return words(1, 1) * (links - 1) + words(1, 0)

    decoded = read(of(Pointer(NODE, REF)), chain(MAX_NDR_DEPTH), TYPES)
    assert decoded.problems == ()
    decoded = read(of(Pointer(NODE, REF)), chain(MAX_NDR_DEPTH + 1), TYPES)
    assert not decoded.complete
    assert problem(decoded).code == "ndr-too-deep"
    assert problem(decoded).path == "p" + ".next" * MAX_NDR_DEPTH


def test_only_nesting_counts_as_depth() -> None:
    total = 2 * MAX_NDR_DEPTH
    decoded = read(of(Array(Pointer(NODE), bound=total)), words(*[1] * total) + words(7, 0) * total, TYPES)
    assert decoded.values["p"] == [{"v": 7, "next": None}] * total
    assert decoded.problems == ()
