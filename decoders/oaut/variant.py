"""VARIANT: [MS-OAUT] 2.2.29. What its arms point to stands behind it; SAFEARRAYs are declared beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from decoders.ndr.model import Member, Named, Pointer, Struct, Union
from decoders.oaut.names import VARENUM, VT, arm
from decoders.oaut.types import (
    BYTE,
    CHAR,
    DATE,
    DOUBLE,
    DWORD,
    FLOAT,
    HRESULT,
    IDISPATCH,
    INT,
    IUNKNOWN,
    LONG,
    LONGLONG,
    SHORT,
    UINT,
    ULONG,
    ULONGLONG,
    USHORT,
    VARIANT_BOOL,
)

if TYPE_CHECKING:
    from decoders.ndr.model import Arm, Type

VT_ARRAY: Final = VT["VT_ARRAY"]
VT_BYREF: Final = VT["VT_BYREF"]

VARIANT = Pointer(Named("wireVARIANTStr"), written=True)
_CURRENCY = Named("CURRENCY")
_DECIMAL = Named("DECIMAL")
_BSTR = Named("BSTR")
_PSAFEARRAY = Named("PSAFEARRAY")


def _by_value(label: str, name: str, value: Type | None) -> Arm:
    return arm(label, name, value, VARENUM)


def _by_reference(label: str, name: str, to: Type) -> Arm:
    return arm(f"{label}|VT_BYREF", name, Pointer(to), VARENUM)


VARIANT_UNION = Union(
    "",
    ULONG,
    (
        _by_value("VT_I8", "llVal", LONGLONG),
        _by_value("VT_I4", "lVal", LONG),
        _by_value("VT_UI1", "bVal", BYTE),
        _by_value("VT_I2", "iVal", SHORT),
        _by_value("VT_R4", "fltVal", FLOAT),
        _by_value("VT_R8", "dblVal", DOUBLE),
        _by_value("VT_BOOL", "boolVal", VARIANT_BOOL),
        _by_value("VT_ERROR", "scode", HRESULT),
        _by_value("VT_CY", "cyVal", _CURRENCY),
        _by_value("VT_DATE", "date", DATE),
        _by_value("VT_BSTR", "bstrVal", _BSTR),
        _by_value("VT_UNKNOWN", "punkVal", IUNKNOWN),
        _by_value("VT_DISPATCH", "pdispVal", IDISPATCH),
        _by_value("VT_ARRAY", "parray", _PSAFEARRAY),
        _by_value("VT_RECORD, VT_RECORD|VT_BYREF", "brecVal", Named("BRECORD")),
        _by_reference("VT_UI1", "pbVal", BYTE),
        _by_reference("VT_I2", "piVal", SHORT),
        _by_reference("VT_I4", "plVal", LONG),
        _by_reference("VT_I8", "pllVal", LONGLONG),
        _by_reference("VT_R4", "pfltVal", FLOAT),
        _by_reference("VT_R8", "pdblVal", DOUBLE),
        _by_reference("VT_BOOL", "pboolVal", VARIANT_BOOL),
        _by_reference("VT_ERROR", "pscode", HRESULT),
        _by_reference("VT_CY", "pcyVal", _CURRENCY),
        _by_reference("VT_DATE", "pdate", DATE),
        _by_reference("VT_BSTR", "pbstrVal", _BSTR),
        _by_reference("VT_UNKNOWN", "ppunkVal", IUNKNOWN),
        _by_reference("VT_DISPATCH", "ppdispVal", IDISPATCH),
        _by_reference("VT_ARRAY", "pparray", _PSAFEARRAY),
        _by_reference("VT_VARIANT", "pvarVal", Named("VARIANT")),
        _by_value("VT_I1", "cVal", CHAR),
        _by_value("VT_UI2", "uiVal", USHORT),
        _by_value("VT_UI4", "ulVal", ULONG),
        _by_value("VT_UI8", "ullVal", ULONGLONG),
        _by_value("VT_INT", "intVal", INT),
        _by_value("VT_UINT", "uintVal", UINT),
        _by_value("VT_DECIMAL", "decVal", _DECIMAL),
        _by_reference("VT_I1", "pcVal", CHAR),
        _by_reference("VT_UI2", "puiVal", USHORT),
        _by_reference("VT_UI4", "pulVal", ULONG),
        _by_reference("VT_UI8", "pullVal", ULONGLONG),
        _by_reference("VT_INT", "pintVal", INT),
        _by_reference("VT_UINT", "puintVal", UINT),
        _by_reference("VT_DECIMAL", "pdecVal", _DECIMAL),
        _by_value("VT_EMPTY", "", None),
        _by_value("VT_NULL", "", None),
    ),
    switch_written=True,
    sparse=True,
    folded=(VT_ARRAY, VT_ARRAY | VT_BYREF),
)

WIRE_VARIANT = Struct(
    "wireVARIANTStr",
    (
        Member("clSize", DWORD),
        Member("rpcReserved", DWORD),
        Member("vt", USHORT),
        Member("wReserved1", USHORT),
        Member("wReserved2", USHORT),
        Member("wReserved3", USHORT),
        Member("_varUnion", VARIANT_UNION, switch_is="vt"),
    ),
    tag="_wireVARIANT",
    little_endian=True,
)
