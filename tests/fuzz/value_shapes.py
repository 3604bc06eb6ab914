"""Whether a decoded value looks as decoders.ndr.model promises, checked from the declaration alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from decoders.ndr.model import (
    Array,
    ContextHandle,
    EncapsulatedUnion,
    Enum,
    Guid,
    InterfacePointer,
    Named,
    ObjrefBytes,
    Pointer,
    PointerKind,
    Scalar,
    String,
    Struct,
    Type,
    Union,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from decoders.ndr.model import Member

_GUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Shapes:
    def __init__(self, types: Mapping[str, Type]) -> None:
        self._types = types

    def wrong(self, members: Sequence[Member], values: object, *, whole: bool) -> str | None:
        """The first place that is wrong. `whole`: nothing was out of order, so only nullable things may be None."""
        return next(self._members(members, values, "", whole), None)

    def _members(self, members: Sequence[Member], values: object, path: str, whole: bool) -> Iterator[str]:
        if not isinstance(values, dict):
            yield f"{path or 'values'} is no dict"
            return
        names = [name for member in members for name in self._names(member)]
        if list(values) != names:
            yield f"{path or 'values'} has {list(values)}, not {names}"
            return
        for member in members:
            inner = self._resolved(member.type)
            if isinstance(inner, Union) and not member.name:
                yield from self._arms(inner, values, path, whole)
            else:
                yield from self._value(inner, values[member.name], f"{path}.{member.name}", whole)

    def _names(self, member: Member) -> list[str]:
        inner = self._resolved(member.type)
        if isinstance(inner, Union) and not member.name:
            return [arm.member.name for arm in inner.arms if arm.member]
        return [member.name]

    def _arms(self, union: Union, values: dict[str, Any], path: str, whole: bool) -> Iterator[str]:
        arms = [arm.member for arm in union.arms if arm.member and values.get(arm.member.name) is not None]
        if len(arms) > 1:
            yield f"{path} has more than one arm"
        for arm in arms:
            yield from self._value(arm.type, values[arm.name], f"{path}.{arm.name}", whole)

    def _value(self, declared: Type, value: Any, path: str, whole: bool) -> Iterator[str]:  # noqa: ANN401
        declared = self._resolved(declared)
        if value is None:
            if whole and not self._nullable(declared):
                yield f"{path} is None"
            return
        match declared:
            case Scalar(floating=True):
                right = isinstance(value, float)
            case Scalar(size=size, signed=signed):
                low = -(1 << 8 * size - 1) if signed else 0
                right = type(value) is int and low <= value < low + (1 << 8 * size)
            case Enum():
                # 16 bits are unsigned, 32 are a C int.
                right = type(value) is int and -(1 << 31) <= value < 1 << 31
            case Guid() | ContextHandle():
                right = isinstance(value, str) and _GUID.fullmatch(value) is not None
            case String():
                right = isinstance(value, str) and not any(0xD800 <= ord(one) <= 0xDFFF for one in value)
            case InterfacePointer():
                right = isinstance(value, ObjrefBytes)
            case EncapsulatedUnion(switch_name=tag, union_name=name):
                right = isinstance(value, dict) and list(value) == [tag, name]
                if right:
                    yield from self._value(declared.union, value[name], f"{path}.{name}", whole)
            case Pointer(to=to):
                yield from self._value(to, value, path, whole)
                return
            case Array(raw=True):
                right = isinstance(value, bytes)
            case Array(of=of):
                yield from self._array(self._resolved(of), value, path, whole)
                return
            case Struct(members=members):
                yield from self._members(members, value, path, whole)
                return
            case Union() as union:
                arms = [arm.member.name for arm in union.arms if arm.member]
                if isinstance(value, dict) and (list(value) == arms or (union.sparse and set(value) <= set(arms))):
                    yield from self._arms(union, value, path, whole)
                    return
                right = False
        if not right:
            yield f"{path} is {value!r:.80}"

    def _array(self, element: Type, value: object, path: str, whole: bool) -> Iterator[str]:
        if isinstance(element, Scalar) and element.size == 1 and not element.signed:
            if not isinstance(value, bytes):
                yield f"{path} is no bytes"
        elif isinstance(element, Scalar) and element.character:
            if not isinstance(value, str) or value.endswith("\0"):
                yield f"{path} is no text"
        elif not isinstance(value, list):
            yield f"{path} is no list"
        else:
            for number, one in enumerate(value):
                yield from self._value(element, one, f"{path}[{number}]", whole)

    def _nullable(self, declared: Type) -> bool:
        declared = self._resolved(declared)
        if isinstance(declared, Pointer) and declared.kind is PointerKind.REF:
            return self._nullable(declared.to)
        return isinstance(declared, ContextHandle | Pointer | InterfacePointer)

    def _resolved(self, declared: Type) -> Type:
        while isinstance(declared, Named):
            declared = self._types[declared.name]
        return declared
