"""The declarations, written as IDL, against the documents' own."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from decoders.interfaces import connection_points, dispatch, enum_variant, type_info
from decoders.ndr.idl import interface_idl, types_idl
from decoders.ndr.model import Enum
from decoders.oaut.descriptions import DESCRIPTION_TYPES
from tests.decoders.interfaces import specifications
from tests.decoders.interfaces.idl_text import Idl, reduced, reduced_file

if TYPE_CHECKING:
    from decoders.ndr.model import Interface

_ENUM: Final = re.compile(r"typedef\s+(?:\[v1_enum\]\s+)?enum\s+\w+\s*\{(?P<members>[^}]*)\}\s*(?P<name>\w+)\s*;")
_DEFINE: Final = re.compile(r"^#define.*$", re.MULTILINE)
_FORWARD: Final = re.compile(r"^(?:interface \w+;|// .*)$", re.MULTILINE)

# What the document writes, what we write, and why.
DIFFERENCES: Final = (
    ("struct _wireVARIANT * VARIANT", "wireVARIANTStr * VARIANT", "the tag's typedef"),
    ("struct _wireBRECORD * BRECORD", "wireBRECORDStr * BRECORD", "the tag's typedef"),
    ("SAFEARRAY * PSAFEARRAY , * LPSAFEARRAY", "SAFEARRAY * PSAFEARRAY", "one name is enough"),
    ("SAFEARRAYBOUND , * LPSAFEARRAYBOUND", "SAFEARRAYBOUND", "the model names no pointers"),
    ("ULONG_PTR , * PULONG_PTR", "ULONG_PTR", "the model names no pointers"),
    ("[ public ] unsigned __int3264", "unsigned __int3264", "[public] is for type libraries"),
    ("FUNCDESC , * LPFUNCDESC", "FUNCDESC", "the model names no pointers"),
    ("VARDESC , * LPVARDESC", "VARDESC", "the model names no pointers"),
    ("TYPEATTR , * LPTYPEATTR", "TYPEATTR", "the model names no pointers"),
    ("typedef LONG ", "typedef long ", "[MS-DTYP] 2.2.27"),
    ("typedef DISPID MEMBERID", "typedef long MEMBERID", "a name for DISPID, which is one for LONG"),
    ("typedef DWORD HREFTYPE", "typedef unsigned long HREFTYPE", "[MS-DTYP] 2.2.9"),
    ("struct tagTYPEDESC * lptdesc", "TYPEDESC * lptdesc", "the tag's typedef"),
    ("struct tagARRAYDESC * lpadesc", "ARRAYDESC * lpadesc", "the tag's typedef"),
    ("LPOLESTR lpstrReserved", "[ string ] wchar_t * lpstrReserved", "the model names no pointers"),
    ("[ unique ] struct _wireSAFEARRAY {", "struct _wireSAFEARRAY {", "structure and pointer are two declarations"),
    ("} * SAFEARRAY", "} _wireSAFEARRAY", "structure and pointer are two declarations"),
    ("HRESULT Reset ( )", "HRESULT Reset ( void )", "the same"),
    ("REFIID riid", "IID * riid", "the model names no pointers"),
    ("[ in, size_is(cNames) ] LPOLESTR * ", "[ in, size_is(cNames), string ] wchar_t * * ", "the same"),
    ("LPFUNCDESC * ", "FUNCDESC * * ", "the same"),
    ("LPVARDESC * ", "VARDESC * * ", "the same"),
    ("LPTYPEATTR * ", "TYPEATTR * * ", "the same"),
    ("LPCONNECTDATA rgcd", "CONNECTDATA * rgcd", "the same"),
    ("LPCONNECTIONPOINT * ppCP", "IConnectionPoint * * ppCP", "the same"),
)
INTERFACES: Final = (dispatch.INTERFACE, enum_variant.INTERFACE, type_info.INTERFACE, *connection_points.INTERFACES)
OURS_ALONE: Final = frozenset(("typedef [ unique ] _wireSAFEARRAY * SAFEARRAY",))
"""The document declares it with the structure."""


def _explained(text: str) -> str:
    for specified, ours, _ in DIFFERENCES:
        text = text.replace(specified, ours)
    return text


@cache
def _document(name: str) -> str:
    section = specifications.text_of(name).rpartition("Full IDL\n")[2].partition('<a id="Section_7')[0]
    return re.sub(r"\s*:\s*IUnknown", "", section[section.index("import ") :])


def _interface(document: str, name: str) -> Idl:
    """What stands between its braces."""
    found = re.search(rf"\[[^\]]*\]\s*interface\s+{name}\s*\{{.*?\n\}}\s*\n", _document(document), re.DOTALL)
    assert found
    return reduced_file(found[0])[name]


@cache
def _specified_types() -> tuple[str, ...]:
    text = _document("MS-OAUT").partition("interface IDispatch\n")[0].rpartition("[\n")[0]
    text = _FORWARD.sub("", _DEFINE.sub("", _ENUM.sub("", text)))
    return reduced(text).types


@cache
def _types() -> dict[str, str]:
    return {each.split()[-1]: each for each in map(_explained, _specified_types())}


@specifications.needed
def test_every_type_is_declared_as_in_the_document() -> None:
    ours = reduced(_ENUM.sub("", types_idl(DESCRIPTION_TYPES))).types
    assert [each for each in ours if _types().get(each.split()[-1]) != each and each not in OURS_ALONE] == []
    assert len(ours) > 30


@specifications.needed
def test_every_enumeration_has_the_documents_values() -> None:
    known: dict[str, int] = {}
    checked = 0
    for found in _ENUM.finditer(_document("MS-OAUT")):
        members = []
        for member in filter(None, re.split(r",\s*", found["members"].strip())):
            label, _, written = member.partition("=")
            # `A | 0x8000`, `( B + 1 )`: sums of names and numbers.
            words = re.findall(r"\w+", written)
            known[label.strip()] = sum(known[word] if word in known else int(word, 0) for word in words)
            members.append((label.strip(), known[label.strip()]))
        declared = DESCRIPTION_TYPES.get(found["name"])
        if declared is not None:
            assert isinstance(declared, Enum)
            assert declared.members == tuple(members)
            assert declared.v1_enum == ("v1_enum" in found[0])
            checked += 1
    assert checked == sum(isinstance(declared, Enum) for declared in DESCRIPTION_TYPES.values())


@specifications.needed
@pytest.mark.parametrize("interface", INTERFACES, ids=lambda one: one.name)
def test_every_operation_is_declared_as_in_the_document(interface: Interface) -> None:
    specified = _interface(interface.document, interface.name)
    rendered = reduced_file(re.sub(r"\s*: IUnknown", "", interface_idl(interface)))[interface.name]
    used = [_explained(each) for each in specified.operations if "NotUsedOnWire" not in each]
    ours = [each for each in rendered.operations if "NotUsedOnWire" not in each]
    assert [name.lower() for name in rendered.header] == [name.lower() for name in specified.header]
    assert ours == used
    assert rendered.constants == specified.constants
    numbered = {name: 3 + place for place, name in enumerate(_names(specified))}
    assert {one.name: one.opnum for one in interface.operations} == {
        name: opnum for name, opnum in numbered.items() if "NotUsedOnWire" not in name
    }


def _names(idl: Idl) -> list[str]:
    return [each.split(" (")[0].split()[-1] for each in idl.operations]


@specifications.needed
def test_no_difference_is_stale() -> None:
    operations = [
        each for interface in INTERFACES for each in _interface(interface.document, interface.name).operations
    ]
    everything = "\n".join((*_specified_types(), *operations))
    assert [specified for specified, _, _ in DIFFERENCES if specified not in everything] == []
