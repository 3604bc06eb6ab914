"""What is declined, and that a hostile batch costs little."""

from __future__ import annotations

import struct
import tracemalloc

import numpy as np
import pytest

from decoders.interfaces import epm, qm2qm, qmmgmt
from decoders.limits import MAX_NDR_VALUES
from decoders.ndr.base_types import DWORD, SIGNED_CHAR, USHORT, WCHAR
from decoders.ndr.columnar.plans import Plan, plan
from decoders.ndr.encoder import encode
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Direction,
    Interface,
    Member,
    Named,
    Operation,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Syntax,
    Type,
    Union,
)

from .columnar_values import decode_stubs, rows
from .declarations import COLOUR
from .operations import of, request
from .operations import struct as structure

ENTRY = {"object": "00000000-0000-0000-0000-000000000000", "tower": None, "annotation": ""}
BYTES = Pointer(Array(DWORD, size_is="n"))


def _planned(operation: Operation, direction: Direction = Direction.IN, interface: Interface | None = None) -> Plan:
    made = plan(operation, direction, interface.types if interface else {}, Syntax.NDR, "<")
    assert made is not None
    return made


EMPTY = "01000000 00000000 01000000 0000"
"""The counts of an empty string, and its terminator."""


@pytest.mark.parametrize(
    ("declared", "sound", "odd"),
    [
        pytest.param(String(WCHAR), EMPTY, "01000000 00000000 01000000 6100", id="unterminated"),
        pytest.param(String(WCHAR), EMPTY, "00000000 00000000 00000000", id="no terminator"),
        pytest.param(String(WCHAR), EMPTY, "01000000 01000000 01000000 0000", id="offset"),
        pytest.param(String(WCHAR), EMPTY, "00000000 00000000 01000000 0000", id="above max_count"),
        pytest.param(Array(DWORD, size_is="1"), "01000000 09000000", "00000000", id="not the constant"),
        pytest.param(ContextHandle("H"), "00" * 20, "01000000" + "00" * 16, id="handle of attributes only"),
        pytest.param(Array(COLOUR, bound=2), "0000 0700", "0700 0100", id="not in the enumeration"),
        pytest.param(Array(WCHAR, size_is="1"), "01000000 4100", "02000000 4100 0000", id="buffer of another size"),
        pytest.param(Array(WCHAR, size_is="n"), "01000000 4100", "01000000 41", id="buffer cut"),
        pytest.param(Scalar("T", 4, range=(0, 5)), "05000000", "06000000", id="range of the type"),
        pytest.param(DWORD, "01000000", "01000000 00", id="trailing byte"),
        pytest.param(DWORD, "01000000", "010000", id="cut"),
        pytest.param(
            structure(Member("a", Pointer(USHORT, PointerKind.FULL)), Member("b", Pointer(USHORT, PointerKind.FULL))),
            "01000000 02000000 0500 0600",
            "01000000 01000000 0500 0600",
            id="alias",
        ),
    ],
)
def test_only_the_odd_one_is_declined(declared: Type, sound: str, odd: str) -> None:
    stubs = [bytes.fromhex(stub) for stub in (sound, odd, sound)]
    assert decode_stubs(_planned(of(declared)), stubs).accepted.tolist() == [True, False, True]


def test_a_count_is_compared_with_a_member_that_comes_later() -> None:
    made = _planned(of(structure(Member("a", BYTES), Member("n", DWORD))))
    stubs = [struct.pack("<4I", 1, said, 1, 7) for said in (1, 2)]
    columns = decode_stubs(made, stubs)
    assert columns.accepted.tolist() == [True, False]
    assert rows(columns) == [{"p": {"a": [7], "n": 1}}]


def test_a_count_is_compared_through_pointers_of_which_some_are_null() -> None:
    made = _planned(of(structure(Member("n", DWORD), Member("a", Pointer(BYTES)))))
    null = [struct.pack("<2I", 5, 0), struct.pack("<3I", 5, 1, 0)]
    full = [struct.pack("<5I", said, 1, 1, 1, 7) for said in (1, 2)]
    columns = decode_stubs(made, [*null, *full, *null, *full])
    assert columns.accepted.tolist() == [True, True, True, False] * 2
    assert [row["p"]["a"] for row in rows(columns)] == [None, None, [7]] * 2


def test_ndr64_has_no_null_references() -> None:
    made = plan(of(structure(Member("a", Pointer(DWORD, PointerKind.REF)))), Direction.IN, {}, Syntax.NDR64, "<")
    assert made is not None
    stubs = [struct.pack("<QI", referent, 7) for referent in (1, 0, 2)]
    assert decode_stubs(made, stubs).accepted.tolist() == [True, False, True]


