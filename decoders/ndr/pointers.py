"""Pointers and the order of their referents: [C706] 14.3.10 to 14.3.12, [MS-RPCE] 2.2.5.3.5."""

from __future__ import annotations

import struct
from functools import partial
from typing import TYPE_CHECKING

from decoders.ndr.fields import Field
from decoders.ndr.model import PointerKind

if TYPE_CHECKING:
    from decoders.ndr.fields import Finish
    from decoders.ndr.layout import Layout
    from decoders.ndr.reader import Container, Deferred, Key, Place, Reader, Step


def outermost(step: Step, values: int) -> Step:
    """The construction that referents wait for; a referent's own referents come before the next one.

    `values`: those it holds itself, which are counted so that pointers to large structures have a limit too.
    """

    def whole(reader: Reader, container: Container, key: Key, place: Place) -> None:
        reader.deeper(place, key)
        reader.charge(values, place, key)
        mine: list[Deferred] = []
        reader.deferred = mine
        step(reader, container, key, place)
        for referent, holder, name, where in mine:
            referent(reader, holder, name, where)
        reader.depth -= 1

    return whole


def embedded(kind: PointerKind, referent: Step, layout: Layout, type_number: int) -> Field:
    finish: Finish = _FINISH[kind](referent, layout, type_number)
    return Field(layout.word_format, layout.word, layout.word, finish)


def not_embedded(kind: PointerKind, referent: Step, layout: Layout, byte_order: str, type_number: int) -> Step:
    """A unique or full pointer as parameter: the referent follows its id."""
    word, mask = layout.word, layout.word - 1
    unpack_from = struct.Struct(byte_order + layout.word_format).unpack_from
    full = kind is PointerKind.FULL

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        at = (reader.at + mask) & ~mask
        if at + word > reader.size:
            reader.cut(place, key, at, word)
        (referent_id,) = unpack_from(reader.data, at)
        reader.at = at + word
        container[key] = None
        if not referent_id and kind is not PointerKind.REF:
            return
        if full:
            _follow(referent_id, type_number, referent, reader, container, key, place)
        else:
            referent(reader, container, key, place)

    return step


def _unique(referent: Step, _layout: Layout, _type_number: int) -> Finish:
    def finish(reader: Reader, container: Container, key: Key, place: Place, referent_id: int, _at: int) -> None:
        container[key] = None
        if referent_id:
            reader.deferred.append((referent, container, key, place))

    return finish


def _full(referent: Step, _layout: Layout, type_number: int) -> Finish:
    def finish(reader: Reader, container: Container, key: Key, place: Place, referent_id: int, _at: int) -> None:
        container[key] = None
        if referent_id:
            follow = partial(_follow, referent_id, type_number, referent)
            reader.deferred.append((follow, container, key, place))

    return finish


def _reference(referent: Step, layout: Layout, _type_number: int) -> Finish:
    strict = layout.ndr64

    def finish(reader: Reader, container: Container, key: Key, place: Place, referent_id: int, at: int) -> None:
        container[key] = None
        if strict and not referent_id:
            reader.report("ndr-null-reference", place, key, at, "a reference pointer is 0")
        reader.deferred.append((referent, container, key, place))

    return finish


_FINISH = {PointerKind.UNIQUE: _unique, PointerKind.FULL: _full, PointerKind.REF: _reference}


def _follow(
    referent_id: int, type_number: int, referent: Step, reader: Reader, container: Container, key: Key, place: Place
) -> None:
    """The first full pointer with an id has the referent, the others mean the same object: [C706] 14.3.10.

    They may together repeat as many bytes as the stub has, so that a table never holds more than twice the stub.
    """
    known = reader.full.get(referent_id)
    if known is not None and known[0] != type_number:
        # It cannot be the same object, so it is one of its own, whatever its id.
        reader.report("ndr-alias", place, key, reader.at, f"id {referent_id:#x} was another type's before")
        referent(reader, container, key, place)
        return
    if known is None:
        known = reader.full[referent_id] = [type_number, container, key, None]
        before = reader.at + reader.aliased
        referent(reader, container, key, place)
        known[3] = reader.at + reader.aliased - before
        return
    _, holder, name, size = known
    if size is None:
        reader.report("ndr-alias", place, key, reader.at, f"id {referent_id:#x} points to what contains it")
    elif reader.aliased + size > reader.size:
        reader.report("ndr-alias", place, key, reader.at, f"id {referent_id:#x} would repeat too many bytes")
    else:
        reader.aliased += max(size, 1)
        container[key] = holder[name]
