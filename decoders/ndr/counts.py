"""The counts in front of arrays and strings: [C706] 14.3.3 and 14.3.4, [MS-RPCE] 2.2.5.3.2 and 2.2.5.3.3."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from decoders.ndr.layout import Layout
    from decoders.ndr.reader import Container, Key, Place, Reader

Count: TypeAlias = Callable[["Reader", Any, Any, "Place"], int]
"""Reads the counts and says how many elements follow."""

_MEMBER_OR_CONSTANT: Final = re.compile(r"\s*(?:\*?\s*([A-Za-z_]\w*)|(\d+))\s*")
_ROUNDED: Final = re.compile(r"\(([A-Za-z_]\w*)\+(\d+)\)&~(\d+)")


class Rounded(NamedTuple):
    """A member's value rounded up, as in `(size+7)&~7`: [MS-DCOM] 2.2.13 counts extents so."""

    member: str
    mask: int
    """One less than the power of two it is rounded to."""

    def up(self, value: int) -> int:
        return (value + self.mask) & ~self.mask


Compared: TypeAlias = str | int | Rounded


def compared_with(expression: str | None) -> Compared | None:
    """The member or the constant of a size_is or length_is; None for other expressions, which no interface here has."""
    text = expression or ""
    if match := _MEMBER_OR_CONSTANT.fullmatch(text):
        return match[1] or int(match[2])
    rounded = _ROUNDED.fullmatch(text.replace(" ", ""))
    if rounded is None or rounded[2] != rounded[3] or int(rounded[2]) & (int(rounded[2]) + 1):
        return None
    return Rounded(rounded[1], int(rounded[2]))


def conformance(
    layout: Layout, byte_order: str, size_is: str | None, limits: tuple[int, int] | None, *, hoisted: bool
) -> Count:
    """max_count."""
    word, mask = layout.word, layout.word - 1
    unpack_from = struct.Struct(byte_order + layout.word_format).unpack_from
    name = compared_with(size_is)

    def count(reader: Reader, container: Container, key: Key, place: Place) -> int:
        if hoisted:
            at, most = reader.at, reader.max_count
        else:
            at = (reader.at + mask) & ~mask
            if at + word > reader.size:
                reader.cut(place, key, at, word)
            (most,) = unpack_from(reader.data, at)
            reader.at = at + word
        if name is not None:
            reader.compare_count(container, "size_is", name, most, place, key, at)
        if limits:
            _compare(reader, most, limits, place, key, at)
        return most

    return count


def variance(
    layout: Layout,
    byte_order: str,
    length_is: str | None,
    maximum: Count | int | None,
    limits: tuple[int, int] | None = None,
) -> Count:
    """Offset and actual_count, behind max_count unless `maximum` is declared."""
    word, mask = layout.word, layout.word - 1
    unpack_from = struct.Struct(byte_order + layout.word_format * 2).unpack_from
    name = compared_with(length_is)

    def count(reader: Reader, container: Container, key: Key, place: Place) -> int:
        most = maximum(reader, container, key, place) if callable(maximum) else maximum
        at = (reader.at + mask) & ~mask
        if at + 2 * word > reader.size:
            reader.cut(place, key, at, 2 * word)
        offset, actual = unpack_from(reader.data, at)
        reader.at = at + 2 * word
        if offset:
            # No IDL here has first_is: [MS-RPCE] 3.1.1.5.3.2.1.7.
            reader.report("ndr-bounds", place, key, at, f"offset is {offset}, not 0")
        if most is not None and offset + actual > most:
            detail = f"offset {offset} and actual count {actual} exceed {most}"
            reader.report("ndr-bounds", place, key, at, detail)
        if name is not None:
            reader.compare_count(container, "length_is", name, actual, place, key, at)
        if limits:
            _compare(reader, actual, limits, place, key, at)
        return int(actual)

    return count


def _compare(reader: Reader, count: int, limits: tuple[int, int], place: Place, key: Key, at: int) -> None:
    """[MS-RPCE] 2.2.4.14.2."""
    low, high = limits
    if not low <= count <= high:
        reader.report("ndr-range", place, key, at, f"{count} elements, not {low} to {high}")
