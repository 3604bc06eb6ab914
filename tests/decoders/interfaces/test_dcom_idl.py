"""DCOM's declarations, written as IDL, against the IDL of [MS-DCOM]; that against the document's text."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from decoders.dcom import activation_properties, types
from decoders.interfaces import (
    activation,
    class_factory,
    object_exporter,
    remote_scm_activator,
    remote_unknown,
    remote_unknown2,
)
from decoders.ndr.idl import interface_idl, types_idl
from tests.decoders.interfaces import specifications
from tests.decoders.interfaces.idl_text import Idl, reduced, reduced_file
from tests.decoders.interfaces.test_idl import Difference

if TYPE_CHECKING:
    from decoders.ndr.model import Interface

KEPT = Path(__file__).parents[2] / "data" / "dcom" / "dcom.idl"
BASES = {"IRemUnknown2": "IRemUnknown"}
"""IUnknown's operations never travel."""
DECLARED = (
    object_exporter.INTERFACE,
    activation.INTERFACE,
    remote_scm_activator.INTERFACE,
    remote_unknown.INTERFACE,
    remote_unknown2.INTERFACE,
)

_IN_FRONT = "[unique] makes a pointer of the array"
_NOT_CHECKED = "asks the receiver to compare less"
_WRITTEN_OUT = "the model names no pointers"
DIFFERENCES = (
    Difference("(size+1)&~1,)", "(size+1)&~1)", "the empty place is that of the inner pointer"),
    Difference("MAX_REQUESTED_INTERFACES)", "32768)", "the constant's value"),
    Difference("MAX_REQUESTED_PROTSEQS)", "32768)", "the constant's value"),
    Difference("range(MIN_ACTPROP_LIMIT,MAX_ACTPROP_LIMIT)", "range(1,10)", "the constants' values"),
    Difference("[ disable_consistency_check, out,", "[ out,", _NOT_CHECKED),
    Difference("[ idempotent ] error_status_t", "error_status_t", "a call's flags say so, no byte of a stub does"),
    Difference("] OID AddToSet [ ]", "] OID * AddToSet", _IN_FRONT),
    Difference("] OID DelFromSet [ ]", "] OID * DelFromSet", _IN_FRONT),
    Difference("] unsigned short arRequestedProtseqs [ ]", "] unsigned short * arRequestedProtseqs", _IN_FRONT),
    Difference("REFIPID ripid", "const GUID * ripid", _WRITTEN_OUT),
    Difference("PREMQIRESULT * ppQIResults", "REMQIRESULT * * ppQIResults", _WRITTEN_OUT),
    Difference("PMInterfacePointerInternal * ppMIF", "MInterfacePointer * * ppMIF", _WRITTEN_OUT),
    Difference("HRESULT Opnum", "void Opnum", "not on the wire"),
)
NOT_DECLARED = {
    "ID": "nothing uses it",
    "REFIPID": _WRITTEN_OUT,
    "PMInterfacePointer": _WRITTEN_OUT,
    "PREMQIRESULT": _WRITTEN_OUT,
    "PMInterfacePointerInternal": _WRITTEN_OUT,
    "ErrorObjectData": "nothing uses it: 2.2.21.2 lays error information out without NDR",
    "SPD_FLAGS": "bits of a DWORD",
}


class Document(NamedTuple):
    interfaces: dict[str, Idl]
    types: tuple[str, ...]


@cache
def document() -> Document:
    text = KEPT.read_text()
    text = re.sub(r"^#define.*$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^enum tagCPFLAGS\s*\{[^}]*\};", "", text, flags=re.MULTILINE)
    text = text.replace("};\n[", "}\n[")
    front, behind = text[: text.index("const unsigned long MIN_")], text[text.index("const unsigned long MIN_") :]
    found = reduced_file(front)
    *_, last = found.values()
    declared = [*last.types, *reduced(behind).types]
    return Document(found, tuple(map(_explained, declared)))


