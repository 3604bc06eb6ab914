"""Each problem: what is said, where, and what is decoded all the same."""

from __future__ import annotations

import struct as packing

import pytest

from decoders.limits import MAX_NDR_PROBLEMS
from decoders.ndr.base_types import BYTE, CHAR, DWORD, USHORT, WCHAR
from decoders.ndr.model import (
    Arm,
    Array,
    Direction,
    Enum,
    Member,
    Operation,
    Parameter,
    Pointer,
    PointerKind,
    String,
    Type,
    Union,
)
from decoders.ndr.problems import PROBLEMS, Problem

from .operations import COUNT, of, problem, read, request, struct

KIND = Enum("KIND", (("A", 1), ("B", 2)))
SIZED = struct(COUNT, Member("a", Pointer(Array(BYTE, size_is="n"))))
VARYING = struct(COUNT, Member("a", Pointer(Array(BYTE, size_is="n", length_is="n"))))
CHOICE = Union("CHOICE", BYTE, (Arm((1,), Member("x", BYTE)), Arm((2,), Member("y", USHORT))))
TAGGED = struct(Member("k", BYTE), Member("u", CHOICE, switch_is="k"), Member("z", BYTE))


@pytest.mark.parametrize(
    ("declared", "stub", "code", "path", "offset", "expected"),
    [
        (KIND, "0900", "ndr-enum", "p", 0, 9),
        (Array(KIND, bound=2), "0100 0900", "ndr-enum", "p[1]", 2, [1, 9]),
        (struct(Member("v", DWORD, range=(1, 5))), "06000000", "ndr-range", "p.v", 0, {"v": 6}),
        (struct(Member("v", Pointer(DWORD), range=(1, 5))), "01000000 06000000", "ndr-range", "p.v", 4, {"v": 6}),
        (
            struct(Member("a", Pointer(Array(BYTE, size_is="x")), range=(2, 5))),
            "01000000 01000000 07", "ndr-range", "p.a", 4, {"a": b"\7"},
        ),
        (SIZED, "03000000 01000000 02000000 0708", "ndr-count-differs", "p.a", 8, {"n": 3, "a": b"\7\x08"}),
        (
            VARYING,
            "02000000 01000000 02000000 00000000 01000000 07", "ndr-count-differs", "p.a", 12, {"n": 2, "a": b"\7"},
        ),
        (
            Array(BYTE, size_is="n", length_is="n"),
            "01000000 00000000 02000000 0708", "ndr-bounds", "p", 4, b"\7\x08",
        ),
        (Array(BYTE, bound=1, length_is="n"), "00000000 02000000 0708", "ndr-bounds", "p", 0, b"\7\x08"),
        (Array(BYTE, bound=9, length_is="n"), "03000000 02000000 0708", "ndr-bounds", "p", 0, b"\7\x08"),
        (Enum("V1", KIND.members, v1_enum=True), "ffffffff", "ndr-enum", "p", 0, -1),
        (String(CHAR, bound=1), "00000000 02000000 4100", "ndr-bounds", "p", 0, "A"),
        (String(WCHAR), "01000000 00000000 01000000 4100", "ndr-string-unterminated", "p", 12, "A"),
        (String(WCHAR), "00000000 00000000 00000000", "ndr-string-unterminated", "p", 12, ""),
        (TAGGED, "01 02 0700 09", "ndr-union-tag-differs", "p.u", 1, {"k": 1, "u": {"x": None, "y": 7}, "z": 9}),
        (BYTE, "01 02 03", "ndr-trailing-bytes", "", 1, 1),
    ],
)  # fmt: skip
def test_reported_and_decoded_all_the_same(
    declared: Type, stub: str, code: str, path: str, offset: int, expected: object
) -> None:
    decoded = read(of(declared), bytes.fromhex(stub))
    found = problem(decoded)
    assert (found.code, found.path, found.offset) == (code, path, offset)
    assert found.detail
    assert decoded.complete
    assert decoded.values["p"] == expected


def test_the_offset_counts_against_the_maximum() -> None:
    decoded = read(of(Array(BYTE, size_is="n", length_is="n")), bytes.fromhex("02000000 01000000 02000000 0708"))
    assert [found.detail for found in decoded.problems] == [
        "offset is 1, not 0",
        "offset 1 and actual count 2 exceed 2",
    ]


@pytest.mark.parametrize("number", [1, 5])
def test_a_range_includes_its_ends(number: int) -> None:
    assert read(request(Member("p", DWORD, range=(1, 5))), bytes((number, 0, 0, 0))).problems == ()


