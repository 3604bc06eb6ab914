"""Structures: [C706] 14.3.2 and 14.3.7, [MS-RPCE] 2.2.5.3.4."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from decoders.ndr.model import Union

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from decoders.ndr.layout import Layout
    from decoders.ndr.model import Member
    from decoders.ndr.reader import Container, Key, Place, Reader, Step


def nothing_read(members: Iterable[Member], layout: Layout) -> dict[str, Any]:
    """Every entry the value has, as None."""
    names: list[str] = []
    for member in members:
        declared = layout.resolve(member.type)
        if not member.name and isinstance(declared, Union):
            names += [arm.member.name for arm in declared.arms if arm.member]
        else:
            names.append(member.name)
    return dict.fromkeys(names)


def structure(template: dict[str, Any], parts: Sequence[tuple[Step, str]], alignment: int) -> Step:
    mask = alignment - 1

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        container[key] = values = template.copy()
        here = (place, key)
        reader.at = (reader.at + mask) & ~mask
        for part, name in parts:
            part(reader, values, name, here)

    return step


def gap(alignment: int) -> Step:
    """NDR64's trailing gap, as a part without a value."""
    mask = alignment - 1

    def step(reader: Reader, _container: Container, _key: Key, _place: Place) -> None:
        # A gap that the stub's end cut off takes nothing away.
        reader.at = min((reader.at + mask) & ~mask, reader.size)

    return step


def conformant(body: Step, layout: Layout, byte_order: str) -> Step:
    """The max_count of its last member comes first, aligned for itself."""
    word, mask = layout.word, layout.word - 1
    unpack_from = struct.Struct(byte_order + layout.word_format).unpack_from

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        at = (reader.at + mask) & ~mask
        if at + word > reader.size:
            reader.cut(place, key, at, word)
        (reader.max_count,) = unpack_from(reader.data, at)
        reader.at = at + word
        body(reader, container, key, place)

    return step
