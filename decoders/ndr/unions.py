"""Unions: [C706] 14.3.8, [MS-RPCE] 2.2.4.8 and 2.2.5.3.4.4."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from decoders.ndr.layout import Layout
    from decoders.ndr.model import EncapsulatedUnion, Union
    from decoders.ndr.reader import Container, Key, Place, Reader, Step

Chosen: TypeAlias = tuple["Step | None", str]
"""How the arm is read and its name; no step for an arm without a member."""


def union(
    declared: Union,
    arms: Mapping[int | None, Chosen],
    layout: Layout,
    byte_order: str,
    switch_is: str | None,
    *,
    unnamed: bool,
) -> Step:
    """`arms` by tag; None is the default arm. The arms of an unnamed union stand in the structure around it."""
    size = layout.leaf_size(declared.switch)
    unpack_from = struct.Struct(byte_order + layout.leaf_format(declared.switch)).unpack_from
    tag_mask = tag_alignment(declared, layout) - 1
    arm_mask = layout.arm_alignment(declared) - 1 if layout.ndr64 else 0
    template = {} if declared.sparse else dict.fromkeys(arm.member.name for arm in declared.arms if arm.member)
    default = arms.get(None)
    switch = switch_is.strip("* ") if switch_is else None

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        at = (reader.at + tag_mask) & ~tag_mask
        if at + size > reader.size:
            reader.cut(place, key or None, at, size)
        (tag,) = unpack_from(reader.data, at)
        reader.at = at + size
        if switch and type(container) is dict:
            expected = container.get(switch)
            if expected != tag and expected is not None and declared.expected_tag(expected) != tag:
                detail = f"tag {tag}, {switch} is {expected}"
                reader.report("ndr-union-tag-differs", place, key or None, at, detail)
        if not unnamed:
            values: dict[str, Any] = template.copy()
            container[key] = values
            container, place = values, (place, key)
        chosen = arms.get(tag, default)
        if chosen is None:
            reader.stop("ndr-unknown-tag", place, None, at, f"{declared.name or 'the union'} has no arm for {tag}")
        arm, name = chosen
        if arm:
            container[name] = None
            reader.at = (reader.at + arm_mask) & ~arm_mask
            arm(reader, container, name, place)

    return step


def tag_alignment(declared: Union, layout: Layout) -> int:
    return layout.alignment(declared if layout.ndr64 else declared.switch)


def encapsulated(
    declared: EncapsulatedUnion, arms: Mapping[int | None, Chosen], layout: Layout, byte_order: str
) -> Step:
    """The same bytes; what differs is that the tag is a member beside the union."""
    inner = union(declared.union, arms, layout, byte_order, None, unnamed=False)
    size = layout.leaf_size(declared.union.switch)
    unpack_from = struct.Struct(byte_order + layout.leaf_format(declared.union.switch)).unpack_from
    mask = tag_alignment(declared.union, layout) - 1
    switch_name, union_name = declared.switch_name, declared.union_name

    def step(reader: Reader, container: Container, key: Key, place: Place) -> None:
        container[key] = values = {switch_name: None, union_name: None}
        at = (reader.at + mask) & ~mask
        if at + size <= reader.size:
            (values[switch_name],) = unpack_from(reader.data, at)
        inner(reader, values, union_name, (place, key))

    return step
