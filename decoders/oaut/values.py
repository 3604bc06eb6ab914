"""What the values of OLE Automation mean, as plain Python.

| type | value |
|---|---|
| VT_EMPTY, VT_NULL, null pointers, null BSTR | None |
| VT_BSTR | str; of an odd number of bytes, which is no text, lower-case hex |
| VT_BOOL | bool |
| integers, VT_ERROR | int |
| VT_R4, VT_R8 | float |
| VT_CY, VT_DECIMAL | the number as text, exactly |
| VT_DATE | ISO text, or the number's where it is no date |
| VT_UNKNOWN, VT_DISPATCH | ObjrefBytes |
| VT_RECORD | the bytes of pRecord |
| VT_ARRAY of VT_UI1 | bytes |
| other arrays | list in the order on the wire, whatever the dimensions; bytes where it would be too long |
"""

from __future__ import annotations

import math
import struct
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from decoders.limits import MAX_NDR_VALUES, MAX_VARIANT_NESTING
from decoders.ndr.model import CutBytes
from decoders.ndr.texts import wide_text
from decoders.oaut.names import FADF, SF, VT
from decoders.oaut.types import NULL_BSTR
from decoders.oaut.variant import VARIANT_UNION, VT_ARRAY, VT_BYREF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

BASE_TYPE: Final = 0x0FFF
_DAY_ZERO: Final = datetime(1899, 12, 30)  # noqa: DTZ001 - DATE has no zone
_DAYS: Final = range(-693_593, 2_958_466)
"""From the year 1 to 9999, which ISO text can show."""
_NEGATIVE: Final = 0x80
"""Of DECIMAL's sign: 2.2.26."""
_CENT: Final = Decimal("0.0001")
_ARMS: Final = {case: arm.member.name for arm in VARIANT_UNION.arms if arm.member for case in arm.cases}
_DATA: Final = {
    SF["SF_I1"]: ("ByteStr", "pData"),
    SF["SF_I2"]: ("WordStr", "pData"),
    SF["SF_I4"]: ("LongStr", "pData"),
    SF["SF_I8"]: ("HyperStr", "pData"),
    SF["SF_BSTR"]: ("BstrStr", "aBstr"),
    SF["SF_UNKNOWN"]: ("UnknownStr", "apUnknown"),
    SF["SF_DISPATCH"]: ("DispatchStr", "apDispatch"),
    SF["SF_VARIANT"]: ("VariantStr", "aVariant"),
    SF["SF_RECORD"]: ("RecordStr", "aRecord"),
    SF["SF_HAVEIID"]: ("HaveIidStr", "apUnknown"),
}
_SIZES: Final = {SF["SF_I1"]: 1, SF["SF_I2"]: 2, SF["SF_I4"]: 4, SF["SF_I8"]: 8}
_BY_SIZE: Final = {1: "B", 2: "h", 4: "i", 8: "q"}
_FORMATS: Final = {
    VT["VT_I1"]: "b",
    VT["VT_UI2"]: "H",
    VT["VT_UI4"]: "I",
    VT["VT_UINT"]: "I",
    VT["VT_ERROR"]: "I",
    VT["VT_UI8"]: "Q",
    VT["VT_R4"]: "f",
    VT["VT_R8"]: "d",
    VT["VT_DATE"]: "d",
}
"""Of elements that are no signed integers of their size."""


def bstr_value(blob: object) -> str | None:
    match blob:
        case {"cBytes": int(size), "asData": bytes(data)} if size != NULL_BSTR:
            return data[:size].hex() if size % 2 else wide_text(data[:size], "<")
    return None


def bstr_bytes(blob: object) -> bytes | None:
    """As they were sent; None of a null BSTR, and where not all of them are at hand."""
    match blob:
        case {"cBytes": int(size), "asData": bytes(data)} if size != NULL_BSTR and size <= len(data):
            return None if isinstance(data, CutBytes) else data[:size]
    return None


def date_text(days: float) -> str:
    """The fraction is the time of day, also before day zero: 2.2.25. To the millisecond, which is what doubles hold."""
    if not math.isfinite(days) or int(days) not in _DAYS:
        return str(days)
    fraction, whole = math.modf(days)
    try:
        return _iso(_DAY_ZERO + timedelta(days=whole, milliseconds=round(abs(fraction) * 86_400_000)))
    except OverflowError:
        return str(days)


