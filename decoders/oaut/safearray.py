"""SAFEARRAY: [MS-OAUT] 2.2.30. Scalars are bytes here: sfType knows only their size, vt what they are."""

from __future__ import annotations

from decoders.ndr.base_types import UNSIGNED_LONG, UNSIGNED_SHORT
from decoders.ndr.model import (
    Array,
    EncapsulatedUnion,
    InterfacePointer,
    Member,
    Named,
    Pointer,
    PointerKind,
    Scalar,
    Struct,
    Type,
    Union,
)
from decoders.oaut.names import SF_TYPE, arm
from decoders.oaut.types import HYPER, IDISPATCH, IID, IUNKNOWN, LONG, ULONG, USHORT

_BYTE = Scalar("byte", 1)


def _references(name: str, tag: str, array: str, of: Type, *more: Member) -> Struct:
    """The IDL's [ref] makes the embedded pointer four bytes of any value: [C706] 14.3.11."""
    pointer = Pointer(Array(of, size_is="Size"), PointerKind.REF, written=True)
    return Struct(name, (Member("Size", ULONG), Member(array, pointer), *more), tag=tag)


def _sized(name: str, tag: str, of: Scalar) -> Struct:
    data = Pointer(Array(of, size_is="clSize", raw=True))
    return Struct(name, (Member("clSize", UNSIGNED_LONG), Member("pData", data)), tag=tag)


SAFEARRAYBOUND = Struct(
    "SAFEARRAYBOUND", (Member("cElements", ULONG), Member("lLbound", LONG)), tag="tagSAFEARRAYBOUND"
)
_HAVEIID = InterfacePointer("IUnknown")
"""Which interface the elements have is told by the member behind them."""

SAFEARR_BSTR = _references("SAFEARR_BSTR", "_wireSAFEARR_BSTR", "aBstr", Named("BSTR"))
SAFEARR_UNKNOWN = _references("SAFEARR_UNKNOWN", "_wireSAFEARR_UNKNOWN", "apUnknown", IUNKNOWN)
SAFEARR_DISPATCH = _references("SAFEARR_DISPATCH", "_wireSAFEARR_DISPATCH", "apDispatch", IDISPATCH)
SAFEARR_VARIANT = _references("SAFEARR_VARIANT", "_wireSAFEARR_VARIANT", "aVariant", Named("VARIANT"))
SAFEARR_BRECORD = _references("SAFEARR_BRECORD", "_wireSAFEARR_BRECORD", "aRecord", Named("BRECORD"))
SAFEARR_HAVEIID = _references("SAFEARR_HAVEIID", "_wireSAFEARR_HAVEIID", "apUnknown", _HAVEIID, Member("iid", IID))
BYTE_SIZEDARR = _sized("BYTE_SIZEDARR", "_BYTE_SIZEDARR", _BYTE)
WORD_SIZEDARR = _sized("WORD_SIZEDARR", "_SHORT_SIZEDARR", UNSIGNED_SHORT)
DWORD_SIZEDARR = _sized("DWORD_SIZEDARR", "_LONG_SIZEDARR", UNSIGNED_LONG)
HYPER_SIZEDARR = _sized("HYPER_SIZEDARR", "_HYPER_SIZEDARR", HYPER)

_STRUCTURES = {
    "SF_BSTR": ("BstrStr", SAFEARR_BSTR),
    "SF_UNKNOWN": ("UnknownStr", SAFEARR_UNKNOWN),
    "SF_DISPATCH": ("DispatchStr", SAFEARR_DISPATCH),
    "SF_VARIANT": ("VariantStr", SAFEARR_VARIANT),
    "SF_RECORD": ("RecordStr", SAFEARR_BRECORD),
    "SF_HAVEIID": ("HaveIidStr", SAFEARR_HAVEIID),
    "SF_I1": ("ByteStr", BYTE_SIZEDARR),
    "SF_I2": ("WordStr", WORD_SIZEDARR),
    "SF_I4": ("LongStr", DWORD_SIZEDARR),
    "SF_I8": ("HyperStr", HYPER_SIZEDARR),
}

SAFEARRAYUNION = EncapsulatedUnion(
    "SAFEARRAYUNION",
    "sfType",
    "u",
    Union(
        "SAFEARRAYUNION",
        UNSIGNED_LONG,
        tuple(arm(label, name, structure, SF_TYPE) for label, (name, structure) in _STRUCTURES.items()),
        sparse=True,
    ),
    tag="_wireSAFEARRAY_UNION",
)

WIRE_SAFEARRAY = Struct(
    "_wireSAFEARRAY",
    (
        Member("cDims", USHORT),
        Member("fFeatures", USHORT),
        Member("cbElements", ULONG),
        Member("cLocks", ULONG),
        Member("uArrayStructs", SAFEARRAYUNION),
        Member("rgsabound", Array(SAFEARRAYBOUND, size_is="cDims")),
    ),
    tag="_wireSAFEARRAY",
    little_endian=True,
)
SAFEARRAY = Pointer(Named("_wireSAFEARRAY"), written=True)
PSAFEARRAY = Pointer(Named("SAFEARRAY"), written=True)
"""A pointer to a pointer: two referent ids. None does not tell which of them is null."""
