"""The declarations, written as IDL, against the IDL of the specifications; that against the specifications' text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from decoders.interfaces import IMPORTED, epm, mqmq, qm2qm, qmmgmt
from decoders.ndr.idl import interface_idl, types_idl
from tests.decoders.interfaces import specifications
from tests.decoders.interfaces.idl_text import Idl, reduced

KEPT = Path(__file__).parents[2] / "data" / "idl"
RENDERED = {
    "epm": interface_idl(epm.INTERFACE, IMPORTED),
    "mqmq": types_idl(mqmq.TYPES),
    "qm2qm": interface_idl(qm2qm.INTERFACE, IMPORTED),
    "qmmgmt": interface_idl(qmmgmt.INTERFACE, IMPORTED),
}


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
}


def explained(idl: Idl, differences: tuple[Difference, ...]) -> Idl:
    parts = ["\n".join(part) for part in (idl.header, idl.types, idl.operations)]
    for difference in differences:
        assert any(difference.specified in part for part in parts), f"stale: {difference}"
        parts = [part.replace(difference.specified, difference.ours) for part in parts]
    header, types, operations = (tuple(part.split("\n")) if part else () for part in parts)
    return Idl(header, types, operations)


@pytest.mark.parametrize("name", sorted(RENDERED))
def test_declarations_say_what_the_specification_says(name: str) -> None:
    specified = explained(reduced((KEPT / f"{name}.idl").read_text()), DIFFERENCES.get(name, ()))
    rendered = reduced(RENDERED[name])
    assert rendered.header == specified.header
    assert rendered.types == specified.types
    assert rendered.operations == specified.operations
    assert rendered.types


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
    [("mqmq", "MS-MQMQ", "# 5 "), ("qm2qm", "MS-MQQP", "# 6 "), ("qmmgmt", "MS-MQMR", "# 6 ")],
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