def _iso(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds" if moment.microsecond else "seconds")


def decimal_text(decimal: object) -> str | None:
    match decimal:
        case {"scale": int(scale), "sign": int(sign), "Hi32": int(high), "Lo64": int(low)}:
            number = str((high << 64) | low)
            if scale:
                number = number.zfill(scale + 1)
                number = f"{number[:-scale]}.{number[-scale:]}"
            return f"-{number}" if sign & _NEGATIVE else number
    return None


def currency_text(currency: object) -> str | None:
    """2.2.24: an integer of ten-thousandths."""
    match currency:
        case {"int64": int(number)}:
            return str(number * _CENT)
    return None


def _record(record: object) -> object:
    return record.get("pRecord") if isinstance(record, dict) else None


_MEANING: Final[Mapping[int, Callable[[Any], object]]] = {
    VT["VT_BSTR"]: bstr_value,
    VT["VT_BOOL"]: bool,
    VT["VT_CY"]: currency_text,
    VT["VT_DATE"]: date_text,
    VT["VT_DECIMAL"]: decimal_text,
    VT["VT_RECORD"]: _record,
}


def arm_value(variant: Mapping[str, Any]) -> Any:  # noqa: ANN401 - of any arm
    """As decoded; None where there is none."""
    arms = variant.get("_varUnion")
    name = _ARMS.get(VARIANT_UNION.expected_tag(variant.get("vt") or 0), "")
    return arms.get(name) if isinstance(arms, dict) else None


def variant_value(variant: object, depth: int = 0) -> object:
    """Of a decoded wireVARIANT."""
    if not isinstance(variant, dict) or not isinstance(vt := variant.get("vt"), int):
        return None
    value = arm_value(variant)
    if value is None or depth > MAX_VARIANT_NESTING:
        return None
    if vt & VT_ARRAY:
        return safearray_value(value, vt & BASE_TYPE, depth)
    if vt == VT_BYREF | VT["VT_VARIANT"]:
        return variant_value(value, depth + 1)
    meaning = _MEANING.get(vt & BASE_TYPE)
    return meaning(value) if meaning else value


def variant_content(variant: object, depth: int = 0) -> bytes | int | None:
    """The bytes that a value or a text is, else how many elements an array has: without making a list."""
    if not isinstance(variant, dict) or depth > MAX_VARIANT_NESTING:
        return None
    vt, value = variant.get("vt") or 0, arm_value(variant)
    if vt == VT_BYREF | VT["VT_VARIANT"]:
        return variant_content(value, depth + 1)
    if vt & VT_ARRAY:
        return _array_content(value, vt & BASE_TYPE) if isinstance(value, dict) else None
    match value:
        case bytes():
            return value
        case {"pRecord": bytes(record)}:
            return record
        case {"cBytes": int(size)} if size != NULL_BSTR:
            found = bstr_bytes(value)
            return size if found is None else found
    return None


def _array_content(array: Mapping[str, Any], vt: int) -> bytes | int | None:
    data = safearray_data(array)
    if isinstance(data, bytes):
        return data if element_type(array, vt) == VT["VT_UI1"] else len(data) // _SIZES.get(_sf_type(array), 1)
    return None if data is None else len(data)


def safearray_value(array: Mapping[str, Any], vt: int, depth: int = 0) -> object:
    """`vt`: what the VARIANT around it says of the elements."""
    data = safearray_data(array)
    if data is None:
        return None
    vt = element_type(array, vt)
    if isinstance(data, bytes):
        size = _SIZES.get(_sf_type(array), 1)
        if vt == VT["VT_UI1"] or len(data) // size > MAX_NDR_VALUES:
            return data
    return list(elements(array, vt, None, depth))


def safearray_data(array: Mapping[str, Any]) -> Any:  # noqa: ANN401
    """What the arm points to: bytes of scalars, or a list. An array without elements may lack it."""
    union, place = array.get("uArrayStructs"), _DATA.get(_sf_type(array))
    structure = (union.get("u") or {}).get(place[0]) if place and isinstance(union, dict) else None
    if not place or not isinstance(structure, dict):
        return None
    data = structure.get(place[1])
    if data is None and not structure.get("clSize", structure.get("Size")):
        return b"" if _sf_type(array) in _SIZES else []
    return data


def element_type(array: Mapping[str, Any], vt: int) -> int:
    """The array's own word goes before the VARIANT's: 2.2.30.10."""
    own = (array.get("cLocks") or 0) >> 16 if (array.get("fFeatures") or 0) & FADF["FADF_HAVEVARTYPE"] else 0
    return int(own or vt)


def _sf_type(array: Mapping[str, Any]) -> int:
    union = array.get("uArrayStructs")
    return (union.get("sfType") or 0) if isinstance(union, dict) else 0


def elements(array: Mapping[str, Any], vt: int, most: int | None, depth: int = 0) -> Iterator[object]:
    """Not more than `most` of them, and each made only when asked for."""
    data = safearray_data(array)
    if isinstance(data, bytes):
        data = _scalars(data, _sf_type(array), vt, most)
    if _sf_type(array) == SF["SF_VARIANT"]:
        yield from (variant_value(one, depth + 1) for one in islice(data or (), most))
        return
    meaning = _MEANING.get(vt)
    for one in islice(data or (), most):
        yield meaning(one) if meaning and one is not None else one


def _scalars(data: bytes, sf_type: int, vt: int, most: int | None) -> Iterator[Any]:
    size = _SIZES.get(sf_type, 1)
    code = _FORMATS.get(vt, _BY_SIZE[size])
    if struct.calcsize(f"<{code}") != size:
        # The element type and sfType disagree: the bytes have sfType's size.
        code = _BY_SIZE[size]
    whole = len(data) // size
    number = whole if most is None else min(whole, most)
    values = struct.unpack_from(f"<{number}{code}", data)
    return iter([{"int64": one} for one in values] if vt == VT["VT_CY"] else values)
