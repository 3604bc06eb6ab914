"""ITypeInfo: [MS-OAUT] 3.7. PowerShell asks it for every member of an object before it calls one."""

from __future__ import annotations

from typing import Final

from decoders.interfaces.com_parameters import RIID, counted, method, out, out_interface
from decoders.interfaces.dispatch import IID_ITYPEINFO
from decoders.interfaces.parameters import value
from decoders.ndr.model import Direction, Interface, Named, Pointer
from decoders.oaut.descriptions import DESCRIPTION_TYPES, FUNCDESC, INVOKEKIND, TYPEATTR, VARDESC
from decoders.oaut.types import DWORD, HREFTYPE, INT, MEMBERID, UINT, WORD
from decoders.registry import BY_NAME

IID_ITYPECOMP: Final = "00020403-0000-0000-c000-000000000046"
IID_ITYPELIB: Final = "00020402-0000-0000-c000-000000000046"
_BSTR: Final = Named("BSTR")
_RESERVED: Final = out("pReserved", DWORD)
_MEMID: Final = value("memid", MEMBERID)
_INDEX: Final = value("index", UINT)

INTERFACE: Final = Interface(
    **BY_NAME["ITypeInfo"].identity,
    doc="Describes the members of a type: their names, numbers and arguments.",
    operations=(
        method(
            3,
            "GetTypeAttr",
            (out("ppTypeAttr", Pointer(TYPEATTR)), _RESERVED),
            "3.7.4.1",
            "Gets what the type is and how many members it has.",
        ),
        method(
            4,
            "GetTypeComp",
            (out_interface("ppTComp", "ITypeComp", IID_ITYPECOMP),),
            "3.7.4.2",
            "Gets the object that looks members up by name.",
        ),
        method(
            5,
            "GetFuncDesc",
            (_INDEX, out("ppFuncDesc", Pointer(FUNCDESC)), _RESERVED),
            "3.7.4.3",
            "Gets the description of a method.",
        ),
        method(
            6,
            "GetVarDesc",
            (_INDEX, out("ppVarDesc", Pointer(VARDESC)), _RESERVED),
            "3.7.4.4",
            "Gets the description of a variable or constant.",
        ),
        method(
            7,
            "GetNames",
            (
                _MEMID,
                counted(Direction.OUT, "rgBstrNames", _BSTR, "cMaxNames", "*pcNames"),
                value("cMaxNames", UINT),
                out("pcNames", UINT),
            ),
            "3.7.4.5",
            "Gets the names of a member and its arguments.",
        ),
        method(
            8,
            "GetRefTypeOfImplType",
            (_INDEX, out("pRefType", HREFTYPE)),
            "3.7.4.6",
            "Gets the number of a type that this one implements.",
        ),
        method(
            9,
            "GetImplTypeFlags",
            (_INDEX, out("pImplTypeFlags", INT)),
            "3.7.4.7",
            "Gets how an implemented type is used.",
        ),
        method(
            12,
            "GetDocumentation",
            (
                _MEMID,
                value("refPtrFlags", DWORD),
                out("pBstrName", _BSTR),
                out("pBstrDocString", _BSTR),
                out("pdwHelpContext", DWORD),
                out("pBstrHelpFile", _BSTR),
            ),
            "3.7.4.8",
            "Gets a member's name and help.",
        ),
        method(
            13,
            "GetDllEntry",
            (
                _MEMID,
                value("invKind", INVOKEKIND),
                value("refPtrFlags", DWORD),
                out("pBstrDllName", _BSTR),
                out("pBstrName", _BSTR),
                out("pwOrdinal", WORD),
            ),
            "3.7.4.9",
            "Gets where a function stands in a library.",
        ),
        method(
            14,
            "GetRefTypeInfo",
            (value("hRefType", HREFTYPE), out_interface("ppTInfo", "ITypeInfo", IID_ITYPEINFO)),
            "3.7.4.10",
            "Gets the description of a type by its number.",
        ),
        method(
            16,
            "CreateInstance",
            (RIID, out_interface("ppvObj", "IUnknown", iid_is="riid")),
            "3.7.4.11",
            "Creates an object of the type.",
        ),
        method(
            17,
            "GetMops",
            (_MEMID, out("pBstrMops", _BSTR)),
            "3.7.4.12",
            "Gets how a member is marshaled.",
        ),
        method(
            18,
            "GetContainingTypeLib",
            (out_interface("ppTLib", "ITypeLib", IID_ITYPELIB), out("pIndex", UINT)),
            "3.7.4.13",
            "Gets the library that the type is in.",
        ),
    ),
    types=DESCRIPTION_TYPES,
)