def test_an_unknown_tag_stops() -> None:
    operation = request(Member("p", TAGGED), Member("q", BYTE))
    decoded = read(operation, bytes.fromhex("03 03 0700 09 ff"))
    assert [found.code for found in decoded.problems] == ["ndr-unknown-tag"]
    assert problem(decoded).path == "p.u"
    assert problem(decoded).offset == 1
    assert decoded.values == {"p": {"k": 3, "u": {"x": None, "y": None}, "z": None}, "q": None}
    assert (decoded.complete, decoded.consumed) == (False, 2)


def test_a_truncated_structure_keeps_what_was_read() -> None:
    inner = struct(Member("x", USHORT), Member("y", DWORD), Member("z", Pointer(DWORD)))
    operation = request(Member("p", Array(inner, size_is="n")), Member("q", BYTE))
    stub = packing.pack("<I HxxII HxxI", 2, 1, 2, 9, 3, 4)
    decoded = read(operation, stub)
    assert decoded.values == {"p": [{"x": 1, "y": 2, "z": None}, {"x": 3, "y": 4, "z": None}], "q": None}
    assert problem(decoded) == Problem("ndr-truncated", "p[1].z", 24, "4 bytes needed, 0 left")
    assert decoded.consumed == len(stub)


def test_a_count_may_stand_behind_its_array() -> None:
    operation = request(Member("a", Array(BYTE, size_is="n")), COUNT)
    assert read(operation, bytes.fromhex("01000000 07 eeeeee 01000000")).problems == ()
    decoded = read(operation, bytes.fromhex("01000000 07 eeeeee 02000000"))
    assert (problem(decoded).code, problem(decoded).path) == ("ndr-count-differs", "a")


def test_a_count_that_only_the_request_has_is_not_compared() -> None:
    operation = Operation(
        0,
        "Get",
        (Parameter(Direction.IN, COUNT), Parameter(Direction.OUT, Member("a", Array(BYTE, size_is="n")))),
        DWORD,
        "0",
        "A test.",
    )
    decoded = read(operation, bytes.fromhex("01000000 07 eeeeee 00000000"), direction=Direction.OUT)
    assert decoded.values == {"a": b"\7", "return_value": 0}
    assert decoded.problems == ()


def test_a_count_behind_a_pointer_is_compared() -> None:
    operation = request(Member("n", Pointer(DWORD, PointerKind.REF)), Member("a", Array(BYTE, size_is="*n")))
    decoded = read(operation, bytes.fromhex("02000000 01000000 07"))
    assert problem(decoded).code == "ndr-count-differs"


def test_a_constant_count_is_compared() -> None:
    declared = Array(BYTE, size_is="20", length_is="1")
    decoded = read(of(declared), bytes.fromhex("14000000 00000000 02000000 0708"))
    assert (problem(decoded).code, problem(decoded).detail) == ("ndr-count-differs", "2 on the wire, length_is(1) is 1")


def test_expressions_are_not_compared() -> None:
    declared = struct(COUNT, Member("a", Pointer(Array(BYTE, size_is="n / 2"))))
    assert read(of(declared), bytes.fromhex("03000000 01000000 02000000 0708")).problems == ()


def test_the_reason_to_stop_comes_last_even_after_too_many_problems() -> None:
    decoded = read(request(Member("p", Array(KIND, bound=100)), Member("q", DWORD)), bytes(200))
    assert [found.code for found in decoded.problems[-2:]] == ["ndr-problems-omitted", "ndr-truncated"]


def test_too_many_problems_are_counted() -> None:
    decoded = read(of(Array(KIND, bound=100)), bytes(200))
    assert len(decoded.problems) == MAX_NDR_PROBLEMS + 1
    assert decoded.problems[-1].code == "ndr-problems-omitted"
    assert str(100 - MAX_NDR_PROBLEMS) in decoded.problems[-1].detail


def test_paths_lead_through_arrays_structures_and_unions() -> None:
    inner = struct(
        Member("k", BYTE), Member("u", Union("U", BYTE, (Arm((1,), Member("s", struct(Member("e", KIND)))),)))
    )
    declared = struct(Member("a", Pointer(Array(inner, size_is="n"))))
    decoded = read(of(declared), bytes.fromhex("01000000 02000000 01 01 0100 01 01 0900"))
    assert problem(decoded).path == "p.a[1].u.s.e"


def test_every_problem_has_a_name_of_this_kind_and_a_meaning() -> None:
    assert all(code.startswith("ndr-") and about.meaning for code, about in PROBLEMS.items())
