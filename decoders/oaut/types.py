"""Simple types of [MS-OAUT] 2.2, as its section 6 declares them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.base_types import UNSIGNED_LONG, UNSIGNED_SHORT, WCHAR
from decoders.ndr.model import Array, Guid, InterfacePointer, Member, Named, Pointer, Scalar, String, Struct

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.model import Type

IID_IUNKNOWN: Final = "00000000-0000-0000-c000-000000000046"
IID_IDISPATCH: Final = "00020400-0000-0000-c000-000000000046"

# Names of [MS-DTYP] that base_types lacks.
BYTE = Scalar("BYTE", 1)
CHAR = Scalar("CHAR", 1, signed=True)
SHORT = Scalar("SHORT", 2, signed=True)
USHORT = Scalar("USHORT", 2)
WORD = Scalar("WORD", 2)
INT = Scalar("INT", 4, signed=True)
UINT = Scalar("UINT", 4)
LONG = Scalar("LONG", 4, signed=True)
ULONG = Scalar("ULONG", 4)
DWORD = Scalar("DWORD", 4)
LCID = Scalar("LCID", 4)
HRESULT = Scalar("HRESULT", 4)
LONGLONG = Scalar("LONGLONG", 8, signed=True)
ULONGLONG = Scalar("ULONGLONG", 8)
FLOAT = Scalar("FLOAT", 4, floating=True)
DOUBLE = Scalar("DOUBLE", 8, floating=True)
INT64 = Scalar("__int64", 8, signed=True)
HYPER = Scalar("hyper", 8, signed=True)

IID = Guid("IID")
ULONG_PTR = Scalar("ULONG_PTR", 8, int3264=True)
SCODE = Scalar("SCODE", 4, signed=True)
DISPID = Scalar("DISPID", 4, signed=True)
MEMBERID = Scalar("MEMBERID", 4, signed=True)
HREFTYPE = Scalar("HREFTYPE", 4)
VARIANT_BOOL = Scalar("VARIANT_BOOL", 2, signed=True)
DATE = Scalar("DATE", 8, floating=True)
LPOLESTR = Pointer(String(WCHAR))

IUNKNOWN = InterfacePointer("IUnknown", IID_IUNKNOWN)
"""In a VARIANT or a SAFEARRAY the OBJREF's own iid may be another's: what is sent is what the sender holds."""
IDISPATCH = InterfacePointer("IDispatch", IID_IDISPATCH)

NULL_BSTR: Final = 0xFFFFFFFF
"""cBytes of a null BSTR, which is no null pointer: 2.2.23.2."""

FLAGGED_WORD_BLOB = Struct(
    "FLAGGED_WORD_BLOB",
    (
        Member("cBytes", UNSIGNED_LONG),
        Member("clSize", UNSIGNED_LONG),
        Member("asData", Array(UNSIGNED_SHORT, size_is="clSize", raw=True)),
    ),
    tag="_FLAGGED_WORD_BLOB",
    little_endian=True,
)
BSTR = Pointer(Named("FLAGGED_WORD_BLOB"), written=True)

CURRENCY = Struct("CURRENCY", (Member("int64", INT64),), tag="tagCY")

DECIMAL = Struct(
    "DECIMAL",
    (
        Member("wReserved", WORD),
        Member("scale", BYTE),
        Member("sign", BYTE),
        Member("Hi32", ULONG),
        Member("Lo64", ULONGLONG),
    ),
    tag="tagDEC",
)

BRECORD = Pointer(Named("wireBRECORDStr"), written=True)
WIRE_BRECORD = Struct(
    "wireBRECORDStr",
    (
        Member("fFlags", ULONG),
        Member("clSize", ULONG),
        Member("pRecInfo", InterfacePointer("MInterfacePointer")),
        Member("pRecord", Pointer(Array(Scalar("byte", 1), size_is="clSize"))),
    ),
    tag="_wireBRECORD",
    little_endian=True,
)


SIMPLE_TYPES: Final[Mapping[str, Type]] = {
    "ULONG_PTR": ULONG_PTR,
    "SCODE": SCODE,
    "FLAGGED_WORD_BLOB": FLAGGED_WORD_BLOB,
    "BSTR": BSTR,
    "CURRENCY": CURRENCY,
    "DATE": DATE,
    "DECIMAL": DECIMAL,
    "VARIANT_BOOL": VARIANT_BOOL,
    "wireBRECORDStr": WIRE_BRECORD,
    "BRECORD": BRECORD,
    "DISPID": DISPID,
    "MEMBERID": MEMBERID,
    "HREFTYPE": HREFTYPE,
}
