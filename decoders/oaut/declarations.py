"""All of it by name, for the interfaces that use it: what Named refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.model import Array, Member, Named, Pointer, Struct
from decoders.oaut import safearray as arrays
from decoders.oaut.names import ADVFEATUREFLAGS, SF_TYPE, VARENUM
from decoders.oaut.types import DISPID, DWORD, HRESULT, SIMPLE_TYPES, UINT, ULONG_PTR, WORD
from decoders.oaut.variant import VARIANT, WIRE_VARIANT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Type

DISPPARAMS = Struct(
    "DISPPARAMS",
    (
        Member("rgvarg", Pointer(Array(Named("VARIANT"), size_is="cArgs")), payload=True),
        Member("rgdispidNamedArgs", Pointer(Array(DISPID, size_is="cNamedArgs"))),
        Member("cArgs", UINT),
        Member("cNamedArgs", UINT),
    ),
    tag="tagDISPPARAMS",
)

EXCEPINFO = Struct(
    "EXCEPINFO",
    (
        Member("wCode", WORD),
        Member("wReserved", WORD),
        Member("bstrSource", Named("BSTR")),
        Member("bstrDescription", Named("BSTR")),
        Member("bstrHelpFile", Named("BSTR")),
        Member("dwHelpContext", DWORD),
        Member("pvReserved", ULONG_PTR),
        Member("pfnDeferredFillIn", ULONG_PTR),
        Member("scode", HRESULT),
    ),
    tag="tagEXCEPINFO",
)

TYPES: Final[Mapping[str, Type]] = {
    "VARENUM": VARENUM,
    "ADVFEATUREFLAGS": ADVFEATUREFLAGS,
    "SF_TYPE": SF_TYPE,
    "PSAFEARRAY": arrays.PSAFEARRAY,
    "VARIANT": VARIANT,
    **SIMPLE_TYPES,
    "wireVARIANTStr": WIRE_VARIANT,
    "SAFEARRAYBOUND": arrays.SAFEARRAYBOUND,
    "SAFEARR_BSTR": arrays.SAFEARR_BSTR,
    "SAFEARR_UNKNOWN": arrays.SAFEARR_UNKNOWN,
    "SAFEARR_DISPATCH": arrays.SAFEARR_DISPATCH,
    "SAFEARR_VARIANT": arrays.SAFEARR_VARIANT,
    "SAFEARR_BRECORD": arrays.SAFEARR_BRECORD,
    "SAFEARR_HAVEIID": arrays.SAFEARR_HAVEIID,
    "BYTE_SIZEDARR": arrays.BYTE_SIZEDARR,
    "WORD_SIZEDARR": arrays.WORD_SIZEDARR,
    "DWORD_SIZEDARR": arrays.DWORD_SIZEDARR,
    "HYPER_SIZEDARR": arrays.HYPER_SIZEDARR,
    "SAFEARRAYUNION": arrays.SAFEARRAYUNION,
    "_wireSAFEARRAY": arrays.WIRE_SAFEARRAY,
    "SAFEARRAY": arrays.SAFEARRAY,
    "DISPPARAMS": DISPPARAMS,
    "EXCEPINFO": EXCEPINFO,
}