def _explained(text: str) -> str:
    for difference in DIFFERENCES:
        text = text.replace(difference.specified, difference.ours)
    return text


def _name(typedef: str) -> str:
    return typedef.rsplit(maxsplit=1)[-1]


def _operations(name: str) -> tuple[str, ...]:
    """With those of the interfaces it is derived from."""
    base = BASES.get(name)
    own = tuple(map(_explained, document().interfaces[name].operations))
    return (*(_operations(base) if base else ()), *own)


@pytest.mark.parametrize("interface", DECLARED, ids=lambda interface: interface.name)
def test_declarations_say_what_the_document_says(interface: Interface) -> None:
    rendered = reduced(re.sub(r"\s*: IUnknown", "", interface_idl(interface)))
    specified = document().interfaces[interface.name]
    assert rendered.operations == _operations(interface.name)
    wanted = {_name(one) for one in rendered.types}
    assert rendered.types == tuple(one for one in document().types if _name(one) in wanted)
    assert len(rendered.types) == len(interface.types)
    if interface is activation.INTERFACE:
        assert rendered.constants == specified.constants != ()
    name, *attributes = rendered.header
    assert name == specified.header[0]
    # 2.1: all of them are version 0.0, which the IDL leaves out; IRemUnknown has no pointer that a default is for.
    expected = {attribute.lower() for attribute in specified.header[1:]} | {"pointer_default(unique)"}
    assert set(attributes) == (expected if interface.base else expected - {"object"} | {"version(0.0)"})


def test_types_say_what_the_document_says() -> None:
    rendered = reduced(types_idl({**types.TYPES, **activation_properties.TYPES})).types
    specified = [one for one in document().types if _name(one) not in NOT_DECLARED]
    assert list(rendered) == specified
    assert {_name(one) for one in document().types} >= NOT_DECLARED.keys()


def test_no_difference_is_stale() -> None:
    whole = [
        *document().types,
        *(text for idl in document().interfaces.values() for text in (*idl.operations, *idl.types)),
        *reduced(KEPT.read_text().partition("const unsigned long MIN_")[2].partition(";")[2]).types,
    ]
    for difference in DIFFERENCES:
        assert any(difference.specified in text for text in whole), difference


def test_every_interface_of_the_document_is_declared() -> None:
    assert set(document().interfaces) == {one.name for one in DECLARED} | {"IUnknown"}


@specifications.needed
def test_the_kept_text_is_the_documents() -> None:
    text = specifications.text_of("MS-DCOM")
    section = text.split("\n# 6 Appendix A: Full IDL\n", 1)[1].split("\n<a id=", 1)[0]
    assert section[section.index("import ") :].split() == KEPT.read_text().split()


@specifications.needed
def test_the_class_factory_is_the_documents() -> None:
    text = specifications.text_of("MS-DCOM")
    shown = text[text.index("HRESULT CreateInstance(") :].split(";", 1)[0] + ";"
    specified = reduced_file("[ uuid(0) ] interface I {" + shown + "}")["I"].operations
    specified = tuple(
        one.replace("REFIID riid", "const IID * riid").replace(
            "[ iid_is(riid), out ] Iunknown * * ppUnknown", "[ out ] MInterfacePointer * * ppUnknown"
        )
        for one in specified
    )
    rendered = reduced(re.sub(r"\s*: IUnknown", "", interface_idl(class_factory.INTERFACE)))
    assert rendered.operations == specified


@specifications.needed
@pytest.mark.parametrize("interface", [*DECLARED, class_factory.INTERFACE], ids=lambda interface: interface.name)
def test_sections_and_opnums_are_the_documents(interface: Interface) -> None:
    text = specifications.text_of("MS-DCOM")
    for operation in interface.operations:
        listed = re.search(rf"^ *- \[{re.escape(operation.section)} [^\]]*\]", text, re.MULTILINE)
        assert listed, operation.section
        if interface is not class_factory.INTERFACE:
            assert re.search(rf"::\s*{operation.name} \(Opnum {operation.opnum} ?\)", listed[0])
