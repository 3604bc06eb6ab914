"""Rendering of what the interfaces of today do not use."""

from __future__ import annotations

import pytest

from decoders.ndr.base_types import BYTE, DWORD, LONG, ULONG, WCHAR
from decoders.ndr.idl import interface_idl, types_idl
from decoders.ndr.model import (
    Arm,
    Array,
    Constant,
    ContextHandle,
    Direction,
    EncapsulatedUnion,
    Enum,
    Interface,
    InterfacePointer,
    Member,
    Named,
    Operation,
    Parameter,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Type,
    Union,
)


@pytest.mark.parametrize(
    ("declared", "text"),
    [
        (Enum("T", (("A", 1),), v1_enum=True), "typedef [v1_enum] enum { A = 1, } T;"),
        (Enum("U", (("A", 1),)), "typedef U T;"),
        (Scalar("T", 8), "typedef unsigned hyper T;"),
        (Scalar("T", 8, floating=True), "typedef double T;"),
        (Scalar("T", 4, range=(0, 9)), "typedef [range(0, 9)] unsigned long T;"),
        (Pointer(Named("S")), "typedef S *T;"),
        (Pointer(Pointer(LONG), PointerKind.FULL, written=True), "typedef [ptr] long **T;"),
        (Array(BYTE, bound=16), "typedef byte T[16];"),
        (
            Struct("T", (Member("p", Pointer(Pointer(Array(BYTE, size_is="n", length_is="m")))),)),
            "typedef struct { [size_is(, n), length_is(, m)] byte **p; } T;",
        ),
        (
            Struct("T", (Member("s", Struct("", (Member("a", LONG),))),)),
            "typedef struct { struct { long a; } s; } T;",
        ),
        (
            Struct("T", (Member("u", Union("", LONG, (Arm((1, 2), Member("a", DWORD)),)), switch_is="k"),)),
            "typedef struct { [switch_is(k)] union { [case(1, 2)] DWORD a; } u; } T;",
        ),
        (Scalar("T", 8, int3264=True), "typedef unsigned __int3264 T;"),
        (
            Struct("T", (Member("u", Union("", LONG, (Arm((), None),), switch_written=True), switch_is="k"),)),
            "typedef struct { [switch_is(k), switch_type(long)] union { [default]; } u; } T;",
        ),
        (
            Struct(
                "T", (Member("i", InterfacePointer("IFoo", iid_is="riid")), Member("j", Pointer(InterfacePointer("I"))))
            ),
            "typedef struct { [iid_is(riid)] IFoo *i; I **j; } T;",
        ),
        (
            EncapsulatedUnion("T", "k", "u", Union("", LONG, (Arm((1, 2), Member("a", DWORD)), Arm((), None))), "_T"),
            "typedef union _T switch(long k) u { case 1: case 2: DWORD a; default: ; } T;",
        ),
        (
            Struct("T", (Member("v", Array(LONG, bound=8, length_is="n")), Member("s", String(WCHAR)))),
            "typedef struct { [length_is(n)] long v[8]; [string] wchar_t s[]; } T;",
        ),
    ],
)
def test_a_type_is_written(declared: Type, text: str) -> None:
    assert " ".join(types_idl({"T": declared}).split()) == text


def test_a_union_by_itself_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="as a member"):
        types_idl({"T": Union("T", LONG, ())})


def test_an_interface_has_its_opnums_constants_and_callbacks() -> None:
    parameter = Parameter(Direction.IN, Member("h", ContextHandle("H")))
    first = Operation(1, "First", (parameter,), None, "1", "", takes_handle_t=False)
    asked = Operation(0, "Asked", (parameter,), LONG, "2", "", takes_handle_t=False)
    last = Operation(2, "Last", (), LONG, "3", "")
    interface = Interface(
        *("i", "1088a980-eae5-11d0-8d9b-00a02453c337", (1, 0), "D", "", (first, last), {}),
        callbacks=(asked,),
        constants=(Constant("ONE", ULONG, 1),),
    )
    body = " ".join(interface_idl(interface).split()).partition("{ ")[2]
    assert body == (
        "const ULONG ONE = 1; void Opnum0NotUsedOnWire(void); void First( [in] H h ); "
        "long Last( [in] handle_t hBind ); [callback] long Asked( [in] H h ); }"
    )


def test_imported_types_are_not_declared_again() -> None:
    foreign: dict[str, Type] = {"F": Scalar("F", 4)}
    own: dict[str, Type] = {"G": Scalar("G", 2)}
    interface = Interface("i", "1088a980-eae5-11d0-8d9b-00a02453c337", (1, 2), "D", "", (), {**foreign, **own})
    text = interface_idl(interface, {"f.idl": foreign, "other.idl": {"H": ULONG}})
    assert text.startswith('import "f.idl";\n[')
    assert "version(1.2)" in text
    assert "typedef unsigned short G;" in text
    assert " F;" not in text
    assert "other.idl" not in text


def test_a_com_interface_goes_on_where_its_base_ends() -> None:
    reset = Operation(3, "Reset", (), LONG, "1", "", takes_handle_t=False)
    last = Operation(5, "Last", (Parameter(Direction.IN, Member("n", LONG)),), LONG, "2", "", takes_handle_t=False)
    interface = Interface(
        "IFoo", "00020400-0000-0000-c000-000000000046", (0, 0), "D", "", (reset, last), {}, base="IUnknown"
    )
    assert " ".join(interface_idl(interface).split()) == (
        "[ object, uuid(00020400-0000-0000-c000-000000000046), pointer_default(unique) ] interface IFoo : IUnknown { "
        "long Reset(void); void Opnum4NotUsedOnWire(void); long Last( [in] long n ); }"
    )
