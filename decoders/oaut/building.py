"""VARIANTs as Windows would send them, from plain values: the inverse of `values`, for tests and samples."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from decoders.ndr.encoder import encode
from decoders.ndr.model import Direction, Member, Named, Operation, Parameter, Syntax
from decoders.oaut.declarations import TYPES
from decoders.oaut.names import FADF, SF, VT
from decoders.oaut.types import NULL_BSTR
from decoders.oaut.variant import VARIANT_UNION, VT_ARRAY

if TYPE_CHECKING:
    from collections.abc import Sequence

_UNIT: Final = 8
"""Of clSize: 2.2.29.1."""
_BEGIN: Final = 8
"""Of the structure, behind its referent id and the gap."""
_ALONE: Final = Operation(
    0, "Alone", (Parameter(Direction.IN, Member("v", Named("VARIANT"))),), None, "2.2.29", "A VARIANT alone."
)


class _Elements(NamedTuple):
    sf_type: str
    arm: str
    pointer: str
    size: int
    """cbElements: 2.2.8."""
    feature: int = 0
    format: str = ""


_ELEMENTS: Final = {
    **{vt: _Elements("SF_I1", "ByteStr", "pData", 1, format=code) for vt, code in (("VT_I1", "b"), ("VT_UI1", "B"))},
    **{
        vt: _Elements("SF_I2", "WordStr", "pData", 2, format=code)
        for vt, code in (("VT_I2", "h"), ("VT_UI2", "H"), ("VT_BOOL", "h"))
    },
    **{
        vt: _Elements("SF_I4", "LongStr", "pData", 4, format=code)
        for vt, code in (("VT_I4", "i"), ("VT_UI4", "I"), ("VT_INT", "i"), ("VT_UINT", "I"), ("VT_R4", "f"))
    },
    **{
        vt: _Elements("SF_I8", "HyperStr", "pData", 8, format=code)
        for vt, code in (("VT_I8", "q"), ("VT_UI8", "Q"), ("VT_R8", "d"), ("VT_CY", "q"), ("VT_DATE", "d"))
    },
    "VT_ERROR": _Elements("SF_I4", "LongStr", "pData", 4, format="I"),
    "VT_BSTR": _Elements("SF_BSTR", "BstrStr", "aBstr", 4, FADF["FADF_BSTR"]),
    "VT_UNKNOWN": _Elements("SF_UNKNOWN", "UnknownStr", "apUnknown", 4, FADF["FADF_UNKNOWN"]),
    "VT_DISPATCH": _Elements("SF_DISPATCH", "DispatchStr", "apDispatch", 4, FADF["FADF_DISPATCH"]),
    "VT_VARIANT": _Elements("SF_VARIANT", "VariantStr", "aVariant", 16, FADF["FADF_VARIANT"]),
}


def bstr(data: str | bytes | None) -> dict[str, Any]:
    """None is the null BSTR."""
    raw = data.encode("utf-16-le", "surrogatepass") if isinstance(data, str) else data or b""
    words = (len(raw) + 1) // 2
    return {"cBytes": NULL_BSTR if data is None else len(raw), "clSize": words, "asData": raw.ljust(2 * words, b"\0")}


def safearray(element: str, values: Sequence[Any], lower_bound: int = 0) -> dict[str, Any]:
    """One dimension. `values`: numbers of a scalar type; BSTRs, OBJREFs or VARIANTs as they are decoded."""
    kind = _ELEMENTS[element]
    count = "clSize" if kind.format else "Size"
    data = struct.pack(f"<{len(values)}{kind.format}", *values) if kind.format else list(values)
    return {
        "cDims": 1,
        "fFeatures": FADF["FADF_HAVEVARTYPE"] | kind.feature,
        "cbElements": kind.size,
        "cLocks": VT[element] << 16,
        "uArrayStructs": {"sfType": SF[kind.sf_type], "u": {kind.arm: {count: len(values), kind.pointer: data}}},
        "rgsabound": [{"cElements": len(values), "lLbound": lower_bound}],
    }


def variant(vt: int, value: object = None, syntax: Syntax = Syntax.NDR) -> dict[str, Any]:
    """`value`: what the arm of `vt` holds; a SAFEARRAY for VT_ARRAY with any element type."""
    tag = VARIANT_UNION.expected_tag(vt)
    arm = next(arm for arm in VARIANT_UNION.arms if tag in arm.cases)
    made: dict[str, Any] = {
        "clSize": 0,
        "rpcReserved": 0,
        "vt": vt,
        "wReserved1": 0,
        "wReserved2": 0,
        "wReserved3": 0,
        "_varUnion": {arm.member.name: value} if arm.member else {},
    }
    made["clSize"] = units(made, syntax)
    return made


def byte_array(data: bytes) -> dict[str, Any]:
    """As a message's body is sent."""
    return variant(VT_ARRAY | VT["VT_UI1"], safearray("VT_UI1", data))


def units(made: dict[str, Any], syntax: Syntax = Syntax.NDR) -> int:
    """clSize: what it takes with all its referents, in units of eight bytes, rounded up."""
    return -((_BEGIN - len(encode(_ALONE, Direction.IN, {"v": made}, TYPES, syntax, "<"))) // _UNIT)
