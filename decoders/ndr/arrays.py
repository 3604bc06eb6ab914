"""Elements of arrays. A count is believed only as far as the bytes that are left can bear it out."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from decoders.ndr.model import CutBytes

if TYPE_CHECKING:
    from decoders.ndr.counts import Count
    from decoders.ndr.fields import Field, Finish
    from decoders.ndr.reader import Container, Key, Place, Reader, Step


def octets(count: Count) -> Step:
    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        size = count(reader, container, key, place)
        end = reader.at + size
        if end > reader.size:
            if not reader.whole:
                container[key] = CutBytes(reader.data[reader.at :])
            reader.cut(place, key, reader.at, size)
        container[key] = reader.data[reader.at : end]
        reader.at = end

    return step


def raw(count: Count, width: int) -> Step:
    """Octets of elements that have an alignment."""
    mask = width - 1

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        size = count(reader, container, key, place) * width
        at = (reader.at + mask) & ~mask
        end = at + size
        if end > reader.size and size:
            if not reader.whole:
                container[key] = CutBytes(reader.data[at:])
            reader.cut(place, key, at, size)
        container[key] = reader.data[at:end]
        reader.at = min(end, reader.size)

    return step


def leaves(count: Count, field: Field, byte_order: str) -> Step:
    """Whole or not at all, like every value of fixed size."""
    size, mask, code = field.size, field.alignment - 1, field.format
    finish: Finish | None = field.finish

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        number = count(reader, container, key, place)
        at = (reader.at + mask) & ~mask
        end = at + number * size
        if end > reader.size and number:
            reader.cut(place, key, at, number * size)
        reader.charge(number, place, key)
        raw: Any
        if code[-1] == "s":
            raw = [reader.data[index : index + size] for index in range(at, end, size)]
        else:
            raw = list(struct.unpack_from(f"{byte_order}{number}{code}", reader.data, at)) if number else []
        container[key] = raw
        reader.at = min(end, reader.size)
        if finish:
            here = (place, key)
            for index, value in enumerate(raw):
                finish(reader, raw, index, here, value, at + index * size)

    return step


def constructions(count: Count, element: Step, least: int, values: int, alignment: int) -> Step:
    """Elements that have to be read one by one; those in front of a stop are kept."""
    mask = alignment - 1

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        number = count(reader, container, key, place)
        # Aligned for the elements even where there are none, as Wine marshals.
        reader.at = min((reader.at + mask) & ~mask, reader.size)
        possible = min(number, (reader.size - reader.at) // least + 1) if least else number
        reader.charge(possible * values, place, key)
        elements: list[Any] = []
        container[key] = elements
        here = (place, key)
        for index in range(possible):
            elements.append(None)
            element(reader, elements, index, here)

    return step


def references(count: Count, referent: Step, least: int) -> Step:
    """Reference pointers in NDR: nothing in place, the referents are deferred ([C706] 14.3.12.1)."""

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        number = count(reader, container, key, place)
        possible = min(number, (reader.size - reader.at) // least + 1) if least else number
        reader.charge(possible, place, key)
        elements: list[Any] = [None] * possible
        container[key] = elements
        here = (place, key)
        reader.deferred.extend((referent, elements, index, here) for index in range(possible))

    return step
