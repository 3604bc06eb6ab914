"""The shapes that nearly all parameters of these interfaces have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from decoders.ndr.model import Direction, Member, Parameter, Pointer, PointerKind

if TYPE_CHECKING:
    from decoders.ndr.model import Type


def value(name: str, value_type: Type, values: tuple[int, int] | None = None) -> Parameter:
    """[in], with its [range] where it has one."""
    return Parameter(Direction.IN, Member(name, value_type, range=values))


def reference(direction: Direction, name: str, to: Type, *, const: bool = False) -> Parameter:
    """A pointer without attribute, which at the top level is [ref]."""
    return Parameter(direction, Member(name, Pointer(to, PointerKind.REF)), const)


def pointer(direction: Direction, kind: PointerKind, name: str, to: Type, *, const: bool = False) -> Parameter:
    """With the attribute written."""
    return Parameter(direction, Member(name, Pointer(to, kind, written=True)), const)
