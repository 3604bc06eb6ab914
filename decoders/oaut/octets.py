"""A VARIANT as the bytes that a message holds of it: texts without terminator, numbers little-endian."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from decoders.oaut.names import VT
from decoders.oaut.types import NULL_BSTR
from decoders.oaut.values import BASE_TYPE, arm_value, element_type, safearray_data
from decoders.oaut.variant import VT_ARRAY, VT_BYREF

if TYPE_CHECKING:
    from collections.abc import Mapping

_FORMATS: Final[Mapping[int, str]] = {
    VT[name]: f"<{code}"
    for name, code in (
        *(("VT_I1", "b"), ("VT_UI1", "B"), ("VT_I2", "h"), ("VT_UI2", "H"), ("VT_BOOL", "h")),
        *(("VT_I4", "i"), ("VT_UI4", "I"), ("VT_INT", "i"), ("VT_UINT", "I"), ("VT_R4", "f")),
        *(("VT_I8", "q"), ("VT_UI8", "Q"), ("VT_R8", "d"), ("VT_DATE", "d"), ("VT_CY", "q")),
    )
}


def resolved(variant: object) -> object:
    """What a VARIANT by reference refers to."""
    while isinstance(variant, dict) and variant.get("vt") == VT_BYREF | VT["VT_VARIANT"]:
        variant = arm_value(variant)
    return variant


def variant_octets(variant: object) -> bytes | None:
    """CutBytes where the stub ended first; None of objects, of arrays of other things, and of nothing."""
    variant = resolved(variant)
    if not isinstance(variant, dict) or not isinstance(vt := variant.get("vt"), int):
        return None
    value = arm_value(variant)
    if vt & VT_ARRAY:
        return _array(value, vt & BASE_TYPE) if isinstance(value, dict) else None
    match value:
        case {"cBytes": int(size), "asData": bytes(data)} if size != NULL_BSTR:
            return data if len(data) <= size else data[:size]
        case {"int64": int(value)} | (int() | float() as value):
            return _number(value, vt & BASE_TYPE)
    return None


def _array(array: Mapping[str, object], vt: int) -> bytes | None:
    data = safearray_data(array)
    return data if isinstance(data, bytes) and element_type(array, vt) == VT["VT_UI1"] else None


def _number(value: float, vt: int) -> bytes | None:
    code = _FORMATS.get(vt)
    try:
        return None if code is None else struct.pack(code, value)
    except struct.error:
        return None
