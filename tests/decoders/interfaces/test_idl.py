"""The declarations, written as IDL, against the IDL of the specifications; that against the specifications' text."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest

from decoders.interfaces import IMPORTED, INTERFACES, mqmq
from decoders.ndr.idl import interface_idl, types_idl
from decoders.registry import DCOM, REGISTRY
from tests.decoders.interfaces import specifications
from tests.decoders.interfaces.idl_text import Idl, reduced, reduced_file

KEPT = Path(__file__).parents[2] / "data" / "idl"
RENDERED = {"": types_idl(mqmq.TYPES)} | {
    interface.name: interface_idl(interface, IMPORTED) for interface in INTERFACES.values()
}
FILES = {
    "epm": ("epm",),
    "mqmq": ("",),
    "qm2qm": ("qm2qm",),
    "qmmgmt": ("qmmgmt",),
    "mqmp": ("qmcomm", "qmcomm2"),
    "mqrr": ("RemoteRead",),
    "mqds": ("dscomm", "dscomm2"),
}
"""What each declares; the first interface of a file has all of its types."""


_BY_TAG = "the structure's tag is its name"


class Difference(NamedTuple):
    specified: str
    ours: str
    why: str


DIFFERENCES: dict[str, tuple[Difference, ...]] = {
    "epm": (
        Difference("pointer_default(ref)", "pointer_default(unique)", "a tower may be null: servers send referent ids"),
        Difference("unsigned int error_status", "unsigned long error_status", "32 bits under either name"),
        Difference("BYTE tower_octet_string", "byte tower_octet_string", "[MS-DTYP] 2.2.6 is IDL's byte here"),
        Difference("twr_t , * twr_p_t", "twr_t", "the model names no pointers"),
        Difference(
            "[ length_is(*num_towers), out, ptr, size_is(max_towers) ] twr_p_t * ITowers",
            "[ length_is(*num_towers), out, size_is(max_towers) ] twr_t * ITowers [ ]",
            "no referent id stands before the array",
        ),
        Difference("twr_p_t ", "twr_t * ", "the model names no pointers"),
        Difference("unsigned32", "unsigned long", "[C706] 14.2: the same 32 bits"),
        Difference("boolean32", "unsigned long", "[C706] appendix N: the same 32 bits"),
    ),
    "mqmp": (
        Difference("struct CACCreateRemoteCursor CreateCursor", "CACCreateRemoteCursor CreateCursor", _BY_TAG),
        Difference("struct CACTransferBufferV1 old", "CACTransferBufferV1 old", _BY_TAG),
        Difference("struct CACTransferBufferV1 * ", "CACTransferBufferV1 * ", _BY_TAG),
        Difference("struct CACTransferBufferV2 * ", "CACTransferBufferV2 * ", _BY_TAG),
        Difference("struct CACCreateRemoteCursor * ", "CACCreateRemoteCursor * ", _BY_TAG),
        Difference("struct OBJECT_FORMAT * ", "OBJECT_FORMAT * ", _BY_TAG),
        Difference(
            "[ in, size_is(cp), unique ] DWORD aProp [ ]",
            "[ in, size_is(cp), unique ] DWORD * aProp",
            "[unique] makes a pointer of the array",
        ),
        Difference(
            "[ in, size_is(cp), unique ] PROPVARIANT apVar [ ]",
            "[ in, size_is(cp), unique ] PROPVARIANT * apVar",
            "[unique] makes a pointer of the array",
        ),
    ),
    "mqrr": (
        Difference(
            "[ context_handle ] QUEUE_CONTEXT_HANDLE_NOSERIALIZE QUEUE_CONTEXT_HANDLE_SERIALIZE",
            "[ context_handle ] void * QUEUE_CONTEXT_HANDLE_SERIALIZE",
            "a handle made of a handle is one",
        ),
    ),
    "mqds": (
        Difference("range(0,128*1024)", "range(0,131072)", "the product"),
        Difference(
            "[ range(0,128) ] DWORD BOUNDED_PROPERTIES",
            "[ range(0,128) ] unsigned long BOUNDED_PROPERTIES",
            "[MS-DTYP] 2.2.9: the same 32 bits",
        ),
    ),
}


def explained(file: dict[str, Idl], differences: tuple[Difference, ...]) -> dict[str, Idl]:
    for difference in differences:
        before = file
        file = {name: _replaced(idl, difference) for name, idl in file.items()}
        assert file != before, f"stale: {difference}"
    return file


def _replaced(idl: Idl, difference: Difference) -> Idl:
    parts = {name: getattr(idl, name) for name in ("header", "types", "operations")}
    return replace(
        idl,
        **{
            name: tuple(each.replace(difference.specified, difference.ours) for each in part)
            for name, part in parts.items()
        },
    )


@pytest.mark.parametrize("file", sorted(FILES))
def test_declarations_say_what_the_specification_says(file: str) -> None:
    specified = explained(reduced_file((KEPT / f"{file}.idl").read_text()), DIFFERENCES.get(file, ()))
    assert tuple(specified) == FILES[file]
    for name, expected in specified.items():
        rendered = reduced(RENDERED[name])
        first = name == FILES[file][0]
        assert rendered.header == expected.header
        assert rendered.types == (expected.types if first else _used(expected.types, rendered.types))
        assert rendered.constants == (expected.constants if first else ())
        assert rendered.operations == _without_unused_at_the_end(expected.operations)
        assert rendered.callbacks == expected.callbacks
        assert rendered.types


def test_every_interface_is_compared() -> None:
    """Those of COM in test_dcom_idl and test_oaut_idl."""
    native = {one.name for one in INTERFACES.values() if REGISTRY[one.uuid].family not in DCOM}
    assert {name for names in FILES.values() for name in names} == {*native, ""}
    assert {path.stem for path in KEPT.glob("*.idl")} == set(FILES)


def _used(types: tuple[str, ...], wanted: tuple[str, ...]) -> tuple[str, ...]:
    """Of the types that the file declares for another interface."""
    names = {each.split()[-1] for each in wanted}
    return tuple(each for each in types if each.split()[-1] in names)


def _without_unused_at_the_end(operations: tuple[str, ...]) -> tuple[str, ...]:
    """Those between others are rendered, so that what follows has its opnum."""
    number = len(operations)
    while number and operations[number - 1].endswith("NotUsedOnWire ( void )"):
        number -= 1
    return operations[:number]


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("typedef struct { long a; } A;", "typedef struct { short a; } A;"),
        ("typedef struct { [string] char *a; } A;", "typedef struct { char *a; } A;"),
        ("typedef struct { char *a; } A;", "typedef struct { char **a; } A;"),
        ("typedef enum { A, B } E;", "typedef enum { B, A } E;"),
        ("typedef enum { A, B = 3, C } E;", "typedef enum { A, B = 3, C = 5 } E;"),
        ("void f([in] long a); void g([in] long a);", "void g([in] long a); void f([in] long a);"),
        ("void f([in] long a);", "void f([in, out] long a);"),
        ("void f([in, range(0, 16)] long a);", "void f([in, range(0, 15)] long a);"),
        ("const long A = 1;", "const long A = 2;"),
        ("[callback] void f([in] long a);", "void f([in] long a);"),
        ("void f([size_is(, n)] long **a);", "void f([size_is(n)] long **a);"),
    ],
)
def test_a_difference_that_matters_is_not_reduced_away(text: str, other: str) -> None:
    assert reduced(text) != reduced(other)


def test_layout_comments_and_order_of_attributes_are_reduced_away() -> None:
    assert reduced(
        'import "x.idl";\n// c\ntypedef enum { A, B=0x10, C, } E;'
        "void f([out,in , size_is( n )]\n[string] char**a); /* */"
    ) == reduced("typedef enum { A = 0, B = 16, C = 17 } E; void f([in, out, string, size_is(n)] char * * a);")


@specifications.needed
@pytest.mark.parametrize(
    ("name", "document", "heading"),
    [
        ("mqmq", "MS-MQMQ", "# 5 "),
        ("qm2qm", "MS-MQQP", "# 6 "),
        ("qmmgmt", "MS-MQMR", "# 6 "),
        ("mqmp", "MS-MQMP", "# 6 "),
        ("mqrr", "MS-MQRR", "# 6 "),
        ("mqds", "MS-MQDS", "# 6 "),
    ],
)
def test_the_kept_text_is_the_specifications(name: str, document: str, heading: str) -> None:
    section = re.split(rf"^{heading}.*$", specifications.text_of(document), maxsplit=1, flags=re.MULTILINE)[1]
    section = section.split("\n<a id=", 1)[0]
    assert _words(section[section.index("import ") :]) == _words((KEPT / f"{name}.idl").read_text())


@specifications.needed
def test_the_kept_endpoint_mapper_is_the_specifications_where_it_redefines() -> None:
    section = _words(specifications.text_of("MS-RPCE"))
    kept = (KEPT / "epm.idl").read_text()
    for name in ("ept_lookup", "ept_map", "ept_lookup_handle_free"):
        found = re.search(rf"void {name}\(.*?\);", kept, re.DOTALL)
        assert found
        assert _words(found[0]) in section
    found = re.search(r"typedef struct \{\s*\[range.*?twr_p_t;", kept, re.DOTALL)
    assert found
    assert _words(found[0]) in section


def _words(text: str) -> str:
    return " ".join(text.split())
