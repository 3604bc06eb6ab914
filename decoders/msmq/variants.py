"""PROPVARIANT values: the name of the type, the value itself, and a short text of it for people."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Final

from decoders.interfaces import mqmq
from decoders.limits import MAX_READABLE_CHARACTERS, MAX_READABLE_DEPTH
from decoders.ndr.model import Member, Struct, Union

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBERS: Final = dict(mqmq.VARENUM.members)
_NAMES: Final = {number: name for name, number in mqmq.VARENUM.members}
VT_VECTOR: Final = _NUMBERS["VT_VECTOR"]
_VT_BOOL: Final = _NUMBERS["VT_BOOL"]
_VT_EMPTY: Final = _NUMBERS["VT_EMPTY"]
_CUT: Final = "..."
_OF_BYTES: Final = (mqmq.BLOB, mqmq.CAUB)


def _arms() -> dict[int, Member]:
    union = mqmq.PROPVARIANT.members[-1].type
    if not isinstance(union, Union):
        raise TypeError("a PROPVARIANT ends with its union")
    return {case: arm.member for arm in union.arms for case in arm.cases if arm.member is not None}


_ARMS: Final = _arms()


def vt_name(vt: int) -> str:
    """As the IDL's cases have it; a number that VARENUM lacks stays one."""
    if vt in _NAMES:
        return _NAMES[vt]
    base = vt & ~VT_VECTOR
    name = _NAMES.get(base, f"0x{base:04X}")
    return f"VT_VECTOR|{name}" if vt & VT_VECTOR else name


def vt_number(name: str) -> int:
    """The inverse for names of VARENUM."""
    return reduce(or_, (_NUMBERS[part] for part in name.split("|")))


def variant_value(variant: object) -> object:
    """What the variant holds, without the structure around it: a vector is a list, or bytes. None where nothing."""
    match variant:
        case {"vt": int(vt), "_varUnion": {**arms}} if vt in _ARMS:
            return _unpacked(_ARMS[vt], arms.get(_ARMS[vt].name))
    return None


def _unpacked(member: Member, value: object) -> object:
    """A counted structure is a count and a pointer, which may be null when it counts nothing."""
    if not (isinstance(member.type, Struct) and isinstance(value, dict)):
        return value
    count, counted = (value.get(part.name) for part in member.type.members)
    if counted is None and count == 0:
        return b"" if member.type in _OF_BYTES else []
    return counted


def variant_text(variant: object, limit: int = MAX_READABLE_CHARACTERS) -> str:
    """Never longer than `limit`: what is left out shows as three dots. Control characters are escaped."""
    match variant:
        case {"vt": int(vt)}:
            value = variant_value(variant)
            text = _printable(value, limit) if isinstance(value, str) else _text(vt, value, limit, 0)
            return text if len(text) <= limit else text[: max(limit - len(_CUT), 0)] + _CUT[:limit]
    return ""


def _text(vt: int, value: object, limit: int, depth: int) -> str:
    match value:
        case None:
            return "" if vt == _VT_EMPTY else "null"
        case int() if vt == _VT_BOOL:
            return "true" if value else "false"
        case str():
            return f'"{_printable(value, limit)}"'
        case bytes():
            return value[: limit // 2 + 1].hex()
        case list() if depth >= MAX_READABLE_DEPTH:
            return f"[{len(value)} more]"
        case list():
            return _list(vt, value, limit, depth)
        case {"vt": int(inner)}:
            return _text(inner, variant_value(value), limit, depth)
        case int():
            return str(value)
    return ""


def _list(vt: int, values: list[object], limit: int, depth: int) -> str:
    """Stops when there is enough: a vector may hold a million elements."""
    shown: list[str] = []
    used = 0
    for value in values:
        if used > limit:
            break
        shown.append(_text(vt & ~VT_VECTOR, value, limit, depth + 1))
        used += len(shown[-1]) + 2
    return f"[{', '.join(shown)}]"


def _printable(text: str, limit: int) -> str:
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode("ascii")
        for character in text[: limit + 1]
    )


def inner_variants(variant: Mapping[str, object]) -> list[object] | None:
    """The variants inside a VT_VECTOR|VT_VARIANT; None for any other."""
    if variant.get("vt") != vt_number("VT_VECTOR|VT_VARIANT"):
        return None
    value = variant_value(variant)
    return value if isinstance(value, list) else None
