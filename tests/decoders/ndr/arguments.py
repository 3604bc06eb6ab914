"""Values for declarations that exist: the counts, tags and ranges are as the IDL wants them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from decoders.ndr.counts import Rounded, compared_with
from decoders.ndr.layout import Layout, is_octets, is_wide
from decoders.ndr.model import (
    Array,
    ContextHandle,
    Direction,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    Member,
    ObjrefBytes,
    Operation,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Syntax,
    Type,
    Union,
)

from .declarations import GUIDS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

WIDE = st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"])
NARROW = st.characters(max_codepoint=0xFF)
MOST = 3


@st.composite
def arguments(
    draw: st.DrawFn, operation: Operation, direction: Direction, types: Mapping[str, Type], depth: int = 3
) -> dict[str, Any]:
    layout = Layout(types, Syntax.NDR)
    return draw(_members(operation.on_the_wire(direction), layout, depth))


@st.composite
def _members(draw: st.DrawFn, members: Sequence[Member], layout: Layout, depth: int) -> dict[str, Any]:
    counts: dict[str, int] = {}
    tags: dict[str, int] = {}
    for member in members:
        declared = _behind_pointers(member.type, layout)
        if isinstance(declared, Array):
            sizes = {compared_with(declared.size_is), compared_with(declared.length_is)}
            names = {size.member if isinstance(size, Rounded) else size for size in sizes}
            counts |= {name: draw(st.integers(0, MOST)) for name in names - counts.keys() if isinstance(name, str)}
        if isinstance(declared, Union) and member.switch_is:
            tags[member.switch_is.strip("* ")] = draw(_switch(declared))
    for member in members:
        if member.name in counts and member.range:
            counts[member.name] = min(max(counts[member.name], member.range[0]), member.range[1])
    for member in members:
        declared = _behind_pointers(member.type, layout)
        if isinstance(declared, Array) and declared.varying:
            size, length = compared_with(declared.size_is), compared_with(declared.length_is)
            if isinstance(size, str) and isinstance(length, str):
                counts[size] = max(counts[size], counts[length])
    result: dict[str, Any] = {}
    for member in members:
        if member.name in counts or member.name in tags:
            result[member.name] = counts.get(member.name, tags.get(member.name))
            continue
        declared = layout.resolve(member.type)
        if isinstance(declared, Union) and not member.name:
            result |= draw(_arms(declared, tags[(member.switch_is or "").strip("* ")], layout, depth))
        else:
            result[member.name] = draw(_value(declared, member, counts, tags, layout, depth))
    return result


def _behind_pointers(declared: Type, layout: Layout) -> Type:
    declared = layout.resolve(declared)
    return _behind_pointers(declared.to, layout) if isinstance(declared, Pointer) else declared


@st.composite
def _switch(draw: st.DrawFn, union: Union) -> int:
    """What the switch_is member may be: one of the cases, or one that folds into it."""
    case = draw(st.sampled_from([case for arm in union.arms for case in arm.cases]))
    flag, mask = union.folded or (0, 0)
    return case | draw(st.integers(0, 0xFFF)) & ~mask if case & flag else case


@st.composite
def _arms(draw: st.DrawFn, union: Union, switch: int, layout: Layout, depth: int) -> dict[str, Any]:
    tag = union.expected_tag(switch)
    names = (arm.member.name for arm in union.arms if arm.member and (tag in arm.cases or not union.sparse))
    values: dict[str, Any] = dict.fromkeys(names)
    for arm in union.arms:
        if arm.member and tag in arm.cases:
            values[arm.member.name] = draw(_value(arm.member.type, arm.member, {}, {}, layout, depth))
    return values


@st.composite
def _value(
    draw: st.DrawFn,
    declared: Type,
    member: Member | None,
    counts: Mapping[str, int],
    tags: Mapping[str, int],
    layout: Layout,
    depth: int,
) -> Any:  # noqa: ANN401 - any of them
    match layout.resolve(declared):
        case Scalar(floating=True):
            return draw(st.floats(allow_nan=False, width=32))
        case Scalar() as scalar:
            size = layout.leaf_size(scalar)
            low = -(1 << 8 * size - 1) if scalar.signed else 0
            limits = (member and member.range) or scalar.range or (low, low + (1 << 8 * size) - 1)
            return draw(st.integers(*limits))
        case Enum() as enumeration:
            return draw(st.sampled_from([value for _, value in enumeration.members]))
        case Guid():
            return draw(GUIDS)
        case ContextHandle():
            return draw(st.none() | GUIDS)
        case Pointer(to=to, kind=kind):
            if kind is not PointerKind.REF and (depth <= 0 or draw(st.integers(0, 4)) == 0):
                return None
            return draw(_value(to, member, counts, tags, layout, depth - 1))
        case InterfacePointer():
            return draw(st.none() | st.binary(max_size=9).map(ObjrefBytes))
        case EncapsulatedUnion() as around:
            switch = draw(_switch(around.union))
            return {around.switch_name: switch, around.union_name: draw(_arms(around.union, switch, layout, depth))}
        case String(of=of, bound=bound):
            return draw(st.text(WIDE if of.size == 2 else NARROW, max_size=min(5, (bound or 9) - 1)))
        case Array() as array:
            name = compared_with(array.length_is if array.varying else array.size_is)
            count = array.bound if array.bound is not None and not array.varying else None
            if isinstance(name, Rounded):
                count = name.up(counts[name.member])
            elif count is None:
                count = name if isinstance(name, int) else counts.get(name or "", MOST)
            if array.raw:
                size = count * layout.least_bytes(array.of)
                return draw(st.binary(min_size=size, max_size=size))
            if is_wide(layout.resolve(array.of)):
                return draw(st.text(WIDE, max_size=count)).rstrip("\0")
            values = [draw(_value(array.of, None, {}, {}, layout, depth - 1)) for _ in range(count)]
            return bytes(values) if is_octets(layout.resolve(array.of)) else values
        case Struct() as structure:
            return draw(_members(structure.members, layout, depth))
        case Union() as union:
            assert member
            assert member.switch_is
            return draw(_arms(union, tags[member.switch_is.strip("* ")], layout, depth))
