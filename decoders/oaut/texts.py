"""VARIANTs for people: the name of the type, a short text of the value, and the objects that any value refers to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from decoders.limits import MAX_READABLE_CHARACTERS, MAX_READABLE_DEPTH
from decoders.ndr.model import ObjrefBytes
from decoders.oaut.names import SF, VARENUM, VT
from decoders.oaut.values import (
    BASE_TYPE,
    arm_value,
    element_type,
    elements,
    safearray_data,
    variant_value,
)
from decoders.oaut.variant import VT_ARRAY, VT_BYREF

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["variant_text", "variant_type", "variant_value"]

_NAMES: Final = {number: name for name, number in VARENUM.members}
_FLAGS: Final = (VT_BYREF, VT_ARRAY)
_CUT: Final = "..."
_ABSENT: Final = {VT["VT_EMPTY"]: ""}


def variant_type(vt: int) -> str:
    """`VT_BYREF|VT_ARRAY|VT_UI1`; a number that VARENUM lacks stays one."""
    flags = [_NAMES[flag] for flag in _FLAGS if vt & flag]
    base = vt & ~(VT_BYREF | VT_ARRAY)
    if base or not flags:
        flags.append(_NAMES.get(base, f"0x{base:04X}"))
    return "|".join(flags)


def variant_text(variant: object, limit: int = MAX_READABLE_CHARACTERS) -> str:
    """Never longer than `limit`: what is left out shows as three dots. Control characters are escaped."""
    parts: list[str] = []
    used = 0
    for part in _variant(variant, limit, 0, quoted=False):
        parts.append(part)
        used += len(part)
        if used > limit:
            break
    text = "".join(parts)
    return text if len(text) <= limit else text[: max(limit - len(_CUT), 0)] + _CUT[:limit]


def _variant(variant: object, limit: int, depth: int, *, quoted: bool = True) -> Iterator[str]:
    if not isinstance(variant, dict) or not isinstance(vt := variant.get("vt"), int):
        return
    value = arm_value(variant)
    if value is None:
        yield _ABSENT.get(vt, "null")
    elif vt & VT_ARRAY:
        yield from _array(value, vt & BASE_TYPE, limit, depth)
    elif vt != VT_BYREF | VT["VT_VARIANT"]:
        yield _plain(variant_value(variant), vt & BASE_TYPE, limit, quoted=quoted)
    elif depth < MAX_READABLE_DEPTH:
        yield from _variant(value, limit, depth + 1, quoted=quoted)
    else:
        yield _CUT


def _array(array: Mapping[str, Any], vt: int, limit: int, depth: int) -> Iterator[str]:
    """Stops when there is enough: an array may hold a million elements."""
    data = safearray_data(array)
    vt = element_type(array, vt)
    if data is None:
        yield "null"
    elif isinstance(data, bytes) and vt == VT["VT_UI1"]:
        yield data[: limit // 2 + 1].hex()
    elif depth >= MAX_READABLE_DEPTH:
        yield f"[{len(data)} more]"
    else:
        yield "["
        inner = (array.get("uArrayStructs") or {}).get("sfType") == SF["SF_VARIANT"]
        # Every element takes a separator's two characters, so more than `limit` are never shown.
        shown = data[: limit + 1] if inner else elements(array, vt, limit + 1)
        for index, one in enumerate(shown):
            if index:
                yield ", "
            if inner:
                yield from _variant(one, limit, depth + 1)
            else:
                yield _plain(one, vt, limit)
        yield "]"


def _plain(value: object, vt: int, limit: int, *, quoted: bool = True) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() if vt == VT["VT_ERROR"]:
            return f"0x{value:08X}"
        case str() if vt == VT["VT_BSTR"] and quoted:
            return f'"{_printable(value, limit)}"'
        case str():
            return _printable(value, limit)
        case ObjrefBytes():
            return f"object reference of {len(value)} bytes"
        case bytes():
            return value[: limit // 2 + 1].hex()
    return str(value)


def _printable(text: str, limit: int) -> str:
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text[: limit + 1]
    )
