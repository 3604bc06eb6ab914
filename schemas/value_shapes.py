"""Decoded values in the shape that the Arrow types of `idl_types` take. What a declaration decides is decided once."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from decoders.msmq.base_header import packet_size
from decoders.ndr.layout import is_octets, is_wide
from decoders.ndr.model import Array, CutBytes, EncapsulatedUnion, Named, Pointer, Struct, Union
from decoders.oaut.values import bstr_bytes
from schemas.com_shapes import is_variant, special, variant_row
from schemas.idl_types import NO_PARAMETERS, deeper

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from decoders.ndr.model import Member, Type

    Shape: TypeAlias = Callable[[Any], Any]
    """From a value that is there. What has none is as it should be."""
    Fields: TypeAlias = dict[str, Any]

_PLAIN: Final = (int, str, bytes, float)


class ValueShapes:
    """For the types of one interface."""

    def __init__(self, types: Mapping[str, Type], *, keep_payload: bool = False) -> None:
        self._types = types
        self._keep_payload = keep_payload

    def of(self, members: Sequence[Member]) -> Shape:
        """Of all parameters in one direction."""
        if not members:
            return lambda _: {NO_PARAMETERS.name: True}
        return self._fields(members, {}) or _as_it_is

    def _fields(self, members: Sequence[Member], seen: dict[str, int]) -> Shape | None:
        named = list(self._named_members(members))
        shapes = [(member.name, shape) for member in named if (shape := self._member(member, seen)) is not None]
        hoisted = any(isinstance(self._resolved(member.type), Union) and not member.name for member in members)
        # A union has the arm that was chosen; its Arrow type has all of them.
        blank = dict.fromkeys(member.name for member in named) if hoisted else None
        if blank is None and not shapes:
            return None
        return _structure(blank, shapes)

    def _named_members(self, members: Iterable[Member]) -> Iterator[Member]:
        for member in members:
            inner = self._resolved(member.type)
            if isinstance(inner, Union) and not member.name:
                yield from self._named_members(arm.member for arm in inner.arms if arm.member is not None)
            else:
                yield member

    def _member(self, member: Member, seen: dict[str, int]) -> Shape | None:
        if member.payload:
            keep = self._keep_payload
            if is_variant(member.type, self._types):
                return lambda value: variant_row(value, keep=keep)
            return lambda value: payload(value, keep=keep)
        return self._value(member.type, seen)

    def _value(self, declared: Type, seen: dict[str, int]) -> Shape | None:
        declared = self._resolved(declared)
        if found := special(declared):
            return found.shape
        match declared:
            case Pointer():
                return self._value(declared.to, seen)
            case Array():
                if declared.raw or is_wide(declared.of) or is_octets(declared.of):
                    return None
                element = self._value(declared.of, seen)
                return None if element is None else _elements(element)
            case Union():
                arms = [arm.member for arm in declared.arms if arm.member is not None]
                shapes = [(arm.name, shape) for arm in arms if (shape := self._member(arm, seen)) is not None]
                return _structure(dict.fromkeys(arm.name for arm in arms), shapes)
            case EncapsulatedUnion():
                shape = self._value(declared.union, seen)
                return None if shape is None else _structure(None, [(declared.union_name, shape)])
            case Struct():
                below = deeper(declared.name, seen)
                return _json if below is None else self._fields(declared.members, below)
        return None

    def _resolved(self, declared: Type) -> Type:
        return self._types[declared.name] if isinstance(declared, Named) else declared


def payload(value: bytes | dict[str, Any], *, keep: bool) -> dict[str, Any] | None:
    """Of one cut short: what was captured, and no hash, which would be another message's. Of a BSTR the bytes."""
    if isinstance(value, dict):
        text = bstr_bytes(value)
        return None if text is None else payload(text, keep=keep)
    digest = None if isinstance(value, CutBytes) else hashlib.sha256(value).hexdigest()
    kept = bytes(value) if keep else None
    return {"size": len(value), "sha256": digest, "packet_size": packet_size(value), "bytes": kept}


def _as_it_is(value: Any) -> Any:  # noqa: ANN401 - values of any declared type
    return value


def _structure(blank: Fields | None, shapes: Sequence[tuple[str, Shape]]) -> Shape:
    def shaped(value: Any) -> Any:  # noqa: ANN401
        if isinstance(value, _PLAIN):
            return value
        # Two pointers may lead to one value: it is not changed.
        whole: Fields = {**value} if blank is None else {**blank, **value}
        for name, shape in shapes:
            inner = whole.get(name)
            if inner is not None:
                whole[name] = shape(inner)
        return whole

    return shaped


def _elements(element: Shape) -> Shape:
    def shaped(value: Any) -> Any:  # noqa: ANN401
        return value if isinstance(value, _PLAIN) else [None if one is None else element(one) for one in value]

    return shaped


def _json(value: Any) -> str:  # noqa: ANN401
    return json.dumps(value, default=lambda raw: raw.hex(), separators=(",", ":"))