def test_more_values_than_the_interpreter_gives_are_declined() -> None:
    made = _planned(of(Array(SIGNED_CHAR, size_is="n")))
    stubs = [struct.pack("<I", count) + bytes(count) for count in (MAX_NDR_VALUES, MAX_NDR_VALUES + 1)]
    assert decode_stubs(made, stubs).accepted.tolist() == [True, False]


def test_a_variant_within_a_variant_is_left_to_the_interpreter_and_alone() -> None:
    operation = qmmgmt.INTERFACE.operations[0]
    arms = _no_arm()
    head = {"wReserved1": 0, "wReserved2": 0, "wReserved3": 0}
    number = {"vt": 19, **head, "_varUnion": arms | {"ulVal": 5}}
    nested = {"vt": 0x100C, **head, "_varUnion": arms | {"capropvar": {"cElems": 1, "pElems": [number]}}}
    empty = {"vt": 0x100C, **head, "_varUnion": arms | {"capropvar": {"cElems": 0, "pElems": []}}}
    answers = [{"apVar": [one], "return_value": 0} for one in (number, nested, empty)]
    types = qmmgmt.INTERFACE.types
    stubs = [encode(operation, Direction.OUT, one, types, Syntax.NDR, "<") for one in answers]
    columns = decode_stubs(_planned(operation, Direction.OUT, qmmgmt.INTERFACE), stubs)
    assert columns.accepted.tolist() == [True, False, True]
    assert rows(columns) == [answers[0], answers[2]]


def _no_arm() -> dict[str, object]:
    variant = qmmgmt.INTERFACE.types["PROPVARIANT"]
    assert isinstance(variant, Struct)
    union = variant.members[-1].type
    assert isinstance(union, Union)
    return {arm.member.name: None for arm in union.arms if arm.member}


def test_few_long_arrays_are_left_to_the_interpreter_and_many_are_not() -> None:
    operation = epm.INTERFACE.operations[2]
    answer = {"entry_handle": None, "num_ents": 100, "entries": [ENTRY] * 100, "status": 0}
    stub = encode(operation, Direction.OUT, answer, epm.INTERFACE.types, Syntax.NDR, "<")
    made = _planned(operation, Direction.OUT, epm.INTERFACE)
    assert not decode_stubs(made, [stub] * 3).accepted.any()
    columns = decode_stubs(made, [stub] * 20)
    assert columns.accepted.all()
    assert rows(columns)[-1] == answer


def test_without_a_plan() -> None:
    size = Member("n", Pointer(DWORD))
    assert plan(request(size, Member("a", BYTES)), Direction.IN, {}, Syntax.NDR, "<") is None


def test_a_type_made_of_itself_alone_has_no_plan_or_an_error() -> None:
    deep: Type = DWORD
    for _ in range(40):
        deep = Pointer(deep)
    assert plan(of(deep), Direction.IN, {}, Syntax.NDR, "<") is None
    with pytest.raises(ValueError, match="not declared"):
        plan(of(Named("NOWHERE")), Direction.IN, {}, Syntax.NDR, "<")


def test_plans_with_more_scopes_want_more_rows() -> None:
    end_receive, lookup = qm2qm.INTERFACE.operations[1], epm.INTERFACE.operations[2]
    assert _planned(end_receive).min_rows < _planned(lookup, Direction.OUT, epm.INTERFACE).min_rows


def test_a_stub_outside_the_buffer_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="beyond the buffer"):
        _planned(of(DWORD)).decode(np.zeros(8, np.uint8), [0, 6], [4, 4])


@pytest.mark.parametrize("operation", [*epm.INTERFACE.operations, *qm2qm.INTERFACE.operations])
@pytest.mark.parametrize("filler", [0xFF, 0x00, 0x01])
def test_a_hostile_batch_costs_a_few_times_its_bytes(operation: Operation, filler: int) -> None:
    size, number = 4_000, 500
    interface = epm.INTERFACE if operation in epm.INTERFACE.operations else qm2qm.INTERFACE
    made = plan(operation, Direction.OUT, interface.types, Syntax.NDR, "<")
    assert made is not None
    buffer = np.full(size * number, filler, np.uint8)
    tracemalloc.start()
    columns = made.decode(buffer, np.arange(number) * size, np.full(number, size))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not columns.accepted.any()
    assert peak < 2 * len(buffer)


def test_counts_are_checked_before_anything_is_allocated() -> None:
    made = _planned(of(Array(DWORD, size_is="n")))
    stubs = [struct.pack("<I", count) + bytes(8) for count in (2, 3, 2**31, 2**32 - 1)]
    tracemalloc.start()
    columns = decode_stubs(made, stubs)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert columns.accepted.tolist() == [True, False, False, False]
    assert peak < 100_000
