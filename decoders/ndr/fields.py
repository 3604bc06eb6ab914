"""Values of fixed size, read several at once where their distance is known."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from decoders.ndr.model import ContextHandle, Enum, Guid, Scalar
from decoders.ndr.texts import guid_text, handle_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from decoders.ndr.layout import Layout, Leaf
    from decoders.ndr.reader import Container, Key, Place, Reader, Step

Finish: TypeAlias = Callable[["Reader", Any, Any, "Place", Any, int], None]
"""Makes `container[key]` of what was unpacked; the last argument is its offset."""


@dataclass(frozen=True, slots=True)
class Field:
    format: str
    size: int
    alignment: int
    finish: Finish | None = None
    """None: the unpacked value is the value."""


def leaf_field(leaf: Leaf, layout: Layout, byte_order: str, limits: tuple[int, int] | None) -> Field:
    finish: Finish | None = None
    match leaf:
        case Guid():
            finish = _text(guid_text, byte_order)
        case ContextHandle():
            finish = _text(handle_text, byte_order)
        case Enum() if leaf.members:
            finish = _enumeration(leaf, limits)
        case _ if limits:
            finish = _limited(limits)
        case Scalar(range=(low, high)):
            finish = _limited((low, high))
    return Field(layout.leaf_format(leaf), layout.leaf_size(leaf), layout.alignment(leaf), finish)


def _text(text: Callable[[bytes, str], str | None], byte_order: str) -> Finish:
    def finish(_reader: Reader, container: Container, key: Key, _place: Place, raw: bytes, _at: int) -> None:
        container[key] = text(raw, byte_order)

    return finish


def _limited(limits: tuple[int, int]) -> Finish:
    low, high = limits

    def finish(reader: Reader, container: Container, key: Key, place: Place, raw: int, at: int) -> None:
        container[key] = raw
        if not low <= raw <= high:
            reader.report("ndr-range", place, key, at, f"{raw} is not within {low} to {high}")

    return finish


def _enumeration(declared: Enum, limits: tuple[int, int] | None) -> Finish:
    members = frozenset(value for _, value in declared.members)
    limited = _limited(limits) if limits else None

    def finish(reader: Reader, container: Container, key: Key, place: Place, raw: int, at: int) -> None:
        container[key] = raw
        if raw not in members:
            reader.report("ndr-enum", place, key, at, f"{raw} is not in {declared.name}")
        if limited:
            limited(reader, container, key, place, raw, at)

    return finish


def single(field: Field, byte_order: str) -> Step:
    unpack_from = struct.Struct(byte_order + field.format).unpack_from
    size, mask, finish = field.size, field.alignment - 1, field.finish

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        at = (reader.at + mask) & ~mask
        if at + size > reader.size:
            reader.cut(place, key, at, size)
        (raw,) = unpack_from(reader.data, at)
        reader.at = at + size
        if finish is None:
            container[key] = raw
        else:
            finish(reader, container, key, place, raw, at)

    return step


def run(fields: Sequence[tuple[str, Field]], byte_order: str, *, aligns: bool) -> Step:
    """Neighbouring members in one step.

    It begins aligned for all of them, or aligns itself for the first, which no other then exceeds.
    """
    mask = fields[0][1].alignment - 1 if aligns else 0
    position = 0
    code = byte_order
    finishes = []
    for index, (name, field) in enumerate(fields):
        gap = -position % field.alignment
        code += f"{gap}x{field.format}"
        if field.finish:
            finishes.append((index, name, position + gap, field.finish))
        position += gap + field.size
    unpack_from, total = struct.Struct(code).unpack_from, position
    names = tuple(name for name, _ in fields)
    one_by_one = tuple((single(field, byte_order), name) for name, field in fields)

    def step(reader: Reader, container: Container, _key: Key, place: Place) -> None:
        at = (reader.at + mask) & ~mask
        if at + total > reader.size:
            for read, name in one_by_one:
                read(reader, container, name, place)
        raw = unpack_from(reader.data, at)
        reader.at = at + total
        container.update(zip(names, raw, strict=True))
        for index, name, offset, finish in finishes:
            finish(reader, container, name, place, raw[index], at + offset)

    return step
