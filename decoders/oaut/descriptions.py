"""How a type library describes types, methods and variables: [MS-OAUT] 2.2.10 to 2.2.19 and 2.2.37 to 2.2.44."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.base_types import GUID
from decoders.ndr.model import Arm, Array, Enum, Member, Named, Pointer, Struct, Union
from decoders.oaut.declarations import TYPES
from decoders.oaut.names import VARENUM, arm
from decoders.oaut.safearray import SAFEARRAYBOUND
from decoders.oaut.types import DWORD, HREFTYPE, LCID, LPOLESTR, MEMBERID, SCODE, SHORT, ULONG, USHORT, WORD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Type

CALLCONV = Enum("CALLCONV", (("CC_CDECL", 1), ("CC_PASCAL", 2), ("CC_STDCALL", 4)), "tagCALLCONV", v1_enum=True)
FUNCKIND = Enum(
    "FUNCKIND", (("FUNC_PUREVIRTUAL", 1), ("FUNC_STATIC", 3), ("FUNC_DISPATCH", 4)), "tagFUNCKIND", v1_enum=True
)
INVOKEKIND = Enum(
    "INVOKEKIND",
    (("INVOKE_FUNC", 1), ("INVOKE_PROPERTYGET", 2), ("INVOKE_PROPERTYPUT", 4), ("INVOKE_PROPERTYPUTREF", 8)),
    "tagINVOKEKIND",
    v1_enum=True,
)
TYPEKIND = Enum(
    "TYPEKIND",
    (
        ("TKIND_ENUM", 0),
        ("TKIND_RECORD", 1),
        ("TKIND_MODULE", 2),
        ("TKIND_INTERFACE", 3),
        ("TKIND_DISPATCH", 4),
        ("TKIND_COCLASS", 5),
        ("TKIND_ALIAS", 6),
        ("TKIND_UNION", 7),
    ),
    "tagTYPEKIND",
    v1_enum=True,
)
VARKIND = Enum(
    "VARKIND",
    (("VAR_PERINSTANCE", 0), ("VAR_STATIC", 1), ("VAR_CONST", 2), ("VAR_DISPATCH", 3)),
    "tagVARKIND",
    v1_enum=True,
)

TYPEDESC = Struct(
    "TYPEDESC",
    (
        Member(
            "_tdUnion",
            Union(
                "",
                USHORT,
                (
                    arm("VT_PTR, VT_SAFEARRAY", "lptdesc", Pointer(Named("TYPEDESC")), VARENUM),
                    arm("VT_CARRAY", "lpadesc", Pointer(Named("ARRAYDESC")), VARENUM),
                    arm("VT_USERDEFINED", "hreftype", HREFTYPE, VARENUM),
                    Arm((), None),
                ),
                switch_written=True,
            ),
            switch_is="vt",
        ),
        Member("vt", USHORT),
    ),
    tag="tagTYPEDESC",
)

ARRAYDESC = Struct(
    "ARRAYDESC",
    (
        Member("tdescElem", TYPEDESC),
        Member("cDims", USHORT),
        Member("rgbounds", Array(SAFEARRAYBOUND, size_is="cDims")),
    ),
    tag="tagARRAYDESC",
)

PARAMDESCEX = Struct(
    "PARAMDESCEX", (Member("cBytes", ULONG), Member("varDefaultValue", Named("VARIANT"))), tag="tagPARAMDESCEX"
)
PARAMDESC = Struct(
    "PARAMDESC", (Member("pparamdescex", Pointer(PARAMDESCEX)), Member("wParamFlags", USHORT)), tag="tagPARAMDESC"
)
ELEMDESC = Struct("ELEMDESC", (Member("tdesc", TYPEDESC), Member("paramdesc", PARAMDESC)), tag="tagELEMDESC")

FUNCDESC = Struct(
    "FUNCDESC",
    (
        Member("memid", MEMBERID),
        Member("lReserved1", Pointer(Array(SCODE, size_is="cReserved2"))),
        Member("lprgelemdescParam", Pointer(Array(ELEMDESC, size_is="cParams"))),
        Member("funckind", FUNCKIND),
        Member("invkind", INVOKEKIND),
        Member("callconv", CALLCONV),
        Member("cParams", SHORT),
        Member("cParamsOpt", SHORT),
        Member("oVft", SHORT),
        Member("cReserved2", SHORT),
        Member("elemdescFunc", ELEMDESC),
        Member("wFuncFlags", WORD),
    ),
    tag="tagFUNCDESC",
)

VARDESC = Struct(
    "VARDESC",
    (
        Member("memid", MEMBERID),
        Member("lpstrReserved", LPOLESTR),
        Member(
            "_vdUnion",
            Union(
                "",
                VARKIND,
                (
                    arm("VAR_PERINSTANCE, VAR_DISPATCH, VAR_STATIC", "oInst", ULONG, VARKIND),
                    arm("VAR_CONST", "lpvarValue", Pointer(Named("VARIANT")), VARKIND),
                ),
                switch_written=True,
            ),
            switch_is="varkind",
        ),
        Member("elemdescVar", ELEMDESC),
        Member("wVarFlags", WORD),
        Member("varkind", VARKIND),
    ),
    tag="tagVARDESC",
)

TYPEATTR = Struct(
    "TYPEATTR",
    (
        Member("guid", GUID),
        Member("lcid", LCID),
        Member("dwReserved1", DWORD),
        Member("dwReserved2", DWORD),
        Member("dwReserved3", DWORD),
        Member("lpstrReserved4", LPOLESTR),
        Member("cbSizeInstance", ULONG),
        Member("typekind", TYPEKIND),
        Member("cFuncs", WORD),
        Member("cVars", WORD),
        Member("cImplTypes", WORD),
        Member("cbSizeVft", WORD),
        Member("cbAlignment", WORD),
        Member("wTypeFlags", WORD),
        Member("wMajorVerNum", WORD),
        Member("wMinorVerNum", WORD),
        Member("tdescAlias", TYPEDESC),
        Member("dwReserved5", DWORD),
        Member("wReserved6", WORD),
    ),
    tag="tagTYPEATTR",
)

DESCRIPTION_TYPES: Final[Mapping[str, Type]] = {
    "CALLCONV": CALLCONV,
    "FUNCKIND": FUNCKIND,
    "INVOKEKIND": INVOKEKIND,
    "TYPEKIND": TYPEKIND,
    "VARKIND": VARKIND,
    **TYPES,
    "TYPEDESC": TYPEDESC,
    "ARRAYDESC": ARRAYDESC,
    "PARAMDESCEX": PARAMDESCEX,
    "PARAMDESC": PARAMDESC,
    "ELEMDESC": ELEMDESC,
    "FUNCDESC": FUNCDESC,
    "VARDESC": VARDESC,
    "TYPEATTR": TYPEATTR,
}
